import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { extract } from 'tar';
import { checkPack } from '../../../scripts/process/checkPack.mts';

// Each test starts npm.
jest.setTimeout(60_000);

const NODE = 'dist/nodes/Dossier/Dossier.node.js';
const whole = {
	'package.json': JSON.stringify({
		name: 'n8n-nodes-planted',
		version: '1.0.0',
		files: ['dist'],
		author: { name: 'Jane Doe', email: 'jane@doe.org' },
		n8n: { nodes: [NODE], credentials: [] },
	}),
	LICENSE: 'MIT',
	'README.md': 'Planted',
	'dist/icons/dossier.svg': '<svg/>',
	[NODE]: 'exports.Dossier = class {};',
};

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** A package with these files; those that are undefined are absent. */
function plant(files: Record<string, string | undefined>): string {
	const folder = mkdtempSync(join(tmpdir(), 'dossier-check-pack-'));
	folders.push(folder);
	for (const [path, text] of Object.entries({ ...whole, ...files })) {
		if (text === undefined) continue;
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	return folder;
}

const check = (files: Record<string, string | undefined>) => checkPack(plant(files));

it('A whole package has no problem', () => {
	expect(check({})).toEqual([]);
});

it('A package that was not built is refused, and one with more than n8n reads', () => {
	expect(check({ [NODE]: undefined, 'dist/notes.txt': 'x' })).toEqual([
		`${NODE} is missing`,
		'dist/notes.txt does not belong there',
	]);
});

it('A sandbox that was not built is refused', () => {
	const manifest = { name: 'planted', version: '1.0.0', bin: { planted: 'dist/main.js' } };
	expect(check({ 'package.json': JSON.stringify(manifest), 'dist/main.ts': '' })).toEqual([
		'dist/contract/openapi.yaml is missing',
		'dist/docs/contract.md is missing',
		'dist/seed.schema.json is missing',
		'dist/main.js is missing',
		'dist/main.ts does not belong there',
	]);
});

it('A package that is too large is refused', () => {
	const noise = Array.from({ length: 60_000 }, () => Math.random()).join();
	expect(check({ 'dist/dossier.js': noise })).toEqual([
		expect.stringMatching(/^It is \d+ bytes, more than 250000$/),
	]);
});

it('A placeholder is refused by its name', () => {
	const link = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier#readme';
	expect(check({ 'README.md': link, LICENSE: 'n8n-nodes-dossier maintainers' })).toEqual([
		'LICENSE has the placeholder n8n-nodes-dossier maintainers',
		'README.md has the placeholder n8n-nodes-dossier/n8n-nodes-dossier',
	]);
});

it('A page that is untrue after the release is refused', () => {
	const text = 'Until the first release, the package is not in the registry.';
	expect(check({ 'README.md': text })).toEqual([
		'README.md still says "Until the first release"',
		'README.md still says "not in the registry"',
	]);
});

it('The packed README has absolute links, and the one in the checkout stays as it is', async () => {
	const scripts = join(__dirname, '../../../scripts');
	const manifest = {
		...(JSON.parse(whole['package.json']) as object),
		repository: { type: 'git', url: 'git+https://github.com/jane/planted.git' },
		scripts: {
			prepack: `node ${join(scripts, 'prepack.mts')}`,
			postpack: `node ${join(scripts, 'postpack.mts')}`,
		},
	};
	const readme = '![A canvas](docs/canvas.png) [Usage](docs/usage.md#upload) [Top](#top)\n';
	const folder = plant({ 'package.json': JSON.stringify(manifest), 'README.md': readme });
	const output = execFileSync('npm', ['pack', '--loglevel', 'error'], { cwd: folder });
	const name = output.toString().trim().split('\n').at(-1) ?? '';
	await extract({ file: join(folder, name), cwd: join(folder, 'dist'), strip: 1 });
	expect(readFileSync(join(folder, 'dist/README.md'), 'utf8')).toBe(
		'![A canvas](https://raw.githubusercontent.com/jane/planted/main/docs/canvas.png) ' +
			'[Usage](https://github.com/jane/planted/blob/main/docs/usage.md#upload) [Top](#top)\n',
	);
	expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(readme);
});
