import { setTimeout as wait } from 'node:timers/promises';
import { activateWorkflow, importWorkflow } from '../../scripts/host/rest.mts';
import { until } from '../../scripts/process/until.mts';
import { figure, ratio } from '../report/figures.mts';
import type { Figure, Measured } from '../report/figures.mts';
import { triggerStep, webhookStep, buildWorkflow } from '../../scripts/host/steps.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench, Stage } from '../harness/stage.mts';
import type { Step } from '../../scripts/host/steps.mts';

const TITLE = 'Deliveries in n8n';
const DESCRIPTION =
	'The sandbox delivers signed events to active workflows as fast as they answer: to the Dossier Trigger, and to n8n\'s Webhook node, which verifies nothing. All answer when their run has begun, all save their executions, and the executions are counted. n8n 2 prepares its expression engine before it hands a delivery to a node, and again for the run. It skips the first preparation only for newer versions of its own Webhook node; version 1 is treated as every other trigger is, and shows what verifying and deduplicating a delivery cost. With n8n\'s setting `N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true` ("lazy engine") the engine is prepared only if an expression is used.';

const POLL_MS = 100;
const LONGEST_MS = 600_000;
const DONE: Step = { name: 'Done', type: 'n8n-nodes-base.noOp', parameters: {} };

/** n8n's settings: it prepares its engine for expressions twice for each delivery, or only if an expression is used. */
const SETTINGS = [
	{ setting: '', env: {} },
	{ setting: ', lazy engine', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } },
];

/**
 * The sandbox delivers the same events to a workflow with the Dossier Trigger and to workflows with n8n's Webhook node, in turns. All
 * answer when their run has begun, and save their executions.
 *
 * n8n prepares its engine for expressions before it passes a delivery to a trigger. It skips this only for newer versions of its own
 * Webhook node, and treats version 1 like any other trigger.
 */
export async function trigger(bench: Bench): Promise<Measured> {
	const [events, rounds] = bench.quick ? [40, 1] : [400, 4];
	const figures: Figure[] = [];
	for (const { setting, env } of SETTINGS) {
		const stage = await openStage(bench, async () => await Promise.resolve(env ?? {}));
		const contenders = [
			{ what: 'Dossier Trigger', receiver: await withDossierTrigger(bench, stage) },
			{ what: 'Webhook node', receiver: await withWebhookNode(stage, 2.1) },
			{ what: 'Webhook node, version 1', receiver: await withWebhookNode(stage, 1) },
		].map((contender) => ({ ...contender, rates: [] as number[] }));
		for (const { receiver } of contenders) await deliver(bench, stage, receiver, 20);
		for (let round = 0; round < rounds; round++) {
			// The order is reversed in every other round.
			const order = round % 2 ? [...contenders].reverse() : contenders;
			for (const { receiver, rates } of order) {
				rates.push(events / (await deliver(bench, stage, receiver, events)));
			}
		}
		await stage.close();
		const named = contenders.map(({ what, rates }) => figure(what + setting, '/s', rates));
		const [ours, theirs, first] = named;
		if (!ours || !theirs || !first) throw new Error('Something was not measured.');
		figures.push(
			...named,
			ratio(`Dossier Trigger beside Webhook node${setting}`, ours, theirs, { atLeast: 0.95 }),
			ratio(`Dossier Trigger beside Webhook node, version 1${setting}`, ours, first),
		);
	}
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { events_a_round: events, rounds },
		figures,
	};
}

const owner = (organization: string) =>
	({ organization_id: organization, environment: 'test' }) as const;

/** A workflow that gets the events of one organization. */
interface Receiver {
	workflow: string;
	organization: string;
}

async function withDossierTrigger(bench: Bench, stage: Stage): Promise<Receiver> {
	const { id, credential } = await stage.member('enterprise', 'off');
	const workflow = await activated(stage, 'Dossier Trigger', triggerStep(credential));
	const hasRegistered = async () => (await stage.control.webhooks.list()).length === 1;
	await until('registration', hasRegistered, undefined, bench.lifecycle.signal);
	return { workflow, organization: id };
}

async function withWebhookNode(stage: Stage, typeVersion: number): Promise<Receiver> {
	const { id } = await stage.member('enterprise', 'off');
	const path = `bench-webhook-${typeVersion}`;
	const start = { ...webhookStep('Webhook', path, 'onReceived'), typeVersion };
	const workflow = await activated(stage, 'Webhook', start);
	const url = `${stage.host.url}/webhook/${path}`;
	await until('answer', async () => (await stage.host.session.post(url, {})).status === 200);
	await until('execution', async () => (await countExecuted(stage, workflow)) === 1);
	await stage.control.webhooks.create({ ...owner(id), url, events: ['document.uploaded'] });
	return { workflow, organization: id };
}

async function activated({ host: { session } }: Stage, name: string, start: Step): Promise<string> {
	const workflow = await importWorkflow(session, buildWorkflow(name, [start, DONE]));
	await activateWorkflow(session, workflow);
	return workflow.id;
}

/** How many executions of a workflow ended well. */
async function countExecuted({ host: { session } }: Stage, workflow: string): Promise<number> {
	const filter = JSON.stringify({ workflowId: workflow, status: ['success'] });
	const params = { filter, limit: 1 };
	const { data } = await session.get<{ data: { count: number } }>('/executions', { params });
	return data.data.count;
}

/** Sends events, and gives the seconds until all were executed. Throws if one was refused. */
async function deliver(
	{ lifecycle }: Bench,
	stage: Stage,
	{ organization, workflow }: Receiver,
	events: number,
): Promise<number> {
	const { control } = stage;
	const wanted = (await countExecuted(stage, workflow)) + events;
	const begin = performance.now();
	await control.webhooks.emit(owner(organization), { count: events });
	const { pending, failed } = await control.deliveries.settle(LONGEST_MS);
	if (pending + failed > 0) throw new Error('Some deliveries were refused.');
	for (;;) {
		if ((await countExecuted(stage, workflow)) >= wanted) break;
		await wait(POLL_MS, undefined, { signal: lifecycle.signal });
	}
	return (performance.now() - begin) / 1e3;
}
