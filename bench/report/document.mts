import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Measured } from './figures.mts';
import type { Circumstances } from './results.mts';
import { formatTable } from './table.mts';

/** A file of bench/results. */
type Result = Measured & Circumstances;

/** Renders the page of all stored results, in Markdown. */
export async function renderPage(root: string): Promise<string> {
	const names = (await readdir(join(root, 'bench/results'))).sort();
	const results = await Promise.all(
		names.map((name) => readResult(join(root, 'bench/results', name))),
	);
	const sections = results.map((result) => {
		const { title, description, figures } = result;
		return [`## ${title}`, description, describeCircumstances(result), formatTable(figures)].join(
			'\n\n',
		);
	});
	return `# Benchmarks

\`npm run bench\` measures the package beside n8n's own nodes, which do the same work in the same n8n, in turns. It writes this page from
[bench/results](../bench/results), which holds every single value. Of several values the median counts. A missed target is shown as missed.

${sections.join('\n\n')}
`;
}

/** Writes docs/benchmarks.md. */
export async function writePage(root: string): Promise<void> {
	await writeFile(join(root, 'docs/benchmarks.md'), await renderPage(root));
}

function describeCircumstances({ date, machine, versions, load_before: load }: Result): string {
	return `*${date.slice(0, 10)}, package ${versions.package}, n8n ${versions.n8n}, Node.js ${versions.node}; ${machine.processors} processors (${machine.processor}), ${machine.memory_gb} GB of memory; a load of ${load} from other processes before.*`;
}

async function readResult(path: string): Promise<Result> {
	return JSON.parse(await readFile(path, 'utf8')) as Result;
}
