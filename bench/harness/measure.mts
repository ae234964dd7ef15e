/** Workflows run once, and what n8n needs for them. */
import { complaints, runStored } from '../../scripts/host/executions.mts';
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { Execution } from '../../scripts/host/rest.mts';
import { buildWorkflow, START } from '../../scripts/host/steps.mts';
import type { Step } from '../../scripts/host/steps.mts';
import { PlainError } from '../../scripts/process/plainError.mts';
import { measureCpuTime, measureMemory, takeSamples } from '../../scripts/process/usage.mts';
import { calculateMedian } from '../report/figures.mts';
import type { Bench, Stage } from './stage.mts';

const INTERVAL_MS = 15;
/** The stretch before a run whose memory is what its own is compared with. */
const LEVEL_MS = 2_000;

/** Runs a workflow once, which begins by hand. Throws n8n's own messages if it does not succeed. */
export async function runSteps(
	{ lifecycle }: Bench,
	{ host: { session } }: Stage,
	steps: Step[],
): Promise<Execution> {
	const name = steps.map((step) => step.name).join(', ');
	const workflow = await importWorkflow(session, buildWorkflow(name, [START, ...steps]));
	const execution = await runStored({ session, signal: lifecycle.signal }, workflow);
	if (execution.status === 'success') return execution;
	throw new PlainError(`The workflow "${name}" failed: ${complaints(execution.data).join(' ')}`);
}

/** Resident memory (bytes) and processor time (ms) of a process over a stretch of time. */
interface ProcessTrace {
	/** How much the highest memory between two moments (ms since 1970) is above the median before, since a moment. */
	above(from: number, to: number, before: number): number;
	/** The processor time used between two moments. */
	cpu(from: number, to: number): number;
	/** Ends the watch. Until then, the others know nothing. */
	end(): Promise<void>;
}

/** Watches a process from now on. */
function traceProcess(pid: number): ProcessTrace {
	let samples: Array<{ at: number; bytes: number; cpu: number }> = [];
	const end = takeSamples(INTERVAL_MS, async () => {
		const bytes = await measureMemory(pid);
		const cpu = await measureCpuTime(pid);
		return bytes === undefined || cpu === undefined ? undefined : { at: Date.now(), bytes, cpu };
	});
	const between = (from: number, to: number) => samples.filter(({ at }) => at >= from && at <= to);
	const bytesBetween = (from: number, to: number) => between(from, to).map(({ bytes }) => bytes);
	return {
		above: (from, to, before) =>
			Math.max(...bytesBetween(from, to)) - calculateMedian(bytesBetween(before, from)),
		cpu: (from, to) => {
			const used = between(from, to);
			return (used.at(-1)?.cpu ?? NaN) - (used[0]?.cpu ?? NaN);
		},
		end: async () => void (samples = await end()),
	};
}

/** What steps have needed. */
export interface Run {
	execution: Execution;
	/** How long they took, without what n8n does between them. */
	ms: number;
	/** The highest memory of n8n above that before, in bytes. */
	above: number;
	/** The processor time of n8n, in ms. */
	cpu: number;
}

/** Runs steps once, after others that prepare them, and measures n8n meanwhile. */
export async function measureSteps(
	bench: Bench,
	stage: Stage,
	before: Step[],
	measured: Step[],
): Promise<Run> {
	const trace = traceProcess(stage.host.group.pid);
	const execution = await runSteps(bench, stage, [...before, ...measured]);
	await trace.end();
	const runs = measured.map(({ name }) => {
		const [run] = execution.data.resultData.runData[name] ?? [];
		if (!run) throw new PlainError(`The node "${name}" did not run.`);
		return run;
	});
	const begin = Math.min(...runs.map(({ startTime }) => startTime));
	const end = Math.max(...runs.map(({ startTime, executionTime }) => startTime + executionTime));
	return {
		execution,
		ms: runs.reduce((sum, { executionTime }) => sum + executionTime, 0),
		above: trace.above(begin, end, begin - LEVEL_MS),
		cpu: trace.cpu(begin, end),
	};
}
