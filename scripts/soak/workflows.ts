import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import type { CredentialReference, WorkflowFile } from '../host/rest.ts';

/** What the harness asks n8n for, each by a workflow of its own that a POST starts. */
export const JOB_KINDS = ['create', 'upload', 'update', 'download'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

const DOSSIER = 'n8n-nodes-dossier.dossier';
/** Shorter than a stall, so that stalls end in an error. */
const requestOptions = { timeout: 5, longestWait: 30 };
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const OPERATIONS: Record<JobKind, INodeParameters> = {
	create: {
		resource: 'dossier',
		operation: 'upsert',
		reference: '={{ $json.body.reference }}',
		title: '={{ $json.body.title }}',
		fields: {},
	},
	upload: {
		resource: 'document',
		operation: 'upload',
		dossierId: byId("={{ $('Job').first().json.body.dossier }}"),
		filesFrom: 'named',
		binaryPropertyName: 'data',
		category: 'other',
		ifExists: 'skip',
		options: {},
	},
	update: {
		resource: 'dossier',
		operation: 'update',
		dossierId: byId('={{ $json.body.dossier }}'),
		fields: { description: '={{ $json.body.description }}' },
	},
	download: {
		resource: 'document',
		operation: 'download',
		documentId: byId('={{ $json.body.document }}'),
		binaryPropertyName: 'data',
	},
};

const makeFile: Omit<INode, 'position'> = {
	id: 'file',
	name: 'File',
	type: 'n8n-nodes-base.convertToFile',
	typeVersion: 1.1,
	parameters: {
		operation: 'toBinary',
		sourceProperty: 'body.content',
		options: { fileName: '={{ $json.body.name }}', mimeType: 'application/octet-stream' },
	},
};

/** The workflow of a kind of job. It answers with what the operation gives out, or with status 500 and the error of the item. */
export function buildJobWorkflow(kind: JobKind, credential: CredentialReference): WorkflowFile {
	const steps: Array<Omit<INode, 'position'>> = [
		{
			id: 'job',
			name: 'Job',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			parameters: { path: `soak-${kind}`, httpMethod: 'POST', responseMode: 'responseNode' },
			webhookId: `soak-${kind}`,
		},
		...(kind === 'upload' ? [makeFile] : []),
		{
			id: 'dossier',
			name: 'Dossier',
			type: DOSSIER,
			typeVersion: 1,
			parameters: { ...OPERATIONS[kind], requestOptions },
			credentials: { dossierApi: credential },
			onError: 'continueErrorOutput',
		},
	];
	const answers = [
		buildAnswer('Done', { respondWith: kind === 'download' ? 'binary' : 'firstIncomingItem' }),
		buildAnswer('Failed', { respondWith: 'firstIncomingItem', options: { responseCode: 500 } }),
	];
	const nodes = [...steps, ...answers].map(
		(node, at): INode => ({ ...node, position: [at * 220, 0] }),
	);
	const connections: IConnections = {
		...connectInTurn(steps.map(({ name }) => name)),
		Dossier: { main: answers.map(({ name }) => [{ node: name, type: 'main' as const, index: 0 }]) },
	};
	return { name: `Soak: ${kind}`, nodes, connections, settings: { executionOrder: 'v1' } };
}

function buildAnswer(name: string, parameters: INodeParameters): Omit<INode, 'position'> {
	return {
		id: name.toLowerCase(),
		name,
		type: 'n8n-nodes-base.respondToWebhook',
		typeVersion: 1.1,
		parameters: { options: {}, ...parameters },
	};
}

/** The workflow that reports each event of an uploaded document to the harness. */
export function buildReceiveWorkflow(
	credential: CredentialReference,
	reportTo: string,
): WorkflowFile {
	const steps: Array<Omit<INode, 'position'>> = [
		{
			id: 'trigger',
			name: 'Trigger',
			type: 'n8n-nodes-dossier.dossierTrigger',
			typeVersion: 1.1,
			parameters: { registration: 'automatic', events: ['document.uploaded'], options: {} },
			credentials: { dossierApi: credential },
			webhookId: 'd0551e50-5047-4e7a-9c15-6f1f3a0c7e22',
		},
		{
			id: 'report',
			name: 'Report',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: reportTo,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($json) }}',
				options: {},
			},
			retryOnFail: true,
		},
	];
	const nodes = steps.map((node, at): INode => ({ ...node, position: [at * 220, 0] }));
	const connections = connectInTurn(steps.map(({ name }) => name));
	return { name: 'Soak: receive', nodes, connections, settings: { executionOrder: 'v1' } };
}

function connectInTurn(names: string[]): IConnections {
	return Object.fromEntries(
		names
			.slice(1)
			.map((next, at) => [
				names[at] ?? '',
				{ main: [[{ node: next, type: 'main' as const, index: 0 }]] },
			]),
	);
}
