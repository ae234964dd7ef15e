/**
 * What n8n does around a polling trigger: polls, runs, and when static data are stored. The contexts and the engine are
 * n8n-core's. Follows n8n 2.40.7, `poll-trigger-executor.js` and `trigger-execution-context.factory.js`.
 */
import { ExecutionLifecycleHooks, PollContext, WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { makeAdditionalData } from './n8n';

export interface PollHost {
	/** Polls once and runs the workflow with what came. Gives the items of that run; none if there was no run. */
	poll(): Promise<INodeExecutionData[]>;
	/** Polls once. n8n is killed before it has stored the run. */
	pollAndDie(): Promise<void>;
	/** Polls once. n8n is killed when it has stored the run, before the run begins: so the run begins at the next start. */
	pollAndDieBeforeRun(): Promise<void>;
	/** Runs the trigger as Execute step does. */
	executeStep(): Promise<INodeExecutionData[]>;
	/** What n8n has stored for the workflow. */
	stored(): string;
	/** Starts n8n again: another process, with what is stored. Gives the items of the run that waited for it. */
	restart(): Promise<INodeExecutionData[]>;
}

export interface PollSetup {
	credential: ICredentialDataDecryptedObject;
	parameters?: INodeParameters;
	/** How long a poll may take, in ms. */
	budget?: number;
}

async function loadApart(): Promise<DossierPollTrigger> {
	let apart: DossierPollTrigger | undefined;
	await jest.isolateModulesAsync(async () => {
		const loaded = await import('../../nodes/Dossier/DossierPollTrigger.node');
		apart = new loaded.DossierPollTrigger();
	});
	if (!apart) throw new Error('The node was not loaded');
	return apart;
}

/** How many workflows there are. */
let workflows = 0;

/** Sets a workflow up that begins with the trigger. Nothing is asked before the first poll. */
export function openPolling({ credential, parameters, budget }: PollSetup): PollHost {
	const node: INode = {
		id: 'trigger',
		name: 'Poll',
		type: 'dossierPollTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: { events: ['document.uploaded'], filters: {}, options: {}, ...parameters },
		credentials: { dossierApi: { id: '1', name: 'Test' } },
	};
	workflows += 1;
	const definition = {
		id: `polling ${workflows}`,
		name: 'Polling',
		nodes: [node],
		connections: {},
	};
	const data = makeAdditionalData(credential);
	let type = new DossierPollTrigger();
	let stored = '{}';
	let waiting: INodeExecutionData[] = [];
	const load = (staticData: string) =>
		new Workflow({
			...definition,
			active: true,
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
			staticData: JSON.parse(staticData) as IDataObject,
		});
	const save = ({ staticData }: Workflow) => {
		if (staticData.__dataChanged === true) stored = JSON.stringify(staticData);
	};
	let active = load(stored);

	async function run(
		mode: WorkflowExecuteMode,
		items: INodeExecutionData[],
		workflow = load(stored),
	) {
		const nodeExecutionStack = [{ node, data: { main: [items] }, source: null }];
		const execution = createRunExecutionData({ executionData: { nodeExecutionStack } });
		const dates = { createdAt: new Date(0), updatedAt: new Date(0) };
		const hooks = new ExecutionLifecycleHooks(mode, '1', {
			...definition,
			...dates,
			active: true,
			activeVersionId: null,
			isArchived: false,
		});
		const engine = new WorkflowExecute({ ...data, hooks }, mode, execution);
		const { resultData } = (await engine.processRunExecutionData(workflow)).data;
		if (resultData.error) throw resultData.error;
		if (mode !== 'manual') save(workflow);
		const [output] = resultData.runData[node.name]?.[0]?.data?.main ?? [];
		return output ?? [];
	}

	async function ask(): Promise<INodeExecutionData[] | undefined> {
		const workflow = active;
		const context = new PollContext(workflow, node, data, 'trigger', 'activate');
		if (budget !== undefined) Object.assign(context, { getPollBudgetMs: () => budget });
		const [items] = (await type.poll.call(context)) ?? [];
		// n8n begins to save before it stores the run.
		if (items) save(workflow);
		return items;
	}

	let isFirst = true;
	return {
		poll: async () => {
			const items = await ask();
			// n8n saves once when a workflow has been activated.
			if (isFirst) save(active);
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
		stored: () => stored,
		restart: async () => {
			type = await loadApart();
			active = load(stored);
			const items = waiting;
			waiting = [];
			// A stored run has no static data (enqueued-execution-recovery.service.js).
			return items.length ? await run('trigger', items, load('{}')) : [];
		},
	};
}
