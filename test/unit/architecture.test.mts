import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

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

// Reading the imports of a thousand files takes longer than a unit test may.
jest.setTimeout(60_000);

describe('the architecture of the repository', () => {
	it('has no import cycle, and no import that points to a higher room', async () => {
		const { files, violations } = await checkImports(root);

		expect(violations).toEqual([]);
		expect(files).toEqual(
			expect.arrayContaining([
				'nodes/Dossier/Dossier.node.ts',
				'sandbox/src/main.mts',
				'scripts/start.mts',
				'bench/run.mts',
				'test/unit/architecture.test.mts',
			]),
		);
	});
});

describe('the check of the architecture', () => {
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'dossier-architecture-'));
		const files = {
			'package.json': '{ "name": "planted" }',
			'nodes/Dossier/api/call.ts': "export { form } from '../resources/form';",
			'nodes/Dossier/resources/form.ts':
				"import type { sign } from '../trigger/sign'; export const form = {} as typeof sign;",
			'nodes/Dossier/trigger/sign.ts':
				"import { readFileSync } from 'fs'; export const sign = readFileSync;",
			'sandbox/src/platform/a.mts': "export * from './b.mts';",
			'sandbox/src/platform/b.mts': "import type {} from './a.mts';",
			'sandbox/src/loose.mts': "import '../../test/helper.mts';",
			'test/helper.mts': '',
		};
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(folder, path)), { recursive: true });
			await writeFile(join(folder, path), text);
		}
	});
	afterAll(() => rm(folder, { recursive: true, force: true }));

	it('names upward imports, neighbors, cycles, stray files and what is not allowed in the package', async () => {
		const { violations } = await checkImports(folder, ['nodes', 'sandbox']);

		expect(violations.sort()).toEqual([
			'each file is imported, or is an entry: nodes/Dossier/api/call.ts → nodes/Dossier/api/call.ts',
			'each file is imported, or is an entry: sandbox/src/loose.mts → sandbox/src/loose.mts',
			'each file is in a room: sandbox/src/loose.mts → test/helper.mts',
			'no import cycle: sandbox/src/platform/a.mts → sandbox/src/platform/b.mts',
			'nodes/Dossier/api/ imports from lower rooms: nodes/Dossier/api/call.ts → nodes/Dossier/resources/form.ts',
			'nodes/Dossier/resources/ imports from lower rooms: nodes/Dossier/resources/form.ts → nodes/Dossier/trigger/sign.ts',
			'sandbox imports from packages and contract only: sandbox/src/loose.mts → test/helper.mts',
			'the published package imports n8n-workflow and crypto only: nodes/Dossier/trigger/sign.ts → fs',
		]);
	});
});
