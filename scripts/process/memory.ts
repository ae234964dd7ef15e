import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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

/** Samples the memory of a process from now on. The returned function stops that, and gives the first value and the largest. */
export async function watchMemory(pid: number): Promise<() => MemoryUse> {
	const before = (await measureMemory(pid)) ?? 0;
	let peak = before;
	let asking = false;
	const sample = async () => {
		if (asking) return;
		asking = true;
		peak = Math.max(peak, (await measureMemory(pid)) ?? 0);
		asking = false;
	};
	const timer = setInterval(
		() => void sample(),
		process.platform === 'linux' ? LINUX_INTERVAL_MS : OTHER_INTERVAL_MS,
	);
	timer.unref();
	return () => {
		clearInterval(timer);
		return { before, peak };
	};
}

function kilobytes(digits: string | undefined): number | undefined {
	return digits ? Number(digits) * 1024 : undefined;
}
