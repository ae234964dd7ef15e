import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = resolve(__dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'dossier-package-'));
const unpacked = join(place, 'package');
const tarball = () => join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '');

beforeAll(() => {
	execFileSync(process.execPath, [join(folder, 'build.ts')]);
	const options = ['pack', '--ignore-scripts', '--pack-destination', place];
	execFileSync('npm', options, { cwd: folder, stdio: 'ignore' });
	execFileSync('tar', ['-xzf', tarball(), '-C', place]);
	// The dependencies are those of the repository, everything else is from the tarball.
	symlinkSync(resolve(folder, '../node_modules'), join(place, 'node_modules'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const manifest = () => JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));

test('the package is small, and holds its licence and no source', () => {
	expect(statSync(tarball()).size).toBeLessThan(400_000);
	const names = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
	expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
	expect(names.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
});

test('the package declares everything that it imports', () => {
	const names = readdirSync(join(unpacked, 'dist'), { recursive: true, encoding: 'utf8' });
	const sources = names.filter((name) => name.endsWith('.js') && !name.endsWith('page.js'));
	expect(sources.length).toBeGreaterThan(100);
	const imported = new Set<string>();
	for (const name of sources) {
		const source = readFileSync(join(unpacked, 'dist', name), 'utf8');
		for (const [, from = ''] of source.matchAll(/^(?:import|export) .*?from ['"]([^'"]+)['"]/gm)) {
			if (!from.startsWith('.')) imported.add(/^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? '');
		}
	}
	const known = [...Object.keys(manifest().dependencies), ...builtinModules];
	const foreign = [...imported].filter((name) => !known.includes(name.replace(/^node:/, '')));
	expect(foreign.filter((name) => name !== 'node:sqlite')).toEqual([]);
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
		for (const path of ['/', '/reference', '/page.css', '/api/assumptions']) {
			expect([path, (await fetch(`${url}/_sandbox${path}`)).status]).toEqual([path, 200]);
		}
	} finally {
		child.kill('SIGKILL');
	}
});

test('the package exports its types beside its code', () => {
	const { types, default: code } = manifest().exports['.'];
	expect(readFileSync(join(unpacked, code), 'utf8')).toContain('createSandbox');
	const declaration = readFileSync(join(unpacked, types), 'utf8');
	expect(declaration).toContain('export interface SandboxOptions');
	const names = readdirSync(join(unpacked, 'dist'), { recursive: true, encoding: 'utf8' });
	for (const name of names.filter((one) => one.endsWith('.d.ts'))) {
		const text = readFileSync(join(unpacked, 'dist', name), 'utf8');
		expect([name, /(from |import\()['"]\.[^'"]*\.ts['"]/.exec(text)]).toEqual([name, null]);
	}
});

test.each([
	['publint', ['run', '--strict']],
	// CommonJS programs load it with import() or require(), which Node.js has for modules since 22.12.
	['attw', ['--profile', 'esm-only']],
])(
	'%s finds nothing wrong with the tarball',
	(program, options) => {
		const command = resolve(folder, '../node_modules/.bin', program);
		const { status, stdout } = spawnSync(command, [...options, tarball()], { encoding: 'utf8' });
		expect([stdout, status]).toEqual([expect.stringContaining('dossier-sandbox'), 0]);
	},
	60_000,
);

test('the package has the JSON Schema of seed files', () => {
	const schema = JSON.parse(readFileSync(join(unpacked, 'dist/seed.schema.json'), 'utf8'));
	expect(Object.keys(schema.$defs)).toEqual(
		expect.arrayContaining(['SeedOrganization', 'Category']),
	);
});
