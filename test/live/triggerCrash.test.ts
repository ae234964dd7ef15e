/** A real n8n that is killed while events come: what was acknowledged is there when it is started again. */
import { setTimeout as wait } from 'node:timers/promises';
import {
	awaitExecution,
	importWorkflow,
	listExecutions,
	retryExecution,
} from '../../scripts/host/rest.ts';
import type { Execution, StoredWorkflow } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { readItems } from './workflows.ts';
import { OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { observeTriggers, until } from './triggers.ts';
import type { Delivery, Webhook } from './triggers.ts';

/** Set KILLS for more; half of them come while files are downloaded. */
const KILLS = Number(process.env.KILLS ?? 2);
const EVENTS = 20;
const LONGEST_MS = 4_000;
/** A start of n8n takes a minute on a busy machine. */
const CYCLE_MS = 240_000;

let live: Live;
let triggers: ReturnType<typeof observeTriggers>;
let document: { id: string; dossier_id: string };

beforeAll(async () => {
	live = await openLive();
	triggers = observeTriggers(live);
	const { data: dossier } = await live.service.post<{ id: string }>('/dossiers', { title: 'K' });
	const uploaded = await live.service.post<typeof document>(`/dossiers/${dossier.id}/documents`, {
		file_name: 'large.txt',
		mime_type: 'text/plain',
		category: 'invoice',
		content_base64: Buffer.alloc(2_000_000, 'x').toString('base64'),
	});
	document = uploaded.data;
}, OPENING_MS);
afterAll(() => live.close());

async function publish(name: string, download: boolean): Promise<[StoredWorkflow, Webhook]> {
	const workflow = buildWorkflow(name, [
		{
			name: 'Trigger',
			type: 'n8n-nodes-dossier.dossierTrigger',
			typeVersion: 1.1,
			parameters: {
				events: ['document.uploaded'],
				download,
				binaryPropertyName: 'data',
				options: {},
			},
			credentials: { dossierApi: await live.credential({ rateLimit: 'off' }) },
			webhookId: `5a2d5f7b-8c1d-4b8e-a7c3-66f3f4a1b9${download ? '10' : '11'}`,
		},
		{ name: 'Done', type: 'n8n-nodes-base.noOp', parameters: {} },
	]);
	const stored = await importWorkflow(live.session, workflow);
	return [stored, await triggers.activate(stored)];
}

async function emit(from: number): Promise<void> {
	for (let n = from; n < from + EVENTS; n++) {
		await live.control.post('/emit', {
			organization_id: live.organization.id,
			environment: 'test',
			event: 'document.uploaded',
			count: 1,
			data: {
				document_id: document.id,
				dossier_id: document.dossier_id,
				uploaded_by: `usr_${n}`,
				category: 'invoice',
			},
		});
	}
}

/** The delivery that an execution runs for, as n8n has stored it: also if it never came to the first step. */
function readDelivery(execution: Execution): unknown {
	const begun = execution.data.executionData?.nodeExecutionStack[0];
	const [item] =
		begun?.node.name === 'Trigger' ? (begun.data.main?.[0] ?? []) : readItems(execution, 'Trigger');
	const delivery = item?.json.delivery;
	return typeof delivery === 'object' && delivery && 'id' in delivery ? delivery.id : undefined;
}

const isAcknowledged = ({ attempts }: Delivery) =>
	attempts.some(({ status }) => status !== null && status >= 200 && status < 300);

describe.each([
	['without downloads', false],
	['while files are downloaded', true],
])(`Of ${KILLS} kills of n8n under deliveries, %s,`, (name, download) => {
	it(
		'none loses an event that was acknowledged',
		async () => {
			const [workflow, webhook] = await publish(name, download);
			let killedRunning = 0;
			for (let kill = 0; kill < Math.max(1, Math.round(KILLS / 2)); kill++) {
				const emitting = emit(kill * EVENTS);
				await wait(LONGEST_MS * ((kill * 0.618 + 0.3) % 1));
				process.kill(-live.host.group.pid, 'SIGKILL');
				await emitting;
				await live.restartHost();
				await until('answer at the address', async () => await triggers.answersAt(webhook), 3);
				for (const one of await triggers.deliveries({ webhook_id: webhook.id, state: 'pending' })) {
					await triggers.redeliver(one);
				}
				await triggers.idle(3);
			}
			const deliveries = await triggers.deliveries({ webhook_id: webhook.id });
			expect(deliveries.filter((one) => !isAcknowledged(one))).toEqual([]);
			const unfinished = async () =>
				(await triggers.listRuns(workflow, ['new', 'running'])).count === 0;
			await until('end of the executions', unfinished, 3);

			const stored = new Map<unknown, string>();
			for (const execution of await triggers.readAllRuns(workflow)) {
				const id = readDelivery(execution);
				if (stored.get(id) !== 'success') stored.set(id, execution.status);
			}
			const lost = deliveries.filter(
				({ id, event_id }) => !stored.has(id) && !stored.has(event_id),
			);
			expect(lost).toEqual([]);
			// What n8n was running when it was killed stands as crashed, with the event, and runs when it is retried.
			for (const { id } of await listExecutions(live.session, workflow, ['crashed'])) {
				killedRunning++;
				const again = await retryExecution(live.session, id);
				const { status } = await awaitExecution(live.session, again, live.signal);
				expect(status).toBe('success');
			}
			process.stdout.write(
				`${name}: ${deliveries.length} events, ${killedRunning} crashed and retried\n`,
			);
			await triggers.deactivate(workflow);
			await triggers.noRegistration();
		},
		CYCLE_MS * KILLS,
	);
});
