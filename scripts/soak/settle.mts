import { listExecutions, retryExecution } from '../host/rest.mts';
import type { StoredWorkflow } from '../host/rest.mts';
import { until } from '../process/until.mts';
import type { Stage } from './stage.mts';

const LONGEST_MINUTES = 15;
const FAILED = ['error', 'crashed'];
const UNFINISHED = ['new', 'running', 'waiting'];
const HOURS_MS = 11 * 3_600_000;

/** What a person had to do in the end. */
export interface Settlement {
	/** When it began, in ms since 1970. */
	begin: number;
	/** Deliveries that the service had given up, and sent again when asked. */
	redelivered: number;
	/** Runs of the trigger's workflow that n8n shows as failed or crashed, and ran again when asked. */
	retried: number;
}

/** Ends all faults and waits until deliveries, polls and runs are done. Deliveries and runs that failed for good are repeated once. */
export async function settle(stage: Stage, workflows: StoredWorkflow[]): Promise<Settlement> {
	const { control } = stage.sandbox;
	const { session } = stage.host;
	const settlement: Settlement = { begin: Date.now(), redelivered: 0, retried: 0 };
	await control.faults.clear();
	const idle = async () => {
		// Sends every delivery at once that waits for its next attempt
		await control.clock.move(HOURS_MS);
		const counts = await control.deliveries.settle().catch(() => undefined);
		const failed = await control.deliveries.list({ state: 'failed' });
		for (const { id } of failed) await control.deliveries.redeliver(id);
		settlement.redelivered += failed.length;
		return counts?.pending === 0 && failed.length === 0;
	};
	const listRuns = async (states: string[]) =>
		(
			await Promise.all(
				workflows.map(async (workflow) => await listExecutions(session, workflow, states)),
			)
		).flat();
	const finished = async () => (await listRuns(UNFINISHED)).length === 0;
	// If n8n was killed before it stored the first poll, the next one gives out the same events
	const polledTwice = async () => {
		const entries = await control.journal.list({ limit: 500 });
		return entries.filter(isPoll).length >= 2;
	};

	await until('end of the deliveries', idle, LONGEST_MINUTES);
	await control.journal.clear();
	await until('second poll', polledTwice, LONGEST_MINUTES);
	await until('end of the runs', finished, LONGEST_MINUTES);
	for (const { id } of await listRuns(FAILED)) {
		await retryExecution(session, id);
		settlement.retried += 1;
	}
	await until('end of the repeated runs', finished, LONGEST_MINUTES);
	return settlement;
}

/** Whether a request of the journal is a poll that was answered. */
export const isPoll = ({
	operation,
	status,
}: {
	operation: string | null;
	status: number | null;
}) => operation === 'audit.list' && status === 200;
