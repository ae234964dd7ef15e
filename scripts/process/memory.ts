import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { takeSamples } from './samples.ts';

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
