import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand, spawnInNpx, spawnSandbox } from './child.ts';
import type { Info } from './child.ts';
import { connect } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir, openSandbox } = useSandbox({ lifetime: 'manual' });

test('the command prints its address and its keys, and exits with 0 on SIGTERM', async () => {
	const { child, code, firstOutput, output } = spawnCommand(['--port', '0']);
	await firstOutput;
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	expect(await output).toMatch(/Sandbox URL +http:\/\/127\.0\.0\.1:\d+\/v1/);
	expect(await output).toMatch(
		/plan enterprise[^]*sk_live_[^]*sk_test_[^]*plan business[^]*sk_live_/,
	);
});

test('--json makes it print one line of JSON', async () => {
	const { child, code, info, output } = await spawnSandbox(['--environment', 'sandbox']);
	expect(info).toMatchObject({ environment: 'sandbox', base_url: `${info.url}/v1` });
	const [enterprise, business] = info.organizations;
	expect((await connect(info, enterprise).get('/dossiers')).status).toBe(200);
	expect((await connect(info, business).get('/dossiers')).status).toBe(403);
	child.kill('SIGINT');
	expect(await code).toBe(0);
	expect(await output).toMatch(/^\{[^\n]+\}\n$/);
});

test('--profile and --set change its answers, and rate limits are on by default', async () => {
	const { info } = await spawnSandbox(['--profile', 'alternate', '--set', 'ids=prefixed']);
	const client = connect(info, info.organizations[1]);
	const made = await client.post('/dossiers', { title: 'a' });
	expect(made.data.data.id).toMatch(/^dos_/);
	expect(made.headers['x-ratelimit-remaining']).toBe('99');
	expect(Object.keys((await client.get('/dossiers')).data)).toEqual(['data', 'next_cursor']);
});

test('--list-switches prints every switch with its values', async () => {
	const { output } = spawnCommand(['--list-switches']);
	expect(await output).toMatch(/put +A-16 +replaces \| merges/);
});

test('--data keeps the keys across a restart', async () => {
	const first = await spawnSandbox(['--data', dataDir]);
	first.child.kill('SIGTERM');
	await first.code;
	const second = await spawnSandbox(['--data', dataDir]);
	expect(second.info.organizations).toEqual(first.info.organizations);
	second.child.kill('SIGTERM');
	await second.code;
});

test('it exits if its parent process ends', async () => {
	const { child, code } = await spawnSandbox([], { hasChannel: true });
	child.disconnect();
	expect(await code).toBe(0);
});

test('it ends with the shell in which npx has started it', async () => {
	const { child, firstOutput, output } = spawnInNpx(['--port', '0', '--json']);
	const { url }: Info = JSON.parse(await firstOutput);
	child.kill('SIGTERM');
	await output;
	await expect(fetch(`${url}/api/v1/health`)).rejects.toThrow('fetch failed');
});

test('a port in use is reported in one sentence that says what to do', async () => {
	const other = await openSandbox();
	const { port } = new URL(other.url);
	const { code, complaint } = spawnCommand(['--port', port]);
	expect(await code).toBe(1);
	expect(await complaint).toBe(
		`Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 takes any that is free).\n`,
	);
});

test.each([
	[['--unknown'], 'Unknown option'],
	[['start'], 'start is not a command.'],
	[['--set', 'put'], '--set put has no value.'],
	[['--set', 'other=merges'], 'The switch other does not exist.'],
	[['--max-file-bytes', 'much'], '--max-file-bytes cannot be much.'],
	[['--base-url', 'sandbox'], 'Give an address such as http://sandbox:4010.'],
	[['--control-host', 'http://sandbox'], '--control-host cannot be http://sandbox.'],
])('%j is refused in one sentence', async (args, sentence) => {
	const { code, complaint } = spawnCommand(args);
	expect(await code).toBe(1);
	expect(await complaint).toMatch(/^[^\n]+\n$/);
	expect(await complaint).toContain(sentence);
});

test('a seed file to begin with replaces no file', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'dossier-init-'));
	const file = join(folder, 'mine.yaml');
	expect(await spawnCommand(['init', file]).output).toContain(`--seed ${file}\n`);
	const { code, complaint } = spawnCommand(['init', file]);
	expect(await code).toBe(1);
	expect(await complaint).toContain(`${file} exists already.`);
	rmSync(folder, { recursive: true });
});

test('each request is printed in a line, without secrets', async () => {
	const { child, firstOutput, output, code } = spawnCommand(['--port', '0']);
	const url = /http:\/\/[\d.:]+/.exec(await firstOutput)?.[0] ?? '';
	await fetch(`${url}/api/v1/health`);
	await fetch(`${url}/v1/dossiers?q=x`, { headers: { Authorization: 'Bearer sk_live_secret' } });
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	const lines = (await output).split('Press Ctrl-C to stop.\n')[1] ?? '';
	expect(lines).toMatch(
		/^[\d:]{8} {2}GET \/api\/v1\/health {2}200 {2}[\d.]+ ms\n[\d:]{8} {2}GET \/v1\/dossiers\?q=x {2}401 INVALID_API_KEY {2}[\d.]+ ms\n$/,
	);
});

test('--quiet makes it print nothing about requests', async () => {
	const { child, firstOutput, output, code } = spawnCommand(['--port', '0', '--quiet']);
	const url = /http:\/\/[\d.:]+/.exec(await firstOutput)?.[0] ?? '';
	await fetch(`${url}/api/v1/health`);
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	expect(await output).toMatch(/Press Ctrl-C to stop\.\n$/);
});
