import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../../scripts/process/packedPackage.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { makeWorkFolder } from '../../scripts/process/workFolder.mts';
import { figure, ratio } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import type { Bench } from '../harness/stage.mts';

const TITLE = 'What n8n has to load';
const DESCRIPTION =
	'Each file is loaded with `require` in a new process that has loaded `n8n-workflow` before.';

const run = promisify(execFile);

/** Prints how many milliseconds it took to load the file. n8n-workflow is loaded before, as in n8n. */
const SCRIPT = `
	const { createRequire } = require('node:module');
	const { performance } = require('node:perf_hooks');
	const load = createRequire(process.argv[1]);
	load('n8n-workflow');
	const begin = performance.now();
	load(process.argv[1]);
	process.stdout.write(String(performance.now() - begin));
`;

/** Measures how long n8n takes to load each node, in new processes, and the size of the packed package. */
export async function start(bench: Bench): Promise<Measured> {
	const { lifecycle, root, quick } = bench;
	const processes = quick ? 3 : 20;
	const base = join(root, 'hosts/n8n-2/node_modules/n8n-nodes-base/dist/nodes');
	const files = {
		'Dossier node': join(root, 'dist/nodes/Dossier/Dossier.node.js'),
		'Dossier Trigger': join(root, 'dist/nodes/Dossier/DossierTrigger.node.js'),
		'n8n’s HTTP Request node': join(base, 'HttpRequest/HttpRequest.node.js'),
		'n8n’s Google Drive node': join(base, 'Google/Drive/GoogleDrive.node.js'),
	};
	const toolchain = await findToolchain(root);
	const times = new Map(Object.keys(files).map((what) => [what, new Array<number>()]));
	for (let n = 0; n < processes; n++) {
		for (const [what, file] of Object.entries(files)) {
			const { stdout } = await run(toolchain.node, ['-e', SCRIPT, file], { cwd: root });
			times.get(what)?.push(Number(stdout));
		}
	}
	const folder = await makeWorkFolder(lifecycle);
	const { size } = await stat(await packPackage(lifecycle, toolchain, root, folder));
	const load = (what: string) => figure(`require: ${what}`, 'ms', times.get(what) ?? []);
	const [own, drive] = [load('Dossier node'), load('n8n’s Google Drive node')];
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { processes },
		figures: [
			own,
			load('Dossier Trigger'),
			load('n8n’s HTTP Request node'),
			drive,
			ratio('require: Dossier node beside Google Drive node', own, drive, { atMost: 1 }),
			figure('packed package', 'kB', [size / 1e3]),
		],
	};
}
