import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const node = join(root, 'node_modules/node/bin/node');

/** Prints the findings for the source in a folder. It runs in a process of its own, because half of the rules do not load in jest. */
const SCAN = `
	import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
	const { details } = await analyzePackage(process.argv[1], SOURCE_FILE_PATTERNS);
	console.log(details);
`;

/** With NODE_ENV=test, the rules for nodes apply to every file (seen in 1.16 of the plugin). */
const env = { ...process.env, NODE_ENV: 'production' };

it('n8n’s scan of community packages finds nothing in the source and in the tarball', async () => {
	const { stdout } = await promisify(execFile)(node, ['scripts/scan.mts'], {
		cwd: root,
		env,
	}).catch((error: { stdout: string }) => error);
	expect(stdout).toBe('The source: no finding\nThe packed package: no finding\n');
});

it('The scan finds what n8n forbids', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'dossier-scan-'));
	try {
		await mkdir(join(folder, 'nodes'));
		await writeFile(join(folder, 'package.json'), '{"overrides": {"a": "1.0.0"}}');
		const description =
			"{ properties: [{ displayName: 'Url', name: 'url', type: 'string', default: 1 }] }";
		await writeFile(
			join(folder, 'nodes/Bad.node.ts'),
			`export class Bad { description = ${description}; execute() { console.log(process.env); } }`,
		);
		const { stdout } = await promisify(execFile)(
			node,
			['--input-type=module', '--eval', SCAN, folder],
			{ cwd: root, env: { ...env, TMPDIR: folder } },
		);
		for (const rule of [
			'no-console',
			'community-nodes/no-restricted-globals',
			'community-nodes/no-overrides-field',
			'n8n-nodes-base/node-param-default-wrong-for-string',
		]) {
			expect(stdout).toContain(rule);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});
