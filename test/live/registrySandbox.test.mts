/** The sandbox as users get it: published to a registry, installed from it in an empty folder, started there by one command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';
import type { SeededOrganization } from '../../sandbox/src/index.mts';
import { openRegistry } from './registry.mts';
import type { Registry } from './registry.mts';

const INSTALL_MS = 900_000;

let folder: string;
let registry: Registry;
let tarball: string;
let empty: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dossier-registry-'));
	empty = join(folder, 'empty');
	await mkdir(empty);
	registry = await openRegistry(folder);
	tarball = await registry.release('publish-sandbox.yml');
	await writeFile(join(empty, 'package.json'), '{}');
	// That registry has this package alone; its dependencies come from the usual one.
	const fetched = await registry.npm(empty, [
		'pack',
		'dossier-sandbox',
		'--quiet',
		`--registry=${registry.url}`,
	]);
	await registry.npm(empty, ['install', `./${fetched.trim()}`]);
}, INSTALL_MS);

afterAll(async () => {
	await registry?.close();
	await rm(folder, { recursive: true, force: true });
});

it('needs few packages, and is installed with only what the tarball holds', async () => {
	const packed = join(folder, 'packed');
	await mkdir(packed);
	await extract({ file: tarball, cwd: packed, strip: 1 });
	const list = async (place: string) => (await readdir(place, { recursive: true })).sort();
	expect(await list(join(empty, 'node_modules/dossier-sandbox'))).toEqual(await list(packed));
	const tree = await readFile(join(empty, 'node_modules/.package-lock.json'), 'utf8');
	const { packages }: { packages: object } = JSON.parse(tree);
	expect(Object.keys(packages).length).toBeLessThan(25);
});

it('starts by one command, with data and keys that work', async () => {
	const command = join(empty, 'node_modules/.bin/dossier-sandbox');
	const child = spawn(process.execPath, [command, '--port', '0', '--json', '--examples'], {
		cwd: empty,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const [line] = await once(child.stdout, 'data');
		const started: { url: string; organizations: SeededOrganization[] } = JSON.parse(String(line));
		const [{ id, testKey } = { id: '', testKey: '' }] = started.organizations;
		const headers = { Authorization: `Bearer ${testKey}`, 'X-Organization-ID': id };
		const answer = await fetch(`${started.url}/v1/dossiers`, { headers });
		expect(await answer.json()).toMatchObject({ pagination: { total: 10 } });
	} finally {
		child.kill('SIGKILL');
	}
});
