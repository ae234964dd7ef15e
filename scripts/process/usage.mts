/** Memory and processor time of a process, at a moment or over a stretch of time. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LINUX_INTERVAL_MS = 50;
const OTHER_INTERVAL_MS = 500;

/** Resident memory in bytes. */
export interface MemoryUse {
	before: number;
	peak: number;
}

/** Resident memory of a process in bytes, or undefined if it has ended. */
export async function measureMemory(pid: number): Promise<number | undefined> {
	try {
		if (process.platform === 'linux') {
			const status = await readFile(`/proc/${pid}/status`, 'utf8');
			return kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
		}
		return kilobytes((await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout.trim());
	} catch {
		return undefined;
	}
}

/** Watches the memory of a process from now on. The returned function ends that, and gives the first value and the largest. */
export async function watchMemory(pid: number): Promise<() => Promise<MemoryUse>> {
	const before = (await measureMemory(pid)) ?? 0;
	const interval = process.platform === 'linux' ? LINUX_INTERVAL_MS : OTHER_INTERVAL_MS;
	const end = takeSamples(interval, () => measureMemory(pid));
	return async () => ({ before, peak: Math.max(before, ...(await end())) });
}

function kilobytes(digits: string | undefined): number | undefined {
	return digits ? Number(digits) * 1024 : undefined;
}

/** The unit of the kernel's processor time, in ms: USER_HZ is 100 on every platform of Linux that Node.js runs on. */
const TICK_MS = 10;

/** The processor time that a process has used, in ms, or undefined if it has ended. */
export async function measureCpuTime(pid: number): Promise<number | undefined> {
	try {
		if (process.platform === 'linux') {
			const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
			// The name of the program, in brackets, may hold spaces.
			const [user = NaN, system = NaN] = stat
				.slice(stat.lastIndexOf(')') + 2)
				.split(' ')
				.slice(11, 13)
				.map(Number);
			return (user + system) * TICK_MS;
		}
		const { stdout } = await run('ps', ['-o', 'cputime=', '-p', String(pid)]);
		return (
			stdout
				.trim()
				.split(/[-:]/)
				.reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000
		);
	} catch {
		return undefined;
	}
}

/** Takes samples at an interval, until the returned function is called, which gives them. Undefined ones are left out. */
export function takeSamples<T>(
	intervalMs: number,
	take: () => Promise<T | undefined>,
): () => Promise<T[]> {
	const samples: T[] = [];
	const ending = new AbortController();
	const { signal } = ending;
	const taking = (async () => {
		while (!signal.aborted) {
			const sample = await take();
			if (sample !== undefined) samples.push(sample);
			await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
		}
	})();
	return async () => {
		ending.abort();
		await taking;
		return samples;
	};
}
