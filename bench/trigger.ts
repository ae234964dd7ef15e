import { setTimeout as wait } from 'node:timers/promises';
import { activateWorkflow, importWorkflow } from '../scripts/hostRest.ts';
import { figure, ratio } from './figures.ts';
import type { Measured } from './figures.ts';
import { workflowOf } from './runs.ts';
import { openStage } from './stage.ts';
import type { Bench, Stage } from './stage.ts';
import type { Step } from './steps.ts';

const POLL_MS = 100;
const LONGEST_MS = 600_000;
const DONE: Step = { name: 'Done', type: 'n8n-nodes-base.noOp', parameters: {} };

/**
 * The same deliveries of the sandbox to a workflow with the Dossier Trigger and to one with n8n's Webhook node, which answer at once
 * and save their executions alike. They take turns.
 */
export async function trigger(bench: Bench): Promise<Measured> {
	const [events, rounds] = bench.quick ? [40, 1] : [500, 7];
	const stage = await openStage(bench);
	const dossier = await withDossierTrigger(bench, stage);
	const webhook = await withWebhookNode(bench, stage);
	await deliver(bench, stage, dossier, 20);
	await deliver(bench, stage, webhook, 20);
	const answered = { dossier: new Array<number>(), webhook: new Array<number>() };
	const executed = { dossier: new Array<number>(), webhook: new Array<number>() };
	for (let round = 0; round < rounds; round++) {
		// Whoever comes first in a round comes second in the next.
		const order = round % 2 ? (['webhook', 'dossier'] as const) : (['dossier', 'webhook'] as const);
		for (const name of order) {
			const receiver = name === 'dossier' ? dossier : webhook;
			const seconds = await deliver(bench, stage, receiver, events);
			answered[name].push(events / seconds.answered);
			executed[name].push(events / seconds.executed);
		}
	}
	await stage.close();
	const rate = (what: string, values: number[]) => figure(what, '/s', values);
	const ours = rate('Dossier Trigger: answered', answered.dossier);
	const theirs = rate('Webhook node: answered', answered.webhook);
	const oursRun = rate('Dossier Trigger: executed', executed.dossier);
	const theirsRun = rate('Webhook node: executed', executed.webhook);
	const atLeast = { atLeast: 0.95 };
	return {
		amounts: { events_a_round: events, rounds },
		figures: [
			ours,
			theirs,
			ratio('answered: Dossier Trigger beside Webhook node', ours, theirs, atLeast),
			oursRun,
			theirsRun,
			ratio('executed: Dossier Trigger beside Webhook node', oursRun, theirsRun, atLeast),
		],
	};
}

/** A workflow that gets the events of one organization. */
interface Receiver {
	workflow: string;
	organization: string;
}

async function withDossierTrigger(bench: Bench, stage: Stage): Promise<Receiver> {
	const { id, credential } = await stage.member('enterprise', 'off');
	const workflow = await activated(stage, 'Dossier Trigger', {
		name: 'Dossier Trigger',
		type: 'n8n-nodes-dossier.dossierTrigger',
		parameters: { events: ['document.uploaded'] },
		credentials: { dossierApi: credential },
		webhookId: 'bench-dossier',
	});
	await until(bench, async () => {
		const { data } = await stage.control.get<{ data: unknown[] }>('/webhooks');
		return data.data.length === 1;
	});
	return { workflow, organization: id };
}

async function withWebhookNode(bench: Bench, stage: Stage): Promise<Receiver> {
	const { id } = await stage.member('enterprise', 'off');
	const path = 'bench-webhook';
	const workflow = await activated(stage, 'Webhook', {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
		webhookId: path,
	});
	const url = `${stage.host.url}/webhook/${path}`;
	await until(bench, async () => (await stage.host.session.post(url, {})).status === 200);
	await until(bench, async () => (await executedOf(stage, workflow)) === 1);
	await stage.control.post('/webhooks', {
		organization_id: id,
		url,
		events: ['document.uploaded'],
	});
	return { workflow, organization: id };
}

async function activated({ host: { session } }: Stage, name: string, start: Step): Promise<string> {
	const workflow = await importWorkflow(session, workflowOf(name, [start, DONE]));
	await activateWorkflow(session, workflow);
	return workflow.id;
}

/** n8n does some things after it has answered. */
async function until({ course }: Bench, reached: () => Promise<boolean>): Promise<void> {
	while (!(await reached())) await wait(POLL_MS, undefined, { signal: course.signal });
}

/** How many executions of a workflow ended well. */
async function executedOf({ host: { session } }: Stage, workflow: string): Promise<number> {
	const filter = JSON.stringify({ workflowId: workflow, status: ['success'] });
	const params = { filter, limit: 1 };
	const { data } = await session.get<{ data: { count: number } }>('/executions', { params });
	return data.data.count;
}

/** Sends events, and gives the seconds until all were answered and until all were executed. Throws where one was refused. */
async function deliver(
	bench: Bench,
	stage: Stage,
	{ organization, workflow }: Receiver,
	events: number,
): Promise<{ answered: number; executed: number }> {
	const { control } = stage;
	const wanted = (await executedOf(stage, workflow)) + events;
	const begin = performance.now();
	const seconds = () => (performance.now() - begin) / 1e3;
	await control.post('/emit', { organization_id: organization, count: events });
	const { data } = await control.get<{ pending: number; failed: number }>('/deliveries/idle', {
		params: { timeout: LONGEST_MS },
	});
	const answered = seconds();
	if (data.pending + data.failed > 0) throw new Error('Some deliveries were refused.');
	await until(bench, async () => (await executedOf(stage, workflow)) >= wanted);
	return { answered, executed: seconds() };
}
