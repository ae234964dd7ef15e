import { updateDisplayOptions } from 'n8n-workflow';
import type { IDataObject, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { optionsField, outputField } from '../execution/fields';
import { explain } from '../execution/explain';
import { collectForms } from '../execution/labels';
import { asChoice } from '../execution/parameters';
import { computeField } from '../execution/unusable';
import { readWords } from '../execution/words';
import { isObject } from '../dialect/paths';
import { ANY_EVENT } from './event';
import type { Filter } from './event';

export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['document.uploaded'],
	options: [
		['Any Event', ANY_EVENT, 'Whatever happens'],
		['Document Deleted', 'document.deleted', 'A document was deleted, alone or with its dossier'],
		['Document Uploaded', 'document.uploaded', 'Someone added a document to a dossier'],
		['Dossier Created', 'dossier.created', 'A dossier was opened'],
		['Portal User Invited', 'portal.user_invited', 'Someone was invited to the portal'],
		['Portal User Signed In', 'portal.user_accessed', 'A portal user signed in to the portal'],
		['Task Due Soon', 'task.due_soon', 'A task that is not done is due within a day'],
	].map(([name = '', value = '', description]) => ({ name, value, description })),
	description: 'The events that start the workflow',
};

export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'Which of these events start the workflow. All conditions must be met.',
	options: [
		{
			displayName: 'Categories',
			name: 'categories',
			type: 'string',
			default: '',
			placeholder: 'e.g. Invoice, Identity Document',
			description: 'Only documents of these categories, separated by commas, semicolons or lines',
		},
		{
			displayName: 'Dossier Names or IDs',
			name: 'dossiers',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: 'getDossiers' },
			default: [],
			description:
				'Only what happens in these dossiers. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
	],
};

/** Whether to download an uploaded document, and the field that gets the file; only if such an event is among the chosen ones. */
export const downloadFields: INodeProperties[] = updateDisplayOptions(
	{ show: { events: [ANY_EVENT, 'document.uploaded'] } },
	[
		{
			displayName: 'Download Document',
			name: 'download',
			type: 'boolean',
			default: false,
			description:
				'Whether to get the file of an uploaded document, as the first step of the run. If the download fails, the workflow still runs, with the reason under download_error.',
		},
		{ ...outputField, required: true, displayOptions: { show: { download: [true] } } },
	],
);

export const addDetailsField: INodeProperties = {
	displayName: 'Add Details',
	name: 'addDetails',
	type: 'boolean',
	default: true,
	description:
		'Whether to read the dossier, the document, the task or the portal user that the event names, and add them under details, with name and email of the people whom they name, as far as the audit log and the portal users show them. Each takes one request or more.',
};

const registrationField: INodeProperties = {
	displayName: 'Registration',
	name: 'registration',
	type: 'options',
	default: 'automatic',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'The node registers its URL with the service when the workflow is published',
		},
		{
			name: 'Manual',
			value: 'manual',
			description: 'You enter the webhook URL in the settings of the service yourself',
		},
	],
	description: 'How the service learns which URL to call',
};

export const triggerForm: INodeProperties[] = [
	// What starts the workflow comes first (n8n's guidelines for triggers).
	eventsField,
	registrationField,
	{
		displayName:
			// n8n shows no other tags in a notice
			"<ul><li>Copy the 'Production URL' from 'Webhook URLs' above. To try the workflow first, copy the 'Test URL', which works while the node waits for a test event.</li><li>In the settings of the service, add a webhook with this URL and the events you want.</li><li>Copy the signing secret that the service shows there. Enter it in the credential: 'More Settings', 'Webhook Signing Secret'.</li><li>Publish the workflow (n8n 1: activate it).</li></ul>",
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	filtersField,
	...downloadFields,
	optionsField([
		addDetailsField,
		{
			displayName: 'Allow Unsigned Deliveries',
			name: 'allowUnsigned',
			type: 'boolean',
			default: false,
			description:
				'Whether to run for unsigned deliveries if no signing secret is known. Anybody who knows the URL can then start the workflow.',
		},
		{
			displayName: 'Include Headers',
			name: 'includeHeaders',
			type: 'boolean',
			default: true,
			description: 'Whether to add the headers of the delivery to the output',
		},
		{
			displayName: 'Largest Body (kB)',
			name: 'largestBody',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1024,
			description: 'Deliveries with a larger body are refused',
		},
		{
			displayName: 'Other Event Names',
			name: 'otherEvents',
			type: 'string',
			default: '',
			placeholder: 'e.g. dossier.closed',
			description:
				'Events that the list above does not have, by their whole names, separated by commas, semicolons or lines',
		},
		{
			displayName: 'Raw Records',
			name: 'rawRecords',
			type: 'boolean',
			default: true,
			description:
				'Whether to return the data of the event under the names that the service sent, even if a dialect translates them',
		},
		{
			displayName: 'Response Body',
			name: 'responseBody',
			type: 'string',
			default: '',
			placeholder: 'e.g. ok',
			description: 'What n8n answers, with status 200. Without this option: {"ok": true}.',
		},
		{
			displayName: 'Run on Test Events',
			name: 'runOnTest',
			type: 'boolean',
			default: true,
			description:
				'Whether to run for events that the service sends to try the URL out, such as ping',
		},
	]),
];

/** Reads a field of a form, or gives the fallback. */
export type ReadField = (name: string, fallback: unknown) => unknown;

/** Opens the form of a trigger. To read a field throws Problem if an expression in it fails. */
export const openForm =
	(context: Pick<IWebhookFunctions, 'getNode' | 'getNodeParameter'>): ReadField =>
	(name, fallback) =>
		computeField(context, name, (path) => context.getNodeParameter(path, fallback));

/** Whether a person tells the service the URL. Throws Problem. */
export const isManual = (read: ReadField): boolean =>
	asChoice(read('registration', 'automatic'), registrationField) === 'manual';

/** Reads the fields that were added to a collection. */
export function readCollection(read: ReadField, name: string): IDataObject {
	const given = read(name, {});
	return isObject(given) ? given : {};
}

/** Reads the filter in the form of either trigger. Throws Problem if an event is none of the list. */
export function readFilter(read: ReadField): Filter {
	const filters = readCollection(read, 'filters');
	const options = readCollection(read, 'options');
	const events = readWords(read('events', []));
	return {
		events: events.map((word) => asChoice(word, eventsField)),
		otherEvents: readWords(options.otherEvents),
		dossiers: readWords(filters.dossiers),
		categories: readWords(filters.categories),
		runOnTest: options.runOnTest === true,
	};
}

export const explainError = (error: unknown) => explain(error, collectForms(triggerForm));
