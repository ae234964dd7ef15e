import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import axios from 'axios';
import { readCommandLine } from '../src/command-line.mts';
import { spawnCommand, spawnInNpx, spawnSandbox } from './child.mts';
import type { StartInfo } from './child.mts';
import { connect, expectRefusal, findOrganization, makeUpload } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { dataDir, openSandbox, openCommand } = useSandbox({ isManual: true });

test('the command prints its address, its keys and each request, and exits with 0 on SIGTERM', async () => {
	const { child, code, firstOutput, output } = spawnCommand(['--port', '0']);
	const url = /http:\/\/[\d.:]+/.exec(await firstOutput)?.[0] ?? '';
	await fetch(`${url}/api/v1/health`);
	await fetch(`${url}/v1/dossiers?q=x`, { headers: { Authorization: 'Bearer sk_live_secret' } });
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	const [start = '', requests] = (await output).split('Press Ctrl-C to stop.\n');
	expect(start).toMatch(/Sandbox URL +http:\/\/127\.0\.0\.1:\d+\/v1/);
	expect(start).toMatch(/plan enterprise[^]*sk_live_[^]*sk_test_[^]*plan business[^]*sk_live_/);
	expect(requests).toMatch(
		/^[\d:]{8} {2}GET \/api\/v1\/health {2}200 {2}[\d.]+ ms\n[\d:]{8} {2}GET \/v1\/dossiers\?q=x {2}401 INVALID_API_KEY {2}[\d.]+ ms\n$/,
	);
});

test('with --quiet, the command prints nothing about requests', async () => {
	const { child, firstOutput, output, code } = spawnCommand(['--port', '0', '--quiet']);
	const url = /http:\/\/[\d.:]+/.exec(await firstOutput)?.[0] ?? '';
	await fetch(`${url}/api/v1/health`);
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	expect(await output).toMatch(/Press Ctrl-C to stop\.\n$/);
});

test('with --json, the command prints one line of JSON', async () => {
	const { child, code, info, output } = await spawnSandbox(['--environment', 'sandbox']);
	expect(info).toMatchObject({ environment: 'sandbox', base_url: `${info.url}/v1` });
	const [enterprise, business] = info.organizations;
	expect((await connect(info, enterprise).get('/dossiers')).status).toBe(200);
	expect((await connect(info, business).get('/dossiers')).status).toBe(403);
	child.kill('SIGINT');
	expect(await code).toBe(0);
	expect(await output).toMatch(/^\{[^\n]+\}\n$/);
});

test('--profile and --set change the answers, and rate limits are on by default', async () => {
	const sandbox = await openCommand(['--profile', 'alternate', '--set', 'ids=prefixed']);
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	const made = await client.post('/dossiers', { title: 'a' });
	expect(made.data.data.id).toMatch(/^dos_/);
	expect(made.headers['x-ratelimit-remaining']).toBe('99');
	expect(Object.keys((await client.get('/dossiers')).data)).toEqual(['data', 'next_cursor']);
});

test('--list-switches prints every switch with its values', () => {
	expect(readCommandLine(['--list-switches'], {})).toEqual({
		kind: 'print',
		text: expect.stringMatching(/put +A-16 +replaces \| merges/),
	});
});

test('the command exits if its parent process ends', async () => {
	const { child, code } = await spawnSandbox([], { hasChannel: true });
	child.disconnect();
	expect(await code).toBe(0);
});

test('the command exits if the shell ends in which npx started it', async () => {
	const { child, firstOutput, output } = spawnInNpx(['--port', '0', '--json']);
	const { url }: StartInfo = JSON.parse(await firstOutput);
	child.kill('SIGTERM');
	await output;
	await expect(fetch(`${url}/api/v1/health`)).rejects.toThrow('fetch failed');
});

test('a port in use is reported in one sentence that says what to do', async () => {
	const other = await openSandbox();
	const { port } = new URL(other.url);
	const { code, errorOutput } = spawnCommand(['--port', port]);
	expect(await code).toBe(1);
	expect(await errorOutput).toBe(
		`Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 takes any that is free).\n`,
	);
});

test.each([
	[['--unknown'], 'Unknown option'],
	[['start'], 'start is not a command.'],
	[['--set', 'put'], '--set put has no value.'],
	[['--set', 'other=merges'], 'The switch other does not exist.'],
	[['--max-file-bytes', 'much'], '--max-file-bytes cannot be much.'],
	[['--base-url', 'sandbox'], 'Give an address such as http://sandbox:4170.'],
	[['--control-host', 'http://sandbox'], '--control-host cannot be http://sandbox.'],
])('%j is refused in one sentence', (args, sentence) => {
	const read = () => readCommandLine(args, {});
	expect(read).toThrow(sentence);
	expect(read).not.toThrow('\n');
});

test('init writes a seed file, but not over an existing file', async () => {
	const file = join(dataDir, 'mine.yaml');
	expect(await spawnCommand(['init', file]).output).toContain(`--seed ${file}\n`);
	const { code, errorOutput } = spawnCommand(['init', file]);
	expect(await code).toBe(1);
	expect(await errorOutput).toContain(`${file} exists already.`);
});

test('a start uses the seed.yaml of its folder, and says so', async () => {
	expect(await spawnCommand(['init'], { cwd: dataDir }).code).toBe(0);
	const { firstOutput } = spawnCommand(['--port', '0'], { cwd: dataDir });
	expect(await firstOutput).toMatch(/It begins with seed\.yaml\.[^]*Kanzlei Lindt/);
});

test('the answer at the root says where the pages are', async () => {
	const { url } = await openCommand();
	const answer = await axios.get(url, { validateStatus: null });
	expectRefusal(answer, 404, 'ROUTE_NOT_FOUND');
	expect(answer.data.error.message).toContain('/_sandbox/');
});

test('two starts have the same keys, tokens and organizations, and other identifiers of records', async () => {
	const [first, second] = [await openCommand(), await openCommand()];
	const { organizations, operatorToken } = first;
	expect(second).toMatchObject({ organizations, operatorToken });
	const ids = [first, second].map(async (sandbox) => {
		const client = connect(sandbox, findOrganization(sandbox, 'business'));
		const answer = await client.post('/dossiers', { title: 'Case' });
		expect(answer.status).toBe(201);
		return answer.data.id;
	});
	expect(new Set(await Promise.all(ids)).size).toBe(2);
});

test('keys are random if an option says so, or if other machines can connect', async () => {
	const starts = [[], ['--keys', 'random'], ['--control', 'anywhere']].map(
		async (args) => (await openCommand(args)).organizations[0]?.liveKey,
	);
	expect(new Set(await Promise.all(starts)).size).toBe(3);
});

test('--control-host opens the control room under that name alone', async () => {
	const args = ['--host', '0.0.0.0', '--control-host', 'sandbox'];
	const { port } = new URL((await openCommand(args, { DOSSIER_SANDBOX_KEYS: 'random' })).url);
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

test('options can be environment variables, and the command line wins', async () => {
	const args = ['--environment', 'production'];
	const variables = {
		DOSSIER_SANDBOX_SET: 'ids=slashes,put=merges',
		DOSSIER_SANDBOX_RATE_LIMITS: 'off',
		DOSSIER_SANDBOX_MAX_FILE_BYTES: '3',
		DOSSIER_SANDBOX_ENVIRONMENT: 'sandbox',
		DOSSIER_SANDBOX_EXAMPLES: 'true',
		DOSSIER_SANDBOX_CONTROL_HOST: 'sandbox,dossier.local',
		DOSSIER_SANDBOX_KEYS: 'well-known',
	};
	const base = { DOSSIER_SANDBOX_BASE_URL: 'http://sandbox.test:4170/' };
	expect((await openCommand(args, base)).url).toBe('http://sandbox.test:4170');
	const sandbox = await openCommand(args, variables);
	const enterprise = findOrganization(sandbox, 'enterprise');
	const examples = connect(sandbox, enterprise, enterprise.testKey);
	expect((await examples.get('/dossiers')).data.pagination.total).toBe(10);
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	const made = await client.post('/dossiers', { title: 'Case' });
	expect(made.status).toBe(201);
	expect(made.headers).not.toHaveProperty('x-ratelimit-remaining');
	expect(made.data.id).toMatch(/^dos\//);
	const path = `/dossiers/${encodeURIComponent(made.data.id)}/documents`;
	expect((await client.post(path, makeUpload('abc'))).status).toBe(201);
	expect((await client.post(path, makeUpload('abcd'))).data.error.code).toBe('FILE_TOO_LARGE');
});
