import waitFor from 'p-wait-for';
import { listExecutions, retryExecution } from '../host/rest.ts';
import type { StoredWorkflow } from '../host/rest.ts';
import type { Stage } from './stage.ts';

const LONGEST_MS = 900_000;
const POLL_MS = 1_000;
const FAILED = ['error', 'crashed'];
const UNFINISHED = ['new', 'running', 'waiting'];

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
	const { control, n8n } = stage;
	const settlement: Settlement = { begin: Date.now(), redelivered: 0, retried: 0 };
	await control.delete('/faults');
	const idle = async () => {
		// Sends every delivery at once that waits for its next attempt
		await control.post('/clock', { hours: 11 });
		interface Counts {
			idle: boolean;
			pending: number;
			failed: number;
		}
		const { data } = await control.get<Counts>('/deliveries/idle', { params: { timeout: 10_000 } });
		if (data.failed > 0) settlement.redelivered += await redeliverFailed(stage);
		return data.idle && data.pending + data.failed === 0;
	};
	const listRuns = async (states: string[]) =>
		(
			await Promise.all(
				workflows.map(async (workflow) => await listExecutions(n8n.session, workflow, states)),
			)
		).flat();
	const finished = async () => (await listRuns(UNFINISHED)).length === 0;

	await until('end of the deliveries', idle);
	await untilPolledTwice(stage);
	await until('end of the runs', finished);
	for (const { id } of await listRuns(FAILED)) {
		await retryExecution(n8n.session, id);
		settlement.retried += 1;
	}
	await until('end of the repeated runs', finished);
	return settlement;
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	const message = `The ${what} did not come within fifteen minutes.`;
	await waitFor(look, { interval: POLL_MS, timeout: { milliseconds: LONGEST_MS, message } });
}

/** Waits for two polls: if n8n was killed before it stored the first one, the next gives out the same events. */
async function untilPolledTwice({ control }: Stage): Promise<void> {
	interface Entry {
		operation: string;
		status: number | null;
	}
	await control.delete('/journal');
	await until('second poll', async () => {
		const { data } = await control.get<{ data: Entry[] }>('/journal', { params: { limit: 500 } });
		const polls = data.data.filter(({ operation }) => operation === 'audit.list');
		return polls.filter(({ status }) => status === 200).length >= 2;
	});
}

async function redeliverFailed({ control }: Stage): Promise<number> {
	const params = { state: 'failed', per_page: 1000 };
	const { data } = await control.get<{ data: Array<{ id: string }> }>('/deliveries', { params });
	for (const { id } of data.data) await control.post(`/deliveries/${id}/redeliver`, {});
	return data.data.length;
}
