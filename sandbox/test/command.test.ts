import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../src/index.ts';
import { killAll, start, started } from './child.ts';
import { clientOf } from './client.ts';

afterEach(killAll);

test('prints where it is and its keys, and ends cleanly when told to', async () => {
	const { child, code, firstOutput, output } = start(['--port', '0']);
	await firstOutput;
	child.kill('SIGTERM');
	expect(await code).toBe(0);
	expect(await output).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\/v1/);
	expect(await output).toMatch(
		/plan enterprise[^]*sk_live_[^]*sk_test_[^]*plan business[^]*sk_live_/,
	);
});

test('with --json prints one line of JSON', async () => {
	const { child, code, info, output } = await started(['--environment', 'sandbox']);
	expect(info).toMatchObject({ environment: 'sandbox', base_url: `${info.url}/v1` });
	const [enterprise, business] = info.organizations;
	expect((await clientOf(info, enterprise).get('/dossiers')).status).toBe(200);
	expect((await clientOf(info, business).get('/dossiers')).status).toBe(403);
	child.kill('SIGINT');
	expect(await code).toBe(0);
	expect(await output).toMatch(/^\{[^\n]+\}\n$/);
});

test('answers as its profile and single switches say, and limits rates', async () => {
	const { info } = await started(['--profile', 'alternate', '--set', 'successEnvelope=bare']);
	const client = clientOf(info, info.organizations[1]);
	const made = await client.post('/dossiers', { title: 'a' });
	expect(made.data.id).toMatch(/^dos\/.*\/\.\.\//);
	expect(made.headers['x-ratelimit-remaining']).toBe('99');
	expect(Object.keys((await client.get('/dossiers')).data)).toEqual(['data', 'next_cursor']);
});

test('names its switches', async () => {
	const { output } = start(['--list-switches']);
	expect(await output).toMatch(/put +A-16 +replaces \| merges/);
});

test('shows the same keys after a restart with --data', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'command-test-'));
	try {
		const first = await started(['--data', dataDir]);
		first.child.kill('SIGTERM');
		await first.code;
		const second = await started(['--data', dataDir]);
		expect(second.info.organizations).toEqual(first.info.organizations);
		second.child.kill('SIGTERM');
		await second.code;
	} finally {
		rmSync(dataDir, { recursive: true });
	}
});

test('ends when its parent is gone', async () => {
	const { child, code } = await started([], 'ipc');
	child.disconnect();
	expect(await code).toBe(0);
});

test('says in one sentence what to do about a port that is in use', async () => {
	const other = await createSandbox();
	try {
		const { port } = new URL(other.url);
		const { code, complaint } = start(['--port', port]);
		expect(await code).toBe(1);
		expect(await complaint).toBe(
			`Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 takes any that is free).\n`,
		);
	} finally {
		await other.close();
	}
});

test.each([
	['--port', 'x'],
	['--environment', 'test'],
	['--unknown', ''],
	['--profile', 'other'],
	['--set', 'put=other'],
	['--set', 'other=merges'],
	['--set', 'put'],
	['--rate-limits', 'some'],
	['--control', 'everywhere'],
])('refuses %s %s in one sentence', async (...args) => {
	const { code, complaint } = start(args);
	expect(await code).toBe(1);
	expect(await complaint).toMatch(/^[^\n]+\n$/);
});

test('explains itself', async () => {
	const { code, output } = start(['--help']);
	expect(await code).toBe(0);
	for (const option of [
		'--port',
		'--host',
		'--data',
		'--environment',
		'--profile',
		'--set',
		'--json',
	]) {
		expect(await output).toContain(option);
	}
});
