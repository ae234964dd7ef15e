/** The tarball that npm would publish. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { extract } from 'tar';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';
import { packPackage } from '../../scripts/process/packedPackage.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';

const { lifecycle, close } = openLifecycle();
const root = join(__dirname, '../..');

let folder: string;
/** The files of the tarball by their paths. */
const files = new Map<string, string>();

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dossier-packed-'));
	const tarball = await packPackage(lifecycle, await findToolchain(root), root, folder);
	await extract({ file: tarball, cwd: folder, strip: 1, filter: (path) => !path.endsWith('/') });
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	for (const entry of entries) {
		const path = join(entry.parentPath, entry.name);
		if (!entry.isFile() || entry.name === basename(tarball)) continue;
		files.set(relative(folder, path), await readFile(path, 'utf8'));
	}
});

afterAll(async () => {
	await close();
	await rm(folder, { recursive: true, force: true });
});

const paths = () => [...files.keys()];
const containing = (words: RegExp) =>
	[...files].filter(([, text]) => words.test(text)).map(([path]) => path);

it('The tarball has everything that was built, and besides only what npm adds', async () => {
	const built = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
	const dist = built
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)));
	expect(paths().sort()).toEqual([...dist, 'LICENSE', 'README.md', 'package.json'].sort());
	expect(paths()).toEqual(
		expect.arrayContaining([
			'dist/credentials/DossierApi.credentials.js',
			'dist/icons/dossier.svg',
			'dist/nodes/Dossier/Dossier.node.js',
			'dist/nodes/Dossier/DossierPollTrigger.node.json',
			'dist/nodes/Dossier/__schema__/v1.0.0/document/upload.json',
		]),
	);
	expect(
		paths().filter((path) =>
			/\b(tests?|sandbox|scripts|bench|examples|hosts)\b|\.(test|spec)\./.test(path),
		),
	).toEqual([]);
});

it('The files of the tarball refer to nothing outside of it', () => {
	expect(containing(/sourceMappingURL/)).toEqual([]);
	const here = [root, homedir(), tmpdir()].map((place) => `${place}/`);
	const built = [...files].filter(([path]) => path.startsWith('dist/'));
	expect(built.filter(([, text]) => here.some((place) => text.includes(place)))).toEqual([]);
	const required = [...files].flatMap(([path, text]) =>
		[...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => ({ path, name })),
	);
	const given = ['n8n-workflow', 'crypto'];
	expect(required.filter(({ name }) => !name.startsWith('.') && !given.includes(name))).toEqual([]);
	const missing = required.filter(({ path, name }) => {
		if (!name.startsWith('.')) return false;
		const place = join(path, '..', name);
		return !files.has(`${place}.js`) && !files.has(join(place, 'index.js'));
	});
	expect(missing).toEqual([]);
});
