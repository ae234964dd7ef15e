import { once } from 'node:events';
import { request } from 'node:http';
import { killChildren, spawnSandbox } from './child.ts';
import { connect, makeUpload } from './clients.ts';

afterEach(killChildren);

/** Starts the command with variables, and gives what it prints. */
const start = async (args: string[] = [], env: Record<string, string> = {}) =>
	(await spawnSandbox(args, { env })).info;

test('two starts have the same keys, tokens and organizations, and other identifiers of records', async () => {
	const [first, second] = [await start(), await start()];
	const { organizations, operatorToken } = first;
	expect(second).toMatchObject({ organizations, operatorToken });
	const ids = [first, second].map(async (info) => {
		const answer = await connect(info, organizations[0]).post('/dossiers', { title: 'Case' });
		expect(answer.status).toBe(201);
		return answer.data.id;
	});
	expect(new Set(await Promise.all(ids)).size).toBe(2);
});

test('keys are random if an option says so, or if other machines can connect', async () => {
	const starts = [[], ['--keys', 'random'], ['--control', 'anywhere']].map(
		async (args) => (await start(args)).organizations[0].liveKey,
	);
	expect(new Set(await Promise.all(starts)).size).toBe(3);
});

test('a chosen name opens the control room to other machines, and no other name does', async () => {
	const args = ['--host', '0.0.0.0', '--control-host', 'sandbox'];
	const { port } = new URL((await start(args, { DOSSIER_SANDBOX_KEYS: 'random' })).url);
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

test('options without a value, and several values, can be environment variables', async () => {
	const info = await start([], {
		DOSSIER_SANDBOX_EXAMPLES: 'true',
		DOSSIER_SANDBOX_CONTROL_HOST: 'sandbox,dossier.local',
		DOSSIER_SANDBOX_KEYS: 'well-known',
	});
	const { data } = await connect(info, info.organizations[0]).get('/dossiers');
	expect(data.pagination.total).toBe(10);
});

test('options can be environment variables, and the command line wins', async () => {
	const args = ['--environment', 'production'];
	const variables = {
		DOSSIER_SANDBOX_SET: 'ids=uuid,put=merges',
		DOSSIER_SANDBOX_RATE_LIMITS: 'off',
		DOSSIER_SANDBOX_MAX_FILE_BYTES: '3',
		DOSSIER_SANDBOX_ENVIRONMENT: 'sandbox',
	};
	const base = { DOSSIER_SANDBOX_BASE_URL: 'http://sandbox.test:4010/' };
	expect((await start(args, base)).url).toBe('http://sandbox.test:4010');
	const info = await start(args, variables);
	expect(info.environment).toBe('production');
	const client = connect(info, info.organizations[1]);
	const made = await client.post('/dossiers', { title: 'Case' });
	expect(made.headers).not.toHaveProperty('x-ratelimit-remaining');
	expect(made.data.id).toMatch(/^[0-9a-f]{8}-/);
	const path = `/dossiers/${made.data.id}/documents`;
	expect((await client.post(path, makeUpload('abc'))).status).toBe(201);
	expect((await client.post(path, makeUpload('abcd'))).data.error.code).toBe('FILE_TOO_LARGE');
});
