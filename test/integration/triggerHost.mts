/**
 * What n8n does around a trigger: addresses, activation, deliveries, runs. The contexts and the engine are n8n-core's;
 * each step gets the workflow as it is stored, as in n8n, and static data is stored as a whole if the step changed it.
 */
import type { Request, Response } from 'express';
import { HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWebhookData,
	SchedulingFunctions,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { makeAdditionalData } from './n8n.mts';
import { loadApart } from './loadApart.mts';
import { passTime, StoredWorkflow } from './storedWorkflow.mts';
import type { Cron } from './storedWorkflow.mts';
import { listenForWebhooks } from './triggerServer.mts';

export interface TriggerHost {
	/** The address that the service calls. */
	url: string;
	/** Where this process listens, which may be behind another address. */
	listensAt: string;
	/** The static data of the workflow that n8n has stored. */
	readStaticData(): IDataObject;
	/** Stores something, as another node of the workflow does. */
	changeStaticData(change: (staticData: IDataObject) => void): void;
	/** How often n8n has stored it. */
	saves: number;
	/** How many runs n8n was asked to begin. */
	begins: number;
	/** The items that the trigger gave out in each execution that has ended. */
	executions: INodeExecutionData[][];
	/** The status of every answer that a sender got. */
	answers: number[];
	/** What `webhook()` threw: each would be a failed execution. */
	thrown: unknown[];
	activate(): Promise<void>;
	deactivate(): Promise<boolean>;
	/** Moves the clock of n8n's scheduler by an hour, unless otherwise said. The scheduled work of the trigger is done once. */
	tick(ms?: number): void;
	stop(): Promise<void>;
}

export interface TriggerSetup {
	credential: ICredentialDataDecryptedObject;
	parameters?: INodeParameters;
	/** Listen for a test event, under the test address. */
	test?: boolean;
	/** As n8n stored it, e.g. before a restart. */
	staticData?: IDataObject;
	/** As the address under which n8n believes to be reached. */
	publicUrl?: string;
	/** Of the node and its workflow; another workflow is a copy. */
	workflowId?: string;
	node?: Partial<INode>;
	/** What n8n does before it has stored a run; throws if it cannot, as while its database does not answer. */
	begin?: () => Promise<void> | void;
	/** Called whenever the credential is opened; throws if it was deleted. */
	onCredential?: () => void;
	/** Another process of n8n, which shares nothing with the rest of the test. */
	otherProcess?: boolean;
}

const loadTrigger = async () =>
	new (await import('../../nodes/Dossier/DossierTrigger.node')).DossierTrigger();

const refuseToEmit = () => {
	throw new Error('The trigger does not emit');
};

/** Sets a workflow up that begins with the trigger. It receives nothing before it is activated. */
export async function openTrigger(setup: TriggerSetup): Promise<TriggerHost> {
	const { workflowId = 'test', test: isTest = false } = setup;
	const type = setup.otherProcess ? await loadApart(loadTrigger) : new DossierTrigger();
	const node: INode = {
		id: 'trigger',
		name: 'Dossier Trigger',
		type: 'dossierTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		webhookId: 'e6b1a0de-5d6f-4f0e-9a45-3b0f2f0d1c11',
		parameters: {
			registration: 'automatic',
			events: ['document.uploaded'],
			filters: {},
			options: {},
			...setup.parameters,
		},
		credentials: { dossierApi: { id: '1', name: 'Test' } },
		...setup.node,
	};
	const stored = new StoredWorkflow(
		{ id: workflowId, name: 'Incoming', nodes: [node], findType: () => type },
		setup.staticData,
	);
	const load = () => Object.assign(stored.load(), { active: !isTest });
	const save = (workflow: Workflow) => {
		if (stored.save(workflow)) host.saves++;
	};

	const server = await listenForWebhooks(async (request, response) => {
		response.on('finish', () => host.answers.push(response.statusCode));
		await answer(request, response);
	});
	const base = setup.publicUrl ?? server.origin;
	const plain = makeAdditionalData(setup.credential);
	const { credentialsHelper } = plain;
	const getDecrypted = credentialsHelper.getDecrypted.bind(credentialsHelper);
	credentialsHelper.getDecrypted = async (...given) => {
		setup.onCredential?.();
		return await getDecrypted(...given);
	};
	const data = {
		...plain,
		webhookBaseUrl: `${base}/webhook`,
		webhookTestBaseUrl: `${base}/webhook-test`,
	};
	const webhooks = type.description.webhooks ?? [];
	const webhookDescription = webhooks.find(({ httpMethod }) => httpMethod === 'POST');
	if (!webhookDescription) throw new Error('The trigger describes no webhook');
	const mode: WorkflowExecuteMode = isTest ? 'manual' : 'webhook';
	const path = node.webhookId
		? `${node.webhookId}/webhook`
		: `${workflowId}/${encodeURIComponent(node.name.toLowerCase())}/webhook`;
	const webhookData: IWebhookData = {
		httpMethod: 'POST',
		node: node.name,
		path,
		webhookDescription,
		workflowId,
		workflowExecuteAdditionalData: data,
		isTest,
	};
	/** The webhook that n8n finds for a request of this method. */
	function describeWebhook(method: string): IWebhookData {
		const described = webhooks.find(({ httpMethod }) => httpMethod === method);
		return { ...webhookData, ...(described && { webhookDescription: described }) };
	}

	async function answer(request: Request, response: Response): Promise<void> {
		const workflow = stored.load();
		const context = new WebhookContext(
			workflow,
			node,
			{ ...data, httpRequest: request, httpResponse: response },
			mode,
			describeWebhook(request.method),
			[],
			null,
		);
		let result;
		try {
			result = await type.webhook.call(context);
		} catch (error) {
			host.thrown.push(error);
			response.status(500).json({});
			return;
		}
		const reply = () => {
			if (!result.noWebhookResponse) {
				const body: unknown = result.webhookResponse ?? { message: 'Workflow was started' };
				response.status(200);
				if (typeof body === 'string') response.send(body);
				else response.json(body);
			}
			save(workflow);
		};
		if (!result.workflowData) return reply();
		host.begins++;
		await setup.begin?.();
		reply();
		const { output } = await stored.run(stored.load(), data, mode, result.workflowData);
		host.executions.push(output);
	}

	const hook = (workflow: Workflow, activation: WorkflowActivateMode) =>
		new HookContext(workflow, node, data, mode, activation, webhookData);
	const methods = type.webhookMethods.default;
	const crons: Cron[] = [];
	async function beginTrigger(workflow: Workflow): Promise<void> {
		// Of the start before
		crons.length = 0;
		const registerCron: SchedulingFunctions['registerCron'] = (cron, onTick) =>
			void crons.push({ ...cron, onTick });
		const emits = [refuseToEmit, refuseToEmit, refuseToEmit] as const;
		const helpers = { registerCron };
		await type.trigger.call(
			new TriggerContext(workflow, node, data, 'trigger', 'activate', ...emits, helpers),
		);
	}
	const host: TriggerHost = {
		listensAt: server.origin,
		url: `${base}/${isTest ? 'webhook-test' : 'webhook'}/${path}`,
		readStaticData: () => JSON.parse(stored.json) as IDataObject,
		changeStaticData: (change) => {
			const staticData = JSON.parse(stored.json) as IDataObject;
			change(staticData);
			stored.json = JSON.stringify(staticData);
		},
		saves: 0,
		begins: 0,
		executions: [],
		answers: [],
		thrown: [],
		activate: async () => {
			const workflow = load();
			const context = hook(workflow, isTest ? 'manual' : 'activate');
			const register = async () => {
				if (!(await methods.checkExists.call(context))) await methods.create.call(context);
			};
			// n8n 2 does both at once (workflow-trigger-activator.js)
			const results = await Promise.allSettled([register(), isTest || beginTrigger(workflow)]);
			for (const result of results) {
				if (result.status === 'fulfilled') continue;
				// As n8n does (clearWebhooks in active-workflow-manager.js, clearRegisteredWebhook in webhook-trigger-registrar.js)
				await host.deactivate();
				throw result.reason;
			}
			save(workflow);
			if (isTest) return;
			// n8n evaluates no expression once it has activated the workflow
			// (a mock of jest would keep the workflow, and the process that loaded it, until the end of the file)
			workflow.expression.getParameterValue = () => {
				throw new Error('No bridge acquired for this context. Call acquire() first.');
			};
		},
		deactivate: async () => {
			const workflow = load();
			const isDone = await methods.delete.call(hook(workflow, 'update'));
			save(workflow);
			return isDone;
		},
		tick: (ms = 3_600_000) => {
			const due = passTime(crons, ms);
			// The hourly one first: while the other one works, it does nothing.
			for (const cron of crons.toReversed()) if (due.has(cron)) cron.onTick(new Date());
		},
		stop: async () => await server.stop(),
	};
	return host;
}
