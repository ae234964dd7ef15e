/** Builds workflows and their nodes, for commands, measurements and tests. */
import { randomUUID } from 'node:crypto';
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import type { CredentialReference, WorkflowFile } from './rest.mts';

/** A node of a workflow. `id`, `typeVersion` (1) and `position` are filled in if they are missing. */
export interface Step extends Partial<INode> {
	name: string;
	type: string;
	parameters: INodeParameters;
}

/** A workflow whose nodes follow each other. */
export function buildWorkflow(name: string, steps: Step[]): WorkflowFile {
	const connections: IConnections = Object.fromEntries(
		steps.slice(1).map((step, at) => {
			const main = [[{ node: step.name, type: 'main' as const, index: 0 }]];
			return [steps[at]?.name ?? '', { main }];
		}),
	);
	return { name, nodes: placeSteps(steps), connections, settings: { executionOrder: 'v1' } };
}

/** Makes nodes of steps, which stand in a row on the canvas. */
function placeSteps(steps: Step[]): INode[] {
	return steps.map((step, at) => ({
		id: `node${at}`,
		typeVersion: 1,
		position: [at * 220, 0],
		...step,
	}));
}

/** The node, as n8n knows it. */
export const DOSSIER = 'n8n-nodes-dossier.dossier';

/** Starts a workflow by hand. */
export const START: Step = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

/** Makes an item of each entry of a list. */
export const splitOut = (name: string, field: string): Step => ({
	name,
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: field, options: {} },
});

/** Reads the files that a pattern names, one item for each. */
export const readFiles = (pattern: string): Step => ({
	name: 'Read Files',
	type: 'n8n-nodes-base.readWriteFile',
	typeVersion: 1.1,
	parameters: { operation: 'read', fileSelector: pattern, options: {} },
});

/** Takes requests from outside. */
export const webhookStep = (name: string, path: string, responseMode: string): Step => ({
	name,
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	parameters: { httpMethod: 'POST', path, responseMode, options: {} },
	webhookId: path,
});

/** Posts each item to an address, where a test or a measurement counts it. */
export const postTo = (url: string): Step => ({
	name: 'Report',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ JSON.stringify($json) }}',
		options: {},
	},
});

/** The value of a locator that names a record by its ID, or by an expression that gives it. */
export const byId = (value: string) => ({ __rl: true as const, mode: 'id', value });

export const dossierStep = (
	name: string,
	credential: CredentialReference,
	parameters: INodeParameters,
	onError?: INode['onError'],
): Step => ({ name, type: DOSSIER, parameters, credentials: { dossierApi: credential }, onError });

/** Starts a workflow for each uploaded document, unless the parameters name other events. */
export const triggerStep = (
	credential: CredentialReference,
	parameters: INodeParameters = {},
): Step => ({
	name: 'Trigger',
	type: `${DOSSIER}Trigger`,
	typeVersion: 1.1,
	parameters: { events: ['document.uploaded'], options: {}, ...parameters },
	credentials: { dossierApi: credential },
	webhookId: randomUUID(),
});

/** The same by polling. n8n's shortest poll time is a minute, but a trigger can have several. */
export const pollStep = (
	credential: CredentialReference,
	seconds: number,
	event = 'document.uploaded',
): Step => {
	const times = Array.from({ length: 60 / seconds }, (_, nth) => ({
		mode: 'custom',
		cronExpression: `${nth * seconds} * * * * *`,
	}));
	return {
		name: 'Trigger',
		type: `${DOSSIER}PollTrigger`,
		parameters: { pollTimes: { item: times }, events: [event], options: {} },
		credentials: { dossierApi: credential },
	};
};
