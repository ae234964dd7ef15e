import { importWorkflow } from '../../scripts/host/rest.ts';
import type { Execution } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/steps.ts';
import type { Step } from '../../scripts/host/steps.ts';
import { complaints, runStored } from '../../scripts/host/executions.ts';
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
	const execution = await runStored({ session, signal: lifecycle.signal }, workflow);
	if (execution.status === 'success') return execution;
	throw new PlainError(`The workflow "${name}" failed: ${complaints(execution.data).join(' ')}`);
}

/** When a node of an execution ran. */
export function readNodeTime({ data }: Execution, node: string): NodeTime {
	const [run] = data.resultData.runData[node] ?? [];
	if (!run) throw new PlainError(`The node "${node}" did not run.`);
	return { begin: run.startTime, took: run.executionTime };
}
