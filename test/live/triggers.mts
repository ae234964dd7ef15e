/** Watches triggers from outside: registrations and deliveries in the sandbox, executions in n8n. */
import {
	activateWorkflow,
	awaitExecution,
	deactivateWorkflow,
	listExecutions,
} from '../../scripts/host/rest.mts';
import type { Execution, StoredWorkflow } from '../../scripts/host/rest.mts';
import { until } from '../../scripts/process/until.mts';
import type { SandboxControl } from '../../sandbox/src/client/control.mts';
import type { Live } from './live.mts';
import { readItems } from '../../scripts/host/executions.mts';

export interface Webhook {
	id: string;
	url: string;
	events: string[];
}

type DeliveryFilter = NonNullable<Parameters<SandboxControl['deliveries']['list']>[0]>;

export type Delivery = Awaited<ReturnType<SandboxControl['deliveries']['list']>>[number];

interface Executions {
	count: number;
	results: Array<{ id: string; status: string }>;
}

/** Whether n8n was killed before it stored the data of an execution, as n8n 1 can be. */
export const lacksData = (error: unknown) =>
	String(error).includes("Cannot read properties of null (reading 'data')");

export function observeTriggers(live: Pick<Live, 'session' | 'service' | 'control' | 'signal'>) {
	async function webhooks(): Promise<Webhook[]> {
		return (await live.service.get<{ data: Webhook[] }>('/webhooks')).data.data;
	}

	/** Whether n8n listens at the address of a webhook, where it refuses an unsigned delivery. */
	const answersAt = async ({ url }: Webhook) => (await live.session.post(url, {})).status === 401;

	async function listRuns({ id }: StoredWorkflow, status?: string[]) {
		const filter = JSON.stringify({ workflowId: id, ...(status && { status }) });
		const params = { filter, limit: 100 };
		return (await live.session.get<{ data: Executions }>('/executions', { params })).data.data;
	}

	/** An execution with its data; `undefined` if n8n has none. */
	const readRun = async (id: string) =>
		await awaitExecution(live.session, id, live.signal).catch((error: unknown) => {
			if (!lacksData(error)) throw error;
			return undefined;
		});

	/** The executions of a workflow, except those without data. */
	async function readAllRuns(workflow: StoredWorkflow): Promise<Execution[]> {
		const executions: Execution[] = [];
		for (const { id } of await listExecutions(live.session, workflow)) {
			const execution = await readRun(id);
			if (execution) executions.push(execution);
		}
		return executions;
	}

	return {
		webhooks,
		answersAt,
		/** The number of executions of a workflow, and the latest of them. With `status`, only executions of these. */
		listRuns,

		/** Activates a workflow, and waits until it can be called, since n8n registers it afterwards. */
		activate: async (workflow: StoredWorkflow): Promise<Webhook> => {
			await activateWorkflow(live.session, workflow);
			return await until('registration', async () => {
				const [webhook] = await webhooks();
				return webhook && (await answersAt(webhook)) && webhook;
			});
		},

		/** Deactivates a workflow. n8n removes its registration afterwards. */
		deactivate: async (workflow: StoredWorkflow): Promise<void> =>
			await deactivateWorkflow(live.session, workflow),

		/** Waits until no webhook is registered. */
		awaitNoRegistration: async () =>
			await until('end of the registration', async () => (await webhooks()).length === 0),

		/** Waits until `count` executions of a workflow have ended, and gives them. */
		awaitRuns: async (
			workflow: StoredWorkflow,
			count: number,
			minutes?: number,
		): Promise<Execution[]> => {
			const look = async () => {
				const some = await listRuns(workflow, ['success', 'error']);
				// n8n counts and lists one after the other, and lists a hundred at most
				const listed = some.results.length >= Math.min(count, 100);
				return some.count >= count && listed && some;
			};
			const { results } = await until(`execution number ${count}`, look, minutes);
			const ids = results.map(({ id }) => id);
			return await Promise.all(ids.map((id) => awaitExecution(live.session, id, live.signal)));
		},

		readAllRuns,

		/** The ID of the document that the trigger gave to each execution, in any order. */
		listDocuments: async (workflow: StoredWorkflow, trigger: string): Promise<unknown[]> => {
			const executions = await readAllRuns(workflow);
			return executions.map((execution) => {
				const data = readItems(execution, trigger)[0]?.json.data;
				return typeof data === 'object' && data && 'document_id' in data && data.document_id;
			});
		},

		/** Waits until the sandbox has sent every delivery that is due. */
		idle: async (minutes?: number) => {
			const look = async () => await live.control.deliveries.settle().catch(() => false as const);
			await until('end of the deliveries', look, minutes);
		},

		/** All deliveries that pass the filter, the newest first. */
		deliveries: async (filter: DeliveryFilter = {}): Promise<Delivery[]> => {
			const all: Delivery[] = [];
			for (let page = 1; ; page += 1) {
				const some = await live.control.deliveries.list({ page, ...filter });
				all.push(...some);
				if (some.length < 1000) return all;
			}
		},

		/** Makes the sandbox send a delivery again. */
		redeliver: async ({ id }: Delivery) => {
			await live.control.deliveries.redeliver(id);
		},
	};
}

const BREAKS = [
	'wrong_signature',
	'altered_body',
	'stale_timestamp',
	'duplicate',
	'reorder',
] as const;

/** Sends events to a workflow, a share of them broken on the way, then the refused ones again. Expects one run for each. */
export async function expectOneRunEach(
	live: Parameters<typeof observeTriggers>[0] & Pick<Live, 'organization'>,
	{ workflow, webhook }: { workflow: StoredWorkflow; webhook: Webhook },
	{ events, share, minutes }: { events: number; share: number; minutes: number },
): Promise<void> {
	const { control, organization } = live;
	const triggers = observeTriggers(live);
	for (const [at, kind] of BREAKS.entries()) {
		await control.webhookFaults.add({ kind, probability: share / BREAKS.length, seed: at + 1 });
	}
	const owner = { organization_id: organization.id, environment: 'test' } as const;
	await control.webhooks.emit(owner, { event: 'document.uploaded', count: events });
	await triggers.idle(minutes);
	for (const { hits } of await control.webhookFaults.list()) expect(hits).toBeGreaterThan(0);
	await control.webhookFaults.clear();
	const own = { webhook_id: webhook.id };
	for (const refused of await triggers.deliveries({ ...own, state: 'pending' })) {
		await triggers.redeliver(refused);
	}
	await triggers.idle(minutes);

	const delivered = await triggers.deliveries({ ...own, state: 'delivered' });
	expect(delivered).toHaveLength(events);
	const answers = delivered.flatMap(({ attempts }) => attempts.map(({ status }) => status));
	// 503 answers a duplicate that comes while the first is in flight
	expect([...new Set(answers)].filter((status) => status !== 503).sort()).toEqual([200, 401]);
	await triggers.awaitRuns(workflow, events, minutes);
	expect(await triggers.listRuns(workflow, ['success'])).toMatchObject({ count: events });
	expect(await triggers.listRuns(workflow)).toMatchObject({ count: events });
	const documents = await triggers.listDocuments(workflow, 'Trigger');
	expect([documents.length, new Set(documents).size]).toEqual([events, events]);
}
