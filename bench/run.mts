import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { runToEnd } from '../scripts/process/lifecycle.mts';
import { PlainError } from '../scripts/process/plainError.mts';
import { say } from '../scripts/process/terminal.mts';
import { download } from './benchmarks/download.mts';
import type { Measured } from './report/figures.mts';
import { many } from './benchmarks/many.mts';
import { writePage } from './report/document.mts';
import { list } from './benchmarks/list.mts';
import { readCircumstances, record } from './report/results.mts';
import type { Bench } from './harness/stage.mts';
import { formatTable } from './report/table.mts';
import { upload } from './benchmarks/upload.mts';

const benchmarks = { upload, download, list, many };
/** A machine with a higher load disturbs a measurement. */
const QUIET = 0.7;

const usage = `Measures this package beside n8n's own nodes, in one n8n and one run.

  npm run bench [-- NAME …] [--quick]

  NAME       ${Object.keys(benchmarks).join(', ')}; all of them if none is named (about a quarter of an hour)
  --quick    try them with small amounts, once; writes no results

Each prints a table and writes bench/results/NAME.json; docs/benchmarks.md is written from all results that are there.`;

await runToEnd(async (lifecycle) => {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean' } },
	});
	if (values.help) {
		say(usage);
		return 0;
	}
	const { quick } = values;
	const root = dirname(import.meta.dirname);
	const bench: Bench = { lifecycle, root, quick };
	const wanted = chosen(positionals);
	const circumstances = await readCircumstances(root);
	const { load_before: load } = circumstances;
	if (load > QUIET)
		say(`Other processes are busy on this machine (load ${load}): the results will be worse.`);
	for (const [name, measure] of wanted) {
		say(`\n${name} …`);
		const measured = await measure(bench);
		say(formatTable(measured.figures));
		if (!quick) await record(root, name, circumstances, measured);
	}
	if (!quick) await writePage(root);
	return 0;
});

function chosen(names: string[]): Array<[string, (bench: Bench) => Promise<Measured>]> {
	const unknown = names.find((name) => !Object.hasOwn(benchmarks, name));
	if (unknown !== undefined) {
		throw new PlainError(`There is no benchmark "${unknown}".\n\n${usage}`);
	}
	return Object.entries(benchmarks).filter(([name]) => !names.length || names.includes(name));
}
