/** What n8n does around a trigger: webhook addresses, activation, deliveries to its runtime. The contexts are n8n-core's. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { HookContext, WebhookContext } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWebhookData,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { makeAdditionalData } from './n8n';

export interface TriggerHost {
	/** The address that the service calls. */
	url: string;
	/** What n8n keeps for the node. */
	staticData: IDataObject;
	/** The items of each execution that was started. */
	executions: INodeExecutionData[][];
	/** The status of every answer that a sender got. */
	answers: number[];
	/** What `webhook()` threw: each would be a failed execution. */
	thrown: unknown[];
	activate(): Promise<void>;
	deactivate(): Promise<boolean>;
	stop(): Promise<void>;
}

export interface TriggerSetup {
	credential: ICredentialDataDecryptedObject;
	parameters?: INodeParameters;
	/** Listen for a test event, under the test address. */
	test?: boolean;
	/** As n8n kept it, e.g. from before a restart. */
	staticData?: IDataObject;
	/** As the address under which n8n believes to be reached. */
	publicUrl?: string;
	/** Whether n8n can begin a run, as it cannot while its database does not answer. */
	canBegin?: () => boolean;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/** express' answer, as far as n8n gives it to a node. */
function asExpress(response: ServerResponse) {
	return Object.assign(response, {
		status(code: number) {
			response.statusCode = code;
			return this;
		},
		json(body: unknown) {
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
			return this;
		},
		type(name: string) {
			response.setHeader('Content-Type', name);
			return this;
		},
		send(body: string) {
			response.end(body);
			return this;
		},
	});
}

/** Sets a workflow up that begins with the trigger. It receives nothing before it is activated. */
export async function openTrigger(setup: TriggerSetup): Promise<TriggerHost> {
	const type = new DossierTrigger();
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
	};
	const workflow = new Workflow({
		id: 'test',
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes: {
			getByName: () => type,
			getByNameAndVersion: () => type,
			getKnownTypes: () => ({}),
		},
		staticData: setup.staticData,
	});

	const server = createServer((request, response) => void answer(request, response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const base = setup.publicUrl ?? `http://127.0.0.1:${port}`;
	const data = {
		...makeAdditionalData(setup.credential),
		webhookBaseUrl: `${base}/webhook`,
		webhookTestBaseUrl: `${base}/webhook-test`,
	};
	const [webhookDescription] = type.description.webhooks ?? [];
	if (!webhookDescription) throw new Error('The trigger describes no webhook');
	const mode: WorkflowExecuteMode = setup.test ? 'manual' : 'webhook';
	const path = `${node.webhookId}/webhook`;
	const webhookData: IWebhookData = {
		httpMethod: 'POST',
		node: node.name,
		path,
		webhookDescription,
		workflowId: 'test',
		workflowExecuteAdditionalData: data,
		isTest: setup.test ?? false,
	};
	const { executions, answers, thrown }: Pick<TriggerHost, 'executions' | 'answers' | 'thrown'> = {
		executions: [],
		answers: [],
		thrown: [],
	};

	async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const rawBody = await readAll(incoming);
		const response = asExpress(outgoing);
		outgoing.on('finish', () => answers.push(outgoing.statusCode));
		const context = new WebhookContext(
			workflow,
			node,
			{
				...data,
				httpRequest: Object.assign(incoming, { rawBody }) as unknown as Request,
				httpResponse: response as unknown as Response,
			},
			mode,
			webhookData,
			[],
			null,
		);
		try {
			const result = await type.webhook.call(context);
			if (result.workflowData && setup.canBegin?.() === false) {
				response.status(500).json({ message: 'Error in workflow' });
				return;
			}
			if (result.workflowData) executions.push(...result.workflowData);
			if (!result.noWebhookResponse) {
				response.status(200).json(result.webhookResponse ?? { message: 'Workflow was started' });
			}
		} catch (error) {
			thrown.push(error);
			response.status(500).json({});
		}
	}

	const hook = (activation: WorkflowActivateMode) =>
		new HookContext(workflow, node, data, mode, activation, webhookData);
	const methods = type.webhookMethods.default;
	return {
		url: `${base}/${setup.test ? 'webhook-test' : 'webhook'}/${path}`,
		staticData: workflow.staticData,
		executions,
		answers,
		thrown,
		activate: async () => {
			const context = hook('activate');
			if (!(await methods.checkExists.call(context))) await methods.create.call(context);
		},
		deactivate: async () => await methods.delete.call(hook('update')),
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
