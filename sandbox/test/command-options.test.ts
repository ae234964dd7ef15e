import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, makeUpload } from './clients.ts';
import type { Info } from './child.ts';

const main = resolve(__dirname, '../src/main.ts');

/** Starts the command with variables, runs `work` with what it prints, and ends it. */
async function withCommand(
	{ args = [], variables = {} }: { args?: string[]; variables?: Record<string, string> },
	work: (info: Info & { operatorToken: string }) => Promise<void>,
) {
	const child = spawn(process.execPath, [main, '--port', '0', '--json', ...args], {
		env: { ...process.env, ...variables },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const [line] = await once(child.stdout, 'data');
		await work(JSON.parse(String(line)));
	} finally {
		child.kill('SIGTERM');
		await once(child, 'exit');
	}
}

test('two starts have the same keys, tokens and organizations, and their keys work', async () => {
	const seen: unknown[] = [];
	for (let n = 0; n < 2; n++) {
		await withCommand({}, async ({ organizations, operatorToken, ...info }) => {
			seen.push({ organizations, operatorToken });
			const [organization] = organizations;
			expect((await connect({ ...info }, organization).get('/dossiers')).status).toBe(200);
		});
	}
	expect(seen[1]).toEqual(seen[0]);
});

test('keys are random if an option says so, or if other machines can connect', async () => {
	const seen = new Set<string>();
	const keep = ({ organizations: [{ liveKey }] }: Info) => Promise.resolve(void seen.add(liveKey));
	await withCommand({}, keep);
	await withCommand({ args: ['--keys', 'random'] }, keep);
	await withCommand({ args: ['--control', 'anywhere'] }, keep);
	expect(seen.size).toBe(3);
});

test('records that are created under well-known keys have random identifiers', async () => {
	const ids = new Set<string>();
	for (let n = 0; n < 2; n++) {
		await withCommand({}, async (info) => {
			const client = connect(info, info.organizations[0]);
			ids.add((await client.post('/dossiers', { title: 'Case' })).data.id);
		});
	}
	expect(ids.size).toBe(2);
});

test('a chosen name opens the control room to other machines, and no other name does', async () => {
	const args = ['--host', '0.0.0.0', '--control-host', 'sandbox'];
	await withCommand({ args, variables: { DOSSIER_SANDBOX_KEYS: 'random' } }, async ({ url }) => {
		const { port } = new URL(url);
		const ask = async (host: string): Promise<unknown> => {
			const options = { port, host: '127.0.0.1', path: '/_sandbox/api', headers: { Host: host } };
			const [answer] = await once(request(options).end(), 'response');
			answer.resume();
			return answer.statusCode;
		};
		expect(await ask(`sandbox:${port}`)).toBe(200);
		expect(await ask(`SANDBOX`)).toBe(200);
		expect(await ask('other')).toBe(403);
	});
});

test('options without a value, and several values, can be environment variables', async () => {
	const variables = {
		DOSSIER_SANDBOX_EXAMPLES: 'true',
		DOSSIER_SANDBOX_CONTROL_HOST: 'sandbox,dossier.local',
		DOSSIER_SANDBOX_KEYS: 'well-known',
	};
	await withCommand({ variables }, async (info) => {
		const { data } = await connect(info, info.organizations[0]).get('/dossiers');
		expect(data.pagination.total).toBe(10);
	});
});

test('options can be environment variables, and the command line wins', async () => {
	const variables = {
		DOSSIER_SANDBOX_SET: 'ids=uuid,put=merges',
		DOSSIER_SANDBOX_RATE_LIMITS: 'off',
		DOSSIER_SANDBOX_MAX_FILE_BYTES: '3',
		DOSSIER_SANDBOX_BASE_URL: 'http://sandbox.test:4010/',
		DOSSIER_SANDBOX_ENVIRONMENT: 'sandbox',
	};
	const args = ['--environment', 'production'];
	const child = spawn(process.execPath, [main, '--json', '--port', '0', ...args], {
		env: { ...process.env, ...variables },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = await once(child.stdout, 'data');
	const info = JSON.parse(String(line));
	expect(info).toMatchObject({ url: 'http://sandbox.test:4010', environment: 'production' });
	child.kill('SIGTERM');
	await once(child, 'exit');
	const { DOSSIER_SANDBOX_BASE_URL: _, ...others } = variables;
	await withCommand({ args, variables: others }, async (started) => {
		const client = connect(started, started.organizations[1]);
		const made = await client.post('/dossiers', { title: 'Case' });
		expect(made.headers).not.toHaveProperty('x-ratelimit-remaining');
		expect(made.data.id).toMatch(/^[0-9a-f]{8}-/);
		const path = `/dossiers/${made.data.id}/documents`;
		expect((await client.post(path, makeUpload('abc'))).status).toBe(201);
		expect((await client.post(path, makeUpload('abcd'))).data.error.code).toBe('FILE_TOO_LARGE');
	});
});

test.each([
	[['--max-file-bytes', 'much'], '--max-file-bytes cannot be much.'],
	[['--base-url', 'sandbox'], 'Give an address such as http://sandbox:4010.'],
	[['--keys', 'none'], 'Give random or well-known.'],
	[['--control-host', 'http://sandbox'], 'Give a name such as sandbox'],
])('%j is refused in a sentence', async (args, sentence) => {
	const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
	expect(await text(child.stderr)).toContain(sentence);
});
