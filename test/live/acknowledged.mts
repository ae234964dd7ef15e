/** Events that come while n8n is killed, and what became of those that were acknowledged. */
import { setTimeout as wait } from 'node:timers/promises';
import {
	activateWorkflow,
	awaitExecution,
	importWorkflow,
	retryExecution,
} from '../../scripts/host/rest.mts';
import type { Execution, StoredWorkflow } from '../../scripts/host/rest.mts';
import { triggerStep, buildWorkflow } from '../../scripts/host/steps.mts';
import type { Live } from './live.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from './triggers.mts';
import type { Delivery, Webhook } from './triggers.mts';
import { readItems } from '../../scripts/host/executions.mts';

/** Between two events, in ms: n8n keeps up with it, and some execution with a download runs at any moment. */
const PACE_MS = 100;
const DOWNLOAD_MS = 1_000;
/** After how many answers n8n is under way, so that a kill strikes something. */
const UNDER_WAY = 10;
/** From then to the kill at most, and for how long events still come after it, in ms. */
const LONGEST_MS = 3_000;
const AFTERWARDS_MS = 500;
const RETRIES_AT_ONCE = 10;

type Place = Pick<
	Live,
	'session' | 'service' | 'control' | 'signal' | 'credential' | 'organization'
>;

/** A workflow that runs for the events. */
export interface Receiver {
	workflow: StoredWorkflow;
	webhook: Webhook;
}

/** What became of the events of a workflow. */
interface Account {
	deliveries: number;
	/** Never answered with 2xx by the trigger. */
	unacknowledged: Delivery[];
	/** Acknowledged, and in no execution that ran or runs when it is retried. */
	lost: Delivery[];
	/** How many executions n8n shows as crashed. Each of them succeeded when it was retried. */
	crashed: number;
	/** How many executions failed, without the event that they were to run for. */
	failed: number;
	/** How many events have more than one execution. */
	repeated: number;
	/** For each kill: how many deliveries had no answer at that moment, and how many executions had no end. */
	struck: number[];
}

/** Whether the trigger acknowledged a delivery. While n8n migrates its database, it answers everything with another 200. */
const isAcknowledgment = ({ status, answer }: Delivery['attempts'][number]) =>
	status === 200 && answer?.startsWith('{"ok":true') === true;

const isAcknowledged = ({ attempts }: Delivery) => attempts.some(isAcknowledgment);

/** The delivery that an execution runs for, as n8n has stored it: also if it never came to the first step. */
function readDelivery(execution: Execution): unknown {
	const begun = execution.data.executionData?.nodeExecutionStack[0];
	const [item] =
		begun?.node.name === 'Trigger' ? (begun.data.main?.[0] ?? []) : readItems(execution, 'Trigger');
	const delivery = item?.json.delivery;
	return typeof delivery === 'object' && delivery && 'id' in delivery ? delivery.id : undefined;
}

const isUnanswered = ({ attempts }: Delivery, killedAt: number) =>
	attempts.some(({ at, ms, status }) => {
		const sentAt = Date.parse(at);
		return status === null && sentAt <= killedAt && sentAt + ms >= killedAt;
	});

/** Whether an execution was there at a kill, and ended later or never. */
function isUnfinished({ status, createdAt, stoppedAt }: Execution, kills: number[], at: number) {
	const next = kills.findIndex((killedAt) => Date.parse(createdAt) <= killedAt);
	const isLater = Date.parse(stoppedAt ?? '') > (kills[at] ?? Infinity);
	return next === at && (status === 'crashed' || isLater);
}

/** Makes a document whose upload the events tell of, and sends events. */
export async function openEvents(live: Place) {
	const { control, service, session, signal } = live;
	const triggers = observeTriggers(live);
	const { data: dossier } = await service.post<{ id: string }>('/dossiers', { title: 'K' });
	const { data: document } = await service.post<{ id: string; dossier_id: string }>(
		`/dossiers/${dossier.id}/documents`,
		{
			file_name: 'letter.txt',
			mime_type: 'text/plain',
			category: 'invoice',
			content_base64: Buffer.alloc(200_000, 'x').toString('base64'),
		},
	);
	await control.faults.add({ operation: 'documents.download', delay_ms: DOWNLOAD_MS });
	/** When n8n was killed, in ms since 1970. */
	const kills: number[] = [];
	/** The executions that retries have made, by those that they retry. */
	const retries = new Map<string, string>();
	let sent = 0;

	async function countAcknowledged(): Promise<number> {
		return (await triggers.deliveries({ state: 'delivered' })).length;
	}

	async function emitUntil(end: AbortSignal): Promise<void> {
		while (!end.aborted) {
			sent += 1;
			const owner = { organization_id: live.organization.id, environment: 'test' } as const;
			await control.webhooks.emit(owner, {
				event: 'document.uploaded',
				data: {
					document_id: document.id,
					dossier_id: document.dossier_id,
					uploaded_by: `usr_${sent}`,
					category: 'invoice',
				},
			});
			await wait(PACE_MS);
		}
	}

	async function retry({ id }: Execution): Promise<void> {
		const again = await retryExecution(session, id);
		retries.set(id, again);
		const { status } = await awaitExecution(session, again, signal);
		expect(status).toBe('success');
	}

	async function retryAll(crashed: Execution[]): Promise<void> {
		const rest = crashed.filter(({ id }) => !retries.has(id));
		for (let at = 0; at < rest.length; at += RETRIES_AT_ONCE) {
			await Promise.all(rest.slice(at, at + RETRIES_AT_ONCE).map(retry));
		}
	}

	async function redeliver(
		receivers: Receiver[],
		choose: (all: Delivery[]) => Delivery[],
	): Promise<void> {
		for (const { webhook } of receivers) {
			await until('answer at the address', async () => await triggers.answersAt(webhook));
			const deliveries = await triggers.deliveries({ webhook_id: webhook.id });
			for (const one of choose(deliveries)) await triggers.redeliver(one);
		}
		await triggers.idle();
	}

	return {
		/** Publishes a workflow that takes the events, with the file of the document or without. */
		publish: async (name: string, download: boolean): Promise<Receiver> => {
			const before = (await triggers.webhooks()).map(({ id }) => id);
			const credential = await live.credential({ rateLimit: 'off' });
			const steps = buildWorkflow(name, [
				triggerStep(credential, { download, binaryPropertyName: 'data' }),
				{ name: 'Done', type: 'n8n-nodes-base.noOp', parameters: {} },
			]);
			const workflow = await importWorkflow(session, steps);
			await activateWorkflow(session, workflow);
			const webhook = await until('registration', async () => {
				const made = (await triggers.webhooks()).find(({ id }) => !before.includes(id));
				return made && (await triggers.answersAt(made)) && made;
			});
			return { workflow, webhook };
		},

		/** Sends events, and kills n8n at some moment while it works on them, which `isUnderWay` may tell. */
		strike: async (kill: () => Promise<void>, isUnderWay?: () => boolean): Promise<void> => {
			const ending = new AbortController();
			const before = await countAcknowledged();
			const look = async () => isUnderWay?.() ?? (await countAcknowledged()) >= before + UNDER_WAY;
			const emitting = emitUntil(ending.signal);
			try {
				await until('work', look);
				// Spreads the moments evenly, however many there are.
				await wait(LONGEST_MS * ((kills.length * 0.618 + 0.3) % 1));
				kills.push(Date.now());
				await kill();
				await wait(AFTERWARDS_MS);
			} finally {
				ending.abort();
				await emitting;
			}
		},

		/** Has everything delivered that the trigger has not acknowledged, once n8n answers again. */
		deliverRest: async (receivers: Receiver[]): Promise<void> =>
			await redeliver(receivers, (all) => all.filter((one) => !isAcknowledged(one))),

		/** Has deliveries sent again that were acknowledged. */
		deliverAgain: async (receivers: Receiver[], some: Delivery[]): Promise<void> => {
			const ids = some.map(({ id }) => id);
			await redeliver(receivers, (all) => all.filter(({ id }) => ids.includes(id)));
		},

		/** Waits for the ends of the executions, retries those that crashed, and counts. */
		account: async ({ workflow, webhook }: Receiver): Promise<Account> => {
			const hasEnded = async () =>
				(await triggers.listRuns(workflow, ['new', 'running'])).count === 0;
			await until('end of the executions', hasEnded);
			const deliveries = await triggers.deliveries({ webhook_id: webhook.id });
			const repetitions = new Set(retries.values());
			const all = await triggers.readAllRuns(workflow);
			const runs = all.filter(({ id }) => !repetitions.has(id));
			const crashed = runs.filter(({ status }) => status === 'crashed');
			await retryAll(crashed);
			const run = runs.filter(({ status }) => status === 'success' || status === 'crashed');
			const counts = new Map<unknown, number>();
			for (const id of run.map(readDelivery)) counts.set(id, (counts.get(id) ?? 0) + 1);
			return {
				deliveries: deliveries.length,
				unacknowledged: deliveries.filter((one) => !isAcknowledged(one)),
				lost: deliveries.filter(({ event_id }) => !counts.has(event_id)),
				crashed: crashed.length,
				failed: runs.length - run.length,
				repeated: deliveries.filter(({ event_id }) => (counts.get(event_id) ?? 0) > 1).length,
				struck: kills.map(
					(killedAt, at) =>
						deliveries.filter((one) => isUnanswered(one, killedAt)).length +
						runs.filter((one) => isUnfinished(one, kills, at)).length,
				),
			};
		},

		/** How long before a kill the trigger acknowledged a delivery, in ms; the shortest time for several kills. */
		readLead: ({ attempts }: Delivery): number => {
			const answered = attempts.filter(isAcknowledgment).map(({ at, ms }) => Date.parse(at) + ms);
			const leads = answered.flatMap((at) => kills.map((killedAt) => Math.abs(killedAt - at)));
			return Math.min(...leads);
		},
	};
}
