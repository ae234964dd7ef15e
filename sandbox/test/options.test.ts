import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSandbox } from '../src/index.ts';
import { spawnSandbox, withoutPower } from './child.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir: folder, openSandbox } = useSandbox({ isManual: true });

const main = resolve(__dirname, '../src/main.ts');

test.each<[object, string]>([
	[{ prot: 1 }, 'The option prot does not exist. There are port, '],
	[
		{ profile: 'nope' },
		'The profile nope does not exist. There are default, given-only, alternate.',
	],
	[{ port: 70_000 }, 'port cannot be 70000. Give a whole number from 0 to 65535.'],
	[{ port: '80' }, 'port cannot be 80. Give a whole number'],
	[{ environment: 'test' }, 'environment cannot be test. Give production or sandbox.'],
	[{ keys: 'none' }, 'keys cannot be none. Give random or well-known.'],
	[{ control: 'all' }, 'control cannot be all. Give loopback or anywhere.'],
	[{ controlHosts: ['http://sandbox'] }, 'controlHosts cannot be http://sandbox. Give a name'],
	[{ corsOrigins: ['portal.example'] }, 'corsOrigins cannot be portal.example. Give an origin'],
	[{ corsOrigins: '*' }, 'corsOrigins cannot be *. Give a list.'],
	[{ baseUrl: 'sandbox' }, 'baseUrl cannot be sandbox. Give an address'],
	[{ rateLimits: 'none' }, 'rateLimits cannot be none. Give plan, off, or both'],
	[{ rateLimits: { perMinute: 1 } }, 'Give plan, off, or both perMinute and perHour.'],
	[{ maxFileBytes: -1 }, 'maxFileBytes cannot be -1.'],
	[{ onRequest: 1 }, 'onRequest cannot be 1. Give a function.'],
	[{ strict: 'maybe' }, 'strict cannot be maybe. Give true or false.'],
	[{ switches: { put: 'no' } }, 'The switch put cannot be "no".'],
	[{ dialect: { lists: {} } }, '`lists` is not known in a dialect.'],
])('createSandbox refuses %j with a sentence', async (options, sentence) => {
	await expect(createSandbox(options)).rejects.toThrow(sentence);
});

test('a sandbox that is closed says so', async () => {
	const sandbox = await openSandbox();
	await sandbox.close();
	await expect(sandbox.journal.list()).rejects.toThrow('The sandbox is closed.');
});

test('what the command stores is for its owner only', async () => {
	const dataDir = join(folder, 'data');
	await spawnSandbox(['--data', dataDir]);
	expect(statSync(dataDir).mode & 0o777).toBe(0o700);
	const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
		(name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
	);
	expect(open).toEqual([]);
	expect(existsSync(join(dataDir, 'service.db'))).toBe(true);
});

test('a temporary folder of a killed process is removed at the next start, that of another machine stays', async () => {
	const { pid } = spawnSync(process.execPath, ['--version']);
	const left = join(tmpdir(), `dossier-sandbox-${hostname()}-${pid}-x`);
	const foreign = join(tmpdir(), `dossier-sandbox-elsewhere-${pid}-x`);
	for (const one of [left, foreign]) mkdirSync(one);
	const running = await openSandbox();
	await openSandbox();
	expect([existsSync(left), existsSync(foreign)]).toEqual([false, true]);
	expect(await running.journal.list()).toEqual([]);
	rmSync(foreign, { recursive: true });
});

test('a temporary folder that cannot be removed does not hinder a start', async () => {
	const place = join(folder, 'temporary');
	const { pid } = spawnSync(process.execPath, ['--version']);
	const left = join(place, `dossier-sandbox-${hostname()}-${pid}-x`);
	mkdirSync(left, { recursive: true });
	writeFileSync(join(left, 'file'), '');
	chmodSync(left, 0o555);
	const options = { env: { TMPDIR: place }, under: withoutPower };
	const { info, child, code } = await spawnSandbox([], options);
	child.kill();
	await code;
	expect(info.url).toMatch(/^http:/);
	expect(readdirSync(left)).toEqual(['file']);
	chmodSync(left, 0o755);
});

test('an older Node.js is refused with one sentence', () => {
	const older = `Object.defineProperty(process, 'versions', {value: {...process.versions, node: '20.19.0'}})`;
	const preload = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
	const run = (...args: string[]) =>
		spawnSync(process.execPath, [...preload, ...args], { encoding: 'utf8' });
	const sentence = 'The sandbox needs Node.js 22.16 or newer. This is Node.js 20.19.0.';
	expect(run(main)).toMatchObject({ status: 1, stderr: `${sentence}\n` });
	const load = `import(${JSON.stringify(main.replace('main.ts', 'index.ts'))})`;
	expect(run('--eval', load)).toMatchObject({
		status: 1,
		stderr: expect.stringContaining(`Error: ${sentence}`),
	});
});
