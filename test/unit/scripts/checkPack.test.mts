import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** The problems of a package with these files; those that are undefined are absent. */
function check(files: Record<string, string | undefined>): string[] {
	const folder = mkdtempSync(join(tmpdir(), 'dossier-check-pack-'));
	folders.push(folder);
	for (const [path, text] of Object.entries({ ...whole, ...files })) {
		if (text === undefined) continue;
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	return checkPack(folder);
}

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
