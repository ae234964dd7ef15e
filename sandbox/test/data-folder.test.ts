import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { connect, findOrganization } from './clients.ts';
import { spawnCommand, withoutPower } from './child.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir: folder, openSandbox, withDatabase } = useSandbox({ isManual: true });

const seed = {
	organizations: [{ name: 'Business Organization', live: { dossiers: [{ title: 'Kept' }] } }],
};

/** Every file below the folder with its content. */
function readAll(): Record<string, string> {
	const names = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	return Object.fromEntries(names.map((name) => [name, readFileSync(name, 'latin1')]));
}

/** Starts the command with a folder under a program of util-linux, and gives what it complains about. */
async function start(dataDir: string, under: string[]): Promise<string> {
	const { code, complaint } = spawnCommand(['--port', '0', '--data', dataDir], { under });
	expect(await code).toBe(1);
	return await complaint;
}

/** Expects a start in this process to be refused with a sentence. */
async function expectRefused(dataDir: string, sentence: string): Promise<void> {
	const refusal = new Error(`The data folder ${dataDir} ${sentence}`);
	await expect(openSandbox({ dataDir })).rejects.toEqual(refusal);
}

const foreign = 'has files of another program. Choose another folder with --data.';

test.each<[string, () => void, string]>([
	['files of another program', () => writeFileSync(join(folder, 'notes.txt'), 'mine'), foreign],
	[
		'a service.db that is not a database',
		() => writeFileSync(join(folder, 'service.db'), 'mine'),
		foreign,
	],
	[
		'a database of another program',
		() => withDatabase((database) => database.exec('CREATE TABLE mine (a)')),
		foreign,
	],
])('a folder with %s is refused and left as it is', async (_name, prepare, sentence) => {
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
	'a folder of %s version is refused, and nothing in it is lost',
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

test('a file instead of a folder is refused in a sentence', async () => {
	const file = join(folder, 'file');
	writeFileSync(file, 'mine');
	await expectRefused(file, 'is a file. Choose another folder with --data.');
	expect(readFileSync(file, 'utf8')).toBe('mine');
});

test.each([
	['/proc/nothing', 'ENOENT'],
	['/proc/nothing/below/it', 'ENOENT'],
	['/etc/passwd/below/it', 'ENOTDIR'],
])('a folder that cannot be created, %s, is refused in a sentence', async (path, code) => {
	await expectRefused(path, `cannot be created (${code}). Choose another folder with --data.`);
});

test('a folder is created with the folders above it', async () => {
	const dataDir = join(folder, 'above', 'data');
	await openSandbox({ dataDir });
	expect(readdirSync(dataDir)).toContain('service.db');
});

test('a folder that is read-only is refused in a sentence, whether it has data or not', async () => {
	const data = join(folder, 'data');
	const sandbox = await openSandbox({ dataDir: data });
	await sandbox.close();
	for (const dataDir of [data, folder, join(folder, 'missing')]) {
		chmodSync(data, 0o555);
		chmodSync(join(data, 'service.db'), 0o444);
		chmodSync(folder, 0o555);
		const before = readAll();
		expect(await start(dataDir, withoutPower)).toMatch(
			/^The data folder .* (cannot be written to|has files of another program).*\n$/,
		);
		chmodSync(folder, 0o755);
		chmodSync(data, 0o755);
		expect(readAll()).toEqual(before);
	}
	const mended = await openSandbox({ dataDir: data });
	expect(mended.organizations).toEqual(sandbox.organizations);
});

test('a start on a full disk is refused in a sentence, and loses nothing', async () => {
	const sandbox = await openSandbox({ dataDir: folder, seed });
	const { organizations } = sandbox;
	await sandbox.close();
	const fresh = join(folder, '..', `${basename(folder)}-fresh`);
	for (const dataDir of [folder, fresh]) {
		expect(await start(dataDir, ['prlimit', '--fsize=0'])).toBe(
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
