import { awaitExecution, importWorkflow, runWorkflow } from '../../scripts/host/rest.ts';
import type { Execution } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import type { Step } from '../../scripts/host/workflows.ts';
import { complaints } from '../../scripts/intake/workflow.ts';
import { PlainError } from '../../scripts/process/plainError.ts';
import type { Bench, Stage } from './stage.ts';

/** When a node ran: when it began (ms since 1970), and how long it took (ms). */
interface NodeTime {
	begin: number;
	took: number;
}

/** Runs a workflow once. Throws n8n's own messages if it does not succeed. */
export async function runSteps(
	{ lifecycle }: Bench,
	{ host: { session } }: Stage,
	steps: Step[],
): Promise<Execution> {
	const name = steps.map((step) => step.name).join(', ');
	const workflow = await importWorkflow(session, buildWorkflow(name, steps));
	const id = await runWorkflow(session, workflow);
	const execution = await awaitExecution(session, id, lifecycle.signal);
	if (execution.status === 'success') return execution;
	throw new PlainError(`The workflow "${name}" failed: ${complaints(execution.data).join(' ')}`);
}

/** When a node of an execution ran. */
export function readNodeTime({ data }: Execution, node: string): NodeTime {
	const [run] = data.resultData.runData[node] ?? [];
	if (!run) throw new PlainError(`The node "${node}" did not run.`);
	return { begin: run.startTime, took: run.executionTime };
}

/** How many items a node gave out. */
export function itemCount({ data }: Execution, node: string): number {
	const runs = data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[0] ?? []).length;
}
