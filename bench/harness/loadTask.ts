import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import type { Bench } from './stage.ts';

const run = promisify(execFile);

/** The work of the load process. */
export type LoadTask = { url: string; headers: Record<string, string> } & (
	| {
			kind: 'rate';
			method: string;
			path: string;
			body?: string;
			seconds: number;
			connections: number;
	  }
	| { kind: 'each'; paths: string[]; times: number }
	| { kind: 'upload'; path: string; bytes: number; format: 'multipart' | 'json' }
	| { kind: 'download'; path: string }
);

export interface LoadResult {
	/** How long each request took, in turn; or one value, for all of them together. */
	milliseconds: number[];
	/** How many requests there were. */
	count?: number;
}

/** Runs a task in a separate process. Throws if a status is not 2xx. */
export async function runLoad({ root, lifecycle }: Bench, task: LoadTask): Promise<LoadResult> {
	const { node } = await findToolchain(root);
	const args = [join(root, 'bench/harness/load.ts'), JSON.stringify(task)];
	const { stdout } = await run(node, args, { signal: lifecycle.signal, maxBuffer: 1e8 });
	return JSON.parse(stdout) as LoadResult;
}

/** How long a task took that is one request, in ms. */
export async function timeLoad(bench: Bench, task: LoadTask): Promise<number> {
	const { milliseconds } = await runLoad(bench, task);
	const [first = NaN] = milliseconds;
	return first;
}
