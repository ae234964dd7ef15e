import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The sources of the package. */
const folder = resolve(__dirname, '..');
/** A project that has the package installed. */
const place = mkdtempSync(join(tmpdir(), 'dossier-package-'));
const modules = join(place, 'node_modules');
const unpacked = join(modules, 'dossier-sandbox');
const tarball = () => join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '');

beforeAll(() => {
	execFileSync(process.execPath, [join(folder, 'build.mts')]);
	const options = ['pack', '--ignore-scripts', '--pack-destination', place];
	execFileSync('npm', options, { cwd: folder, stdio: 'ignore' });
	// The dependencies are those of the repository, the package is from the tarball.
	mkdirSync(unpacked, { recursive: true });
	execFileSync('tar', ['-xzf', tarball(), '-C', unpacked, '--strip-components=1']);
	const installed = resolve(folder, '../node_modules');
	for (const name of readdirSync(installed).filter((one) => one !== 'dossier-sandbox'))
		symlinkSync(join(installed, name), join(modules, name));
	symlinkSync(join(folder, 'node_modules'), join(unpacked, 'node_modules'));
}, 300_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const manifest = () => JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));

test('the package is small, and holds its license and no source', () => {
	expect(statSync(tarball()).size).toBeLessThan(400_000);
	expect(readdirSync(unpacked)).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
	const names = readdirSync(join(unpacked, 'dist'), { recursive: true, encoding: 'utf8' });
	expect(names.filter((name) => /\.[cm]?ts$/.test(name) && !name.endsWith('.d.cts'))).toEqual([]);
});

test('the package declares everything that it imports', () => {
	const names = readdirSync(join(unpacked, 'dist'), { recursive: true, encoding: 'utf8' });
	const sources = names.filter((name) => name.endsWith('.js') && !name.endsWith('page.js'));
	expect(sources.length).toBeGreaterThan(100);
	const imported = new Set<string>();
	for (const name of sources) {
		const source = readFileSync(join(unpacked, 'dist', name), 'utf8');
		for (const [, from = ''] of source.matchAll(/\brequire\("([^"]+)"\)/g)) {
			if (!from.startsWith('.')) imported.add(/^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? '');
		}
	}
	const known = [...Object.keys(manifest().dependencies), ...builtinModules];
	const undeclared = [...imported].filter((name) => !known.includes(name.replace(/^node:/, '')));
	expect(undeclared.filter((name) => name !== 'node:sqlite')).toEqual([]);
	expect(Object.keys(manifest().dependencies).filter((name) => !imported.has(name))).toEqual([]);
});

test('the command of the package answers requests, and has its pages and its explanations', async () => {
	const main = join(unpacked, manifest().bin['dossier-sandbox']);
	const child = spawn(process.execPath, [main, '--port', '0', '--json'], { cwd: place });
	try {
		const [line] = await once(child.stdout, 'data');
		const { url, organizations } = JSON.parse(String(line));
		const [{ id, liveKey }] = organizations;
		const headers = { Authorization: `Bearer ${liveKey}`, 'X-Organization-ID': id };
		expect((await fetch(`${url}/v1/dossiers`, { headers })).status).toBe(200);
		for (const path of ['/', '/faults', '/page.css', '/controls']) {
			expect([path, (await fetch(`${url}/_sandbox${path}`)).status]).toEqual([path, 200]);
		}
	} finally {
		child.kill('SIGKILL');
	}
});

test('the command of the package prints its version', () => {
	const main = join(unpacked, manifest().bin['dossier-sandbox']);
	const { stdout } = spawnSync(process.execPath, [main, '--version'], { encoding: 'utf8' });
	expect(stdout).toBe(`${manifest().version}\n`);
});

test.each([
	['publint', ['run', '--strict']],
	['attw', []],
])(
	'%s finds nothing wrong with the tarball',
	(program, options) => {
		const command = join(modules, '.bin', program);
		const { status, stdout } = spawnSync(command, [...options, tarball()], { encoding: 'utf8' });
		expect([stdout, status]).toEqual([expect.stringContaining('dossier-sandbox'), 0]);
	},
	60_000,
);

test('the types of the package need only its dependencies, for import and for require', () => {
	const files = ['typed.cts', 'typed.mts'].map((name) => join(place, name));
	for (const file of files) {
		writeFileSync(
			file,
			`import { createSandbox, type paths } from 'dossier-sandbox';
			export const key = async (): Promise<string> =>
				(await (await createSandbox({ port: 0 })).createOrganization()).liveKey;
			export type Lists = paths['/v1/dossiers']['get'];`,
		);
	}
	const compilerOptions = {
		strict: true,
		noEmit: true,
		module: 'nodenext',
		lib: ['es2023', 'dom'],
		types: [],
	};
	writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
	const command = join(modules, '.bin/tsc');
	const { stdout, status } = spawnSync(command, ['-p', place], { encoding: 'utf8' });
	expect([stdout, status]).toEqual(['', 0]);
}, 120_000);

const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const examples = new Map(
	[...readme.matchAll(/`([\w.]+\.m?js)`(?:, for| has|:)[^]*?```js\n([^]*?)```/g)].map(
		([, name = '', text = '']) => [name, text],
	),
);
// The README gives the Vitest example as two lines that replace the first line of the Jest example.
const [, jestTest = ''] = /^.*\n([^]*)$/.exec(examples.get('dossier.test.js') ?? '') ?? [];
examples.set('dossier.spec.mjs', `${examples.get('dossier.spec.mjs')}${jestTest}`);

test('the README has an example for each of three test runners', () => {
	expect([...examples.keys()]).toEqual(['dossier.test.js', 'dossier.spec.mjs', 'dossier.mjs']);
});

// A busy machine may take longer than the runners wait by default.
test.each([
	['dossier.test.js', ['jest/bin/jest.js', '--rootDir=.', '--testTimeout=60000']],
	[
		'dossier.spec.mjs',
		['vitest/vitest.mjs', 'run', '--root=.', '--testTimeout=60000', '--hookTimeout=60000'],
	],
	['dossier.mjs', ['--test', 'dossier.mjs']],
])(
	'the example %s of the README passes as it is printed',
	(name, [program = '', ...options]) => {
		const text = examples.get(name) ?? '';
		const project = join(place, `of-${name}`);
		mkdirSync(project);
		writeFileSync(join(project, 'package.json'), '{}');
		writeFileSync(join(project, name), text);
		const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, JEST_WORKER_ID: ___, ...env } = process.env;
		const command = program.startsWith('--') ? program : join(modules, program);
		const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...options], {
			cwd: project,
			env,
			encoding: 'utf8',
		});
		expect([stdout + stderr, status]).toEqual([expect.stringMatching(/1 passed|pass 1/), 0]);
	},
	180_000,
);

test('the package has the JSON Schema of seed files', () => {
	const schema = JSON.parse(readFileSync(join(unpacked, 'dist/seed.schema.json'), 'utf8'));
	const { live } = schema.properties.organizations.items.properties;
	const { documents } = live.properties.dossiers.items.properties;
	expect(documents.items.properties.category.pattern).toBe('^[a-z][a-z0-9_]*$');
});
