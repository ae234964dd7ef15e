/**
 * What n8n does around a polling trigger: polls, runs, and when static data are stored. The contexts and the engine are
 * n8n-core's. Follows n8n 2.40.7, `poll-trigger-executor.js` and `trigger-execution-context.factory.js`.
 */
import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { makeAdditionalData } from './n8n.mts';
import { loadApart } from './loadApart.mts';
import { StoredWorkflow } from './storedWorkflow.mts';

export interface PollHost {
	/** Polls once and runs the workflow with what came. Gives the items of that run; none if there was no run. */
	poll(): Promise<INodeExecutionData[]>;
	/** Polls once. n8n is killed before it has stored the run. */
	pollAndDie(): Promise<void>;
	/** Polls once. n8n is killed when it has stored the run, before the run begins: so the run begins at the next start. */
	pollAndDieBeforeRun(): Promise<void>;
	/** Runs the trigger as Execute step does. */
	executeStep(): Promise<INodeExecutionData[]>;
	/** The static data of the workflow that n8n has stored. */
	stored(): string;
	/** The warnings of polls that did not fail. */
	reported: Error[];
	/** Starts n8n again: another process, with what is stored. Gives the items of the run that waited for it. */
	restart(): Promise<INodeExecutionData[]>;
}

export interface PollSetup {
	credential: ICredentialDataDecryptedObject;
	parameters?: INodeParameters;
	/** How long a poll may take, in ms. */
	budget?: number;
}

const loadTrigger = async () =>
	new (await import('../../nodes/Dossier/DossierPollTrigger.node')).DossierPollTrigger();

/** How many workflows there are. */
let workflows = 0;

/** Sets a workflow up that begins with the trigger. Nothing is asked before the first poll. */
export function openPolling({ parameters = {}, ...setup }: PollSetup): PollHost {
	const [host] = openPollings(setup, [parameters]);
	if (!host) throw new Error('No trigger was set up');
	return host;
}

/** Sets a workflow up that has several triggers. */
export function openPollings(
	{ credential, budget }: Omit<PollSetup, 'parameters'>,
	triggers: INodeParameters[],
): PollHost[] {
	const nodes = triggers.map(
		(parameters, index): INode => ({
			id: `trigger ${index}`,
			name: index ? `Poll ${index}` : 'Poll',
			type: 'dossierPollTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: { events: ['document.uploaded'], filters: {}, options: {}, ...parameters },
			credentials: { dossierApi: { id: '1', name: 'Test' } },
		}),
	);
	workflows += 1;
	const data = makeAdditionalData(credential);
	let type = new DossierPollTrigger();
	const workflow = new StoredWorkflow({
		id: `polling ${workflows}`,
		name: 'Polling',
		nodes,
		findType: () => type,
	});
	let active = workflow.load();

	return nodes.map((node): PollHost => {
		let waiting: INodeExecutionData[] = [];
		let isFirst = true;
		const reported: Error[] = [];

		async function run(
			mode: WorkflowExecuteMode,
			items: INodeExecutionData[],
			loaded = workflow.load(),
		) {
			const { output, error } = await workflow.run(loaded, data, mode, [items], node);
			if (error) throw error;
			if (mode !== 'manual') workflow.save(loaded);
			return output;
		}

		async function ask(): Promise<INodeExecutionData[] | undefined> {
			const polled = active;
			const context = new PollContext(polled, node, data, 'trigger', 'activate');
			Object.assign(context, { __emitError: (error: Error) => reported.push(error) });
			if (budget !== undefined) Object.assign(context, { getPollBudgetMs: () => budget });
			const [items] = (await type.poll.call(context)) ?? [];
			// n8n begins to save before it stores the run.
			if (items) workflow.save(polled);
			return items;
		}

		return {
			poll: async () => {
				const items = await ask();
				// n8n saves once when a workflow has been activated.
				if (isFirst) workflow.save(active);
				isFirst = false;
				return items ? await run('trigger', items) : [];
			},
			pollAndDie: async () => {
				await ask();
			},
			pollAndDieBeforeRun: async () => {
				waiting = (await ask()) ?? [];
			},
			executeStep: async () => await run('manual', [{ json: {} }]),
			stored: () => workflow.json,
			reported,
			restart: async () => {
				type = await loadApart(loadTrigger);
				active = workflow.load();
				const items = waiting;
				waiting = [];
				// A stored run has no static data (enqueued-execution-recovery.service.js).
				return items.length ? await run('trigger', items, workflow.load('{}')) : [];
			},
		};
	});
}
