import type { INodeParameters } from 'n8n-workflow';
import type { CredentialReference, WorkflowFile } from '../host/rest.mts';
import {
	byId,
	dossierStep,
	pollStep,
	postTo,
	splitOut,
	triggerStep,
	webhookStep,
	buildWorkflow,
	placeSteps,
} from '../host/steps.mts';
import type { Step } from '../host/steps.mts';

/** The kinds of job that the harness gives n8n. Each has a workflow, which a POST starts. */
export const JOB_KINDS = ['create', 'upload', 'update', 'synchronise', 'download'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Shorter than a stall, so that stalls end in an error. */
const options = { timeout: 5, longestWait: 30 };

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
	},
	update: {
		resource: 'dossier',
		operation: 'update',
		dossierId: byId('={{ $json.body.dossier }}'),
		fields: { description: '={{ $json.body.description }}' },
	},
	synchronise: {
		resource: 'document',
		operation: 'synchronise',
		dossierId: byId("={{ $('Job').first().json.body.dossier }}"),
		filesFrom: 'named',
		binaryPropertyName: 'data',
		extent: 'exactly',
		deleteLimit: 100,
		category: 'other',
	},
	download: {
		resource: 'document',
		operation: 'download',
		documentId: byId('={{ $json.body.document }}'),
		binaryPropertyName: 'data',
	},
};

/** Makes an item of each file of a job. */
const makeFiles: Step[] = [
	splitOut('Split', 'body.files'),
	{
		name: 'File',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: {
			operation: 'toBinary',
			sourceProperty: 'content',
			options: { fileName: '={{ $json.name }}', mimeType: 'application/octet-stream' },
		},
	},
];

/** Answers with all records, or with status 500 if one item has an error. */
const answerRecords = buildAnswer('Answer', {
	respondWith: 'allIncomingItems',
	options: { responseCode: '={{ $input.all().some((item) => item.json.error) ? 500 : 200 }}' },
});

/** The workflow of a kind of job. It answers with what the operation gives out, or with status 500 and the errors of items. */
export function buildJobWorkflow(kind: JobKind, credential: CredentialReference): WorkflowFile {
	const hasFiles = kind === 'upload' || kind === 'synchronise';
	const steps: Step[] = [
		webhookStep('Job', `soak-${kind}`, 'responseNode'),
		...(hasFiles ? makeFiles : []),
		dossierStep(
			'Dossier',
			credential,
			{ ...OPERATIONS[kind], options },
			kind === 'download' ? 'continueErrorOutput' : 'continueRegularOutput',
		),
	];
	const name = `Soak: ${kind}`;
	if (kind !== 'download') return buildWorkflow(name, [...steps, answerRecords]);
	const answers = [buildAnswer('File', { respondWith: 'binary' }), answerRecords];
	const workflow = buildWorkflow(name, steps);
	const outputs = answers.map((answer) => [{ node: answer.name, type: 'main' as const, index: 0 }]);
	return {
		...workflow,
		nodes: placeSteps([...steps, ...answers]),
		connections: { ...workflow.connections, Dossier: { main: outputs } },
	};
}

function buildAnswer(name: string, parameters: INodeParameters): Step {
	return {
		name,
		type: 'n8n-nodes-base.respondToWebhook',
		typeVersion: 1.1,
		parameters: { options: {}, ...parameters },
	};
}

/** How a workflow learns of uploaded documents: by the service's deliveries, or by polling the audit log. */
export const EVENT_SOURCES = ['webhook', 'poll'] as const;

export type EventSource = (typeof EVENT_SOURCES)[number];

const POLL_SECONDS = 5;
/** The workflow that reports each event of an uploaded document to the harness, at the path of its source. */
export function buildEventWorkflow(
	source: EventSource,
	credential: CredentialReference,
	reportTo: string,
): WorkflowFile {
	const trigger =
		source === 'poll'
			? pollStep(credential, POLL_SECONDS)
			: triggerStep(credential, { registration: 'automatic' });
	const steps = [trigger, { ...postTo(`${reportTo}/${source}`), retryOnFail: true }];
	return buildWorkflow(`Soak: ${source}`, steps);
}
