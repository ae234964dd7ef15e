import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { analyzeTsConfig } from 'ts-unused-exports';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const PARTS = ['nodes', 'credentials', 'contract', 'sandbox', 'scripts', 'bench', 'test'];

interface Cruise {
	summary: { violations: Array<{ rule: { name: string }; from: string; to: string }> };
	modules: Array<{ source: string }>;
}

/** The imports of a folder that break a rule of `.dependency-cruiser.mjs`, as sentences. */
async function checkImports(folder: string, parts = PARTS) {
	const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
	const config = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json'];
	const options = { cwd: folder, maxBuffer: 1e8 };
	const { stdout } = await run(process.execPath, [command, ...config, ...parts], options);
	const { summary, modules } = JSON.parse(stdout) as Cruise;
	return {
		files: modules.map(({ source }) => source),
		violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
	};
}

/**
 * The exports that no other file imports, as `path: names`. Left out is what others load by its path: n8n the nodes and credentials,
 * users of the sandbox its `index.ts`. The library cannot follow an import that ends with `/index.ts`, so these files are only
 * checked for being imported, by `.dependency-cruiser.mjs`.
 */
function findUnusedExports(folder: string): string[] {
	const loaded = ['\\.node\\.ts$', '\\.credentials\\.ts$', '/index\\.ts$', '^contract/generated/'];
	const options = ['--excludeDeclarationFiles'];
	const { unusedExports } = analyzeTsConfig(join(folder, 'tsconfig.json'), options);
	return Object.entries(unusedExports)
		.map(([path, exports]) => ({ path: relative(folder, path), exports }))
		.filter(({ path }) => !loaded.some((pattern) => new RegExp(pattern).test(path)))
		.map(({ path, exports }) => `${path}: ${exports.map((one) => one.exportName).join(', ')}`)
		.sort();
}

// Reading the imports of a thousand files takes longer than a unit test may.
jest.setTimeout(60_000);

describe('the architecture of the repository', () => {
	it('has no import cycle, and no import that points to a higher room', async () => {
		const { files, violations } = await checkImports(root);

		expect(violations).toEqual([]);
		expect(files).toEqual(
			expect.arrayContaining([
				'nodes/Dossier/Dossier.node.ts',
				'sandbox/src/main.ts',
				'scripts/start.ts',
				'bench/run.ts',
				'test/unit/architecture.test.ts',
			]),
		);
	});

	it('has no export without an importer', () => {
		expect(findUnusedExports(root)).toEqual([]);
	});
});

describe('the check of the architecture', () => {
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'dossier-architecture-'));
		const files = {
			'package.json': '{ "name": "planted" }',
			'tsconfig.json': '{ "include": ["nodes", "sandbox"] }',
			'nodes/Dossier/api/call.ts': "export { form } from '../resources/form';",
			'nodes/Dossier/resources/form.ts':
				"import type { sign } from '../trigger/sign'; export const form = {} as typeof sign; export const unused = 1;",
			'nodes/Dossier/trigger/sign.ts':
				"import { readFileSync } from 'fs'; export const sign = readFileSync;",
			'sandbox/src/platform/a.ts': "export * from './b.ts';",
			'sandbox/src/platform/b.ts': "import type {} from './a.ts';",
			'sandbox/src/loose.ts': "import '../../test/helper.ts';",
			'test/helper.ts': '',
		};
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(folder, path)), { recursive: true });
			await writeFile(join(folder, path), text);
		}
	});
	afterAll(() => rm(folder, { recursive: true, force: true }));

	it('names upward imports, neighbours, cycles, stray files and what is not allowed in the package', async () => {
		const { violations } = await checkImports(folder, ['nodes', 'sandbox']);

		expect(violations.sort()).toEqual([
			'each file is imported, or is an entry: nodes/Dossier/api/call.ts → nodes/Dossier/api/call.ts',
			'each file is imported, or is an entry: sandbox/src/loose.ts → sandbox/src/loose.ts',
			'each file is in a room: sandbox/src/loose.ts → test/helper.ts',
			'no import cycle: sandbox/src/platform/a.ts → sandbox/src/platform/b.ts',
			'nodes/Dossier/api/ imports from lower rooms: nodes/Dossier/api/call.ts → nodes/Dossier/resources/form.ts',
			'nodes/Dossier/resources/ imports from lower rooms: nodes/Dossier/resources/form.ts → nodes/Dossier/trigger/sign.ts',
			'sandbox imports from packages and contract only: sandbox/src/loose.ts → test/helper.ts',
			'the published package imports n8n-workflow and crypto only: nodes/Dossier/trigger/sign.ts → fs',
		]);
	});

	it('names an export that nothing imports', () => {
		expect(findUnusedExports(folder)).toEqual([
			'nodes/Dossier/api/call.ts: form',
			'nodes/Dossier/resources/form.ts: unused',
		]);
	});
});
