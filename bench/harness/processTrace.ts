import { setTimeout as wait } from 'node:timers/promises';
import { measureCpuTime } from '../../scripts/process/cpuTime.ts';
import { measureMemory } from '../../scripts/process/memory.ts';
import { calculateMedian } from '../report/figures.ts';

const INTERVAL_MS = 15;

/** Resident memory (bytes) and processor time (ms) of a process over a stretch of time. */
interface ProcessTrace {
	/** The median between two moments (ms since 1970). */
	level(from: number, to: number): number;
	/** The highest level between two moments. */
	peak(from: number, to: number): number;
	/** The processor time used between two moments. */
	cpu(from: number, to: number): number;
	/** Ends the watch. */
	end(): Promise<void>;
}

/** Watches a process from now on. */
export function traceProcess(pid: number): ProcessTrace {
	const samples: Array<{ at: number; bytes: number; cpu: number }> = [];
	const ending = new AbortController();
	const watching = (async () => {
		while (!ending.signal.aborted) {
			const bytes = await measureMemory(pid);
			const cpu = await measureCpuTime(pid);
			if (bytes === undefined || cpu === undefined) return;
			samples.push({ at: Date.now(), bytes, cpu });
			await wait(INTERVAL_MS);
		}
	})();
	const between = (from: number, to: number) => samples.filter(({ at }) => at >= from && at <= to);
	const bytesBetween = (from: number, to: number) => between(from, to).map(({ bytes }) => bytes);
	return {
		level: (from, to) => calculateMedian(bytesBetween(from, to)),
		peak: (from, to) => Math.max(...bytesBetween(from, to)),
		cpu: (from, to) => {
			const used = between(from, to);
			return (used.at(-1)?.cpu ?? NaN) - (used[0]?.cpu ?? NaN);
		},
		end: async () => {
			ending.abort();
			await watching;
		},
	};
}
