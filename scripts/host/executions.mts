import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { awaitExecution, runWorkflow } from './rest.mts';
import type { Execution, Session, StoredWorkflow } from './rest.mts';

/** Runs a stored workflow once, to its end. */
export async function runStored(
	{ session, signal }: { session: Session; signal: AbortSignal },
	workflow: StoredWorkflow,
): Promise<Execution> {
	return await awaitExecution(session, await runWorkflow(session, workflow), signal);
}

/** The output of a node in an execution. */
export function readItems({ data }: Pick<Execution, 'data'>, node: string): INodeExecutionData[] {
	const runs = data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[0] ?? []);
}

/** The errors of an execution: the one that ended it, and those of items if the node continues on errors. */
export function complaints({ resultData }: IRunExecutionData): string[] {
	const found: string[] = [];
	const { error, runData } = resultData;
	if (error) {
		const node = 'node' in error ? `At "${error.node?.name}": ` : '';
		found.push(`${node}${[error.message, error.description].filter(Boolean).join(' ')}`);
	}
	for (const [name, runs] of Object.entries(runData)) {
		for (const items of runs.flatMap((run) => run.data?.main ?? [])) {
			for (const item of items ?? []) {
				const message = readMessage(item.json.error);
				if (message) found.push(`At "${name}": ${message}`);
			}
		}
	}
	return [...new Set(found)];
}

function readMessage(error: unknown): string | undefined {
	if (typeof error === 'string') return error;
	if (typeof error === 'object' && error !== null && 'message' in error)
		return String(error.message);
	return undefined;
}
