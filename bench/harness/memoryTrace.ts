import { setTimeout as wait } from 'node:timers/promises';
import { measureMemory } from '../../scripts/process/memory.ts';
import { calculateMedian } from '../report/figures.ts';

const INTERVAL_MS = 15;

/** Resident memory of a process over a stretch of time, in bytes. */
interface MemoryTrace {
	/** The median between two moments (ms since 1970). */
	level(from: number, to: number): number;
	/** The highest level between two moments. */
	peak(from: number, to: number): number;
	/** Ends the watch. */
	end(): Promise<void>;
}

/** Watches the resident memory of a process from now on. */
export function traceMemory(pid: number): MemoryTrace {
	const samples: Array<{ at: number; bytes: number }> = [];
	const ending = new AbortController();
	const watching = (async () => {
		while (!ending.signal.aborted) {
			const bytes = await measureMemory(pid);
			if (bytes === undefined) return;
			samples.push({ at: Date.now(), bytes });
			await wait(INTERVAL_MS);
		}
	})();
	const between = (from: number, to: number) =>
		samples.filter(({ at }) => at >= from && at <= to).map(({ bytes }) => bytes);
	return {
		level: (from, to) => calculateMedian(between(from, to)),
		peak: (from, to) => Math.max(...between(from, to)),
		end: async () => {
			ending.abort();
			await watching;
		},
	};
}
