import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createSandbox } from '../src/index.mts';
import { spawnCommand, spawnSandbox, withoutCapabilities } from './child.mts';
import { connect, findOrganization } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { dataDir: folder, openSandbox, withDatabase } = useSandbox({ isManual: true });

const main = resolve(__dirname, '../src/main.mts');

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
])('createSandbox refuses %j with a sentence', async (options, sentence) => {
	await expect(createSandbox(options)).rejects.toThrow(sentence);
});

test('a closed sandbox refuses a call and says that it is closed', async () => {
	const sandbox = await openSandbox();
	await sandbox.close();
	await expect(sandbox.journal.list()).rejects.toThrow('The sandbox is closed.');
});

test('only the owner can read the files of the command', async () => {
	const dataDir = join(folder, 'data');
	await spawnSandbox(['--data', dataDir]);
	expect(statSync(dataDir).mode & 0o777).toBe(0o700);
	const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
		(name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
	);
	expect(open).toEqual([]);
	expect(existsSync(join(dataDir, 'service.db'))).toBe(true);
});

test('a start removes the temporary folder of a killed process, but not that of another machine', async () => {
	const { pid } = spawnSync(process.execPath, ['--version']);
	const left = join(tmpdir(), `dossier-sandbox-${hostname()}-${pid}-x`);
	const elsewhere = join(tmpdir(), `dossier-sandbox-elsewhere-${pid}-x`);
	for (const one of [left, elsewhere]) mkdirSync(one);
	const running = await openSandbox();
	await openSandbox();
	expect([existsSync(left), existsSync(elsewhere)]).toEqual([false, true]);
	expect(await running.journal.list()).toEqual([]);
	rmSync(elsewhere, { recursive: true });
});

test('a start succeeds even if it cannot remove an old temporary folder', async () => {
	const place = join(folder, 'temporary');
	const { pid } = spawnSync(process.execPath, ['--version']);
	const left = join(place, `dossier-sandbox-${hostname()}-${pid}-x`);
	mkdirSync(left, { recursive: true });
	writeFileSync(join(left, 'file'), '');
	chmodSync(left, 0o555);
	const options = { env: { TMPDIR: place }, under: withoutCapabilities };
	const { info, child, code } = await spawnSandbox([], options);
	child.kill();
	await code;
	expect(info.url).toMatch(/^http:/);
	expect(readdirSync(left)).toEqual(['file']);
	chmodSync(left, 0o755);
});

test('the sandbox refuses an older Node.js with one sentence', () => {
	const older = `Object.defineProperty(process, 'versions', {value: {...process.versions, node: '20.19.0'}})`;
	const preload = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
	const run = (...args: string[]) =>
		spawnSync(process.execPath, [...preload, ...args], { encoding: 'utf8' });
	const sentence = 'The sandbox needs Node.js 22.16 or newer. This is Node.js 20.19.0.';
	expect(run(main)).toMatchObject({ status: 1, stderr: `${sentence}\n` });
	const load = `import(${JSON.stringify(main.replace('main.mts', 'index.mts'))})`;
	expect(run('--eval', load)).toMatchObject({
		status: 1,
		stderr: expect.stringContaining(`Error: ${sentence}`),
	});
});

const seed = {
	organizations: [{ name: 'Business Organization', live: { dossiers: [{ title: 'Kept' }] } }],
};

/** The content of every file below the folder, by its path. */
function readAll(): Record<string, string> {
	const names = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	return Object.fromEntries(names.map((name) => [name, readFileSync(name, 'latin1')]));
}

/** Starts the command with a data folder, run by a program of util-linux. Expects it to fail, and gives its error output. */
async function readStartError(dataDir: string, under: string[]): Promise<string> {
	const { code, errorOutput } = spawnCommand(['--port', '0', '--data', dataDir], { under });
	expect(await code).toBe(1);
	return await errorOutput;
}

/** Expects a start in this process to be refused with a sentence. */
async function expectRefused(dataDir: string, sentence: string): Promise<void> {
	const refusal = new Error(`The data folder ${dataDir} ${sentence}`);
	await expect(openSandbox({ dataDir })).rejects.toEqual(refusal);
}

const hasForeignFiles = 'has files of another program. Choose another folder with --data.';

test.each<[string, () => void, string]>([
	[
		'files of another program',
		() => writeFileSync(join(folder, 'notes.txt'), 'mine'),
		hasForeignFiles,
	],
	[
		'a service.db that is not a database',
		() => writeFileSync(join(folder, 'service.db'), 'mine'),
		hasForeignFiles,
	],
	[
		'a database of another program',
		() => withDatabase((database) => database.exec('CREATE TABLE mine (a)')),
		hasForeignFiles,
	],
])('a start refuses a folder with %s, and leaves it as it is', async (_name, prepare, sentence) => {
	prepare();
	const before = readAll();
	await expectRefused(folder, sentence);
	expect(readAll()).toEqual(before);
});

test.each([
	[
		'a newer',
		1,
		'was written by a newer sandbox. Update this one, or choose another folder with --data.',
	],
	[
		'an older',
		-1,
		'was written by an older sandbox, whose data this one cannot read. Choose another folder with --data.',
	],
])(
	'a start refuses a folder of %s version, and loses nothing in it',
	async (_name, step, sentence) => {
		const sandbox = await openSandbox({ dataDir: folder });
		await sandbox.close();
		const version = withDatabase((database) => {
			const known = Number(database.prepare('PRAGMA user_version').get()?.user_version);
			database.exec(`PRAGMA user_version = ${known + step}`);
			return known;
		});
		await expectRefused(folder, sentence);
		withDatabase((database) => database.exec(`PRAGMA user_version = ${version}`));
		const mended = await openSandbox({ dataDir: folder });
		expect(mended.organizations).toEqual(sandbox.organizations);
	},
);

test('a start refuses a file instead of a folder in a sentence', async () => {
	const file = join(folder, 'file');
	writeFileSync(file, 'mine');
	await expectRefused(file, 'is a file. Choose another folder with --data.');
	expect(readFileSync(file, 'utf8')).toBe('mine');
});

test.each([
	['/proc/nothing', 'ENOENT'],
	['/proc/nothing/below/it', 'ENOENT'],
	['/etc/passwd/below/it', 'ENOTDIR'],
])('a start refuses a folder that it cannot create, %s, in a sentence', async (path, code) => {
	await expectRefused(path, `cannot be created (${code}). Choose another folder with --data.`);
});

test('a start creates a folder with the folders above it', async () => {
	const dataDir = join(folder, 'above', 'data');
	await openSandbox({ dataDir });
	expect(readdirSync(dataDir)).toContain('service.db');
});

test('a start refuses a read-only folder in a sentence, whether it has data or not', async () => {
	const data = join(folder, 'data');
	const sandbox = await openSandbox({ dataDir: data });
	await sandbox.close();
	for (const dataDir of [data, folder, join(folder, 'missing')]) {
		chmodSync(data, 0o555);
		chmodSync(join(data, 'service.db'), 0o444);
		chmodSync(folder, 0o555);
		const before = readAll();
		expect(await readStartError(dataDir, withoutCapabilities)).toMatch(
			/^The data folder .* (cannot be written to|has files of another program).*\n$/,
		);
		chmodSync(folder, 0o755);
		chmodSync(data, 0o755);
		expect(readAll()).toEqual(before);
	}
	const mended = await openSandbox({ dataDir: data });
	expect(mended.organizations).toEqual(sandbox.organizations);
});

test('a start on a full disk fails with a sentence, and loses nothing', async () => {
	const sandbox = await openSandbox({ dataDir: folder, seed });
	const { organizations } = sandbox;
	await sandbox.close();
	const fresh = join(folder, '..', `${basename(folder)}-fresh`);
	for (const dataDir of [folder, fresh]) {
		expect(await readStartError(dataDir, ['prlimit', '--fsize=0'])).toBe(
			`The disk of the data folder ${dataDir} is full (SQLITE_IOERR). Make room there.\n`,
		);
	}
	const mended = await openSandbox({ dataDir: folder });
	expect(mended.organizations).toEqual(organizations);
	const client = connect(mended, findOrganization(mended, 'business'));
	expect((await client.get('/dossiers')).data.data).toMatchObject([{ title: 'Kept' }]);
	expect((await openSandbox({ dataDir: fresh })).isFirstStart).toBe(true);
	rmSync(fresh, { recursive: true });
});
