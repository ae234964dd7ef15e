import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measured } from './figures.mts';

const run = promisify(execFile);

/** The circumstances that a measurement depends on, besides the code. */
export interface Circumstances {
	/** When it began, ISO 8601. */
	date: string;
	machine: { processor: string; processors: number; memory_gb: number; system: string };
	versions: { package: string; commit: string; node: string; n8n: string };
	/** The load average of the minute before: how many processes wanted a processor. */
	load_before: number;
}

export async function readCircumstances(root: string): Promise<Circumstances> {
	const [processor] = cpus();
	const commit = await run('git', ['describe', '--always', '--dirty', '--abbrev=10'], {
		cwd: root,
	}).catch(() => ({ stdout: 'unknown' }));
	return {
		date: new Date().toISOString(),
		machine: {
			processor: processor?.model ?? 'unknown',
			processors: cpus().length,
			memory_gb: Math.round(totalmem() / 1e9),
			system: `${type()} ${release()}`,
		},
		versions: {
			package: await versionIn(root),
			commit: commit.stdout.trim(),
			node: process.versions.node,
			n8n: await versionIn(join(root, 'hosts/n8n-2/node_modules/n8n')),
		},
		load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
	};
}

/** Writes what was measured to `bench/results/<name>.json`. */
export async function record(
	root: string,
	name: string,
	circumstances: Circumstances,
	{ title, description, amounts, figures }: Measured,
): Promise<void> {
	const folder = join(root, 'bench/results');
	await mkdir(folder, { recursive: true });
	const rounded = figures.map((one) => ({
		...one,
		values: one.values.map(rounding),
		median: rounding(one.median),
	}));
	const content = { name, title, description, ...circumstances, amounts, figures: rounded };
	await writeFile(join(folder, `${name}.json`), format(content));
}

/** As JSON with a line for each figure, whose values may be many. */
function format({ figures, ...rest }: Measured & { name: string }): string {
	const lines = figures.map((one) => `\t\t${JSON.stringify(one)}`);
	const head = JSON.stringify(rest, undefined, '\t').replace(/\n\}$/, '');
	return `${head},\n\t"figures": [\n${lines.join(',\n')}\n\t]\n}\n`;
}

function rounding(value: number): number {
	return Number(value.toPrecision(5));
}

async function versionIn(folder: string): Promise<string> {
	const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
	return (JSON.parse(text) as { version?: string }).version ?? 'not installed';
}
