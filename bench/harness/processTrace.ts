import { measureCpuTime, measureMemory, takeSamples } from '../../scripts/process/usage.ts';
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
	/** Ends the watch. Until then, the others know nothing. */
	end(): Promise<void>;
}

/** Watches a process from now on. */
export function traceProcess(pid: number): ProcessTrace {
	let samples: Array<{ at: number; bytes: number; cpu: number }> = [];
	const end = takeSamples(INTERVAL_MS, async () => {
		const bytes = await measureMemory(pid);
		const cpu = await measureCpuTime(pid);
		return bytes === undefined || cpu === undefined ? undefined : { at: Date.now(), bytes, cpu };
	});
	const between = (from: number, to: number) => samples.filter(({ at }) => at >= from && at <= to);
	const bytesBetween = (from: number, to: number) => between(from, to).map(({ bytes }) => bytes);
	return {
		level: (from, to) => calculateMedian(bytesBetween(from, to)),
		peak: (from, to) => Math.max(...bytesBetween(from, to)),
		cpu: (from, to) => {
			const used = between(from, to);
			return (used.at(-1)?.cpu ?? NaN) - (used[0]?.cpu ?? NaN);
		},
		end: async () => void (samples = await end()),
	};
}
