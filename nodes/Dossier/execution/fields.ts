import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Output } from './operation';

/** How many records a list gives out. */
export const amountFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		default: 50,
		typeOptions: { minValue: 1 },
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
];

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** A field for whatever the form does not list. It belongs last, so that it overrides the fields above it. */
export const jsonField: INodeProperties = {
	displayName: 'Further Fields (JSON)',
	name: 'furtherFields',
	type: 'json',
	default: '{}',
	description:
		'Fields that this form does not list, as a JSON object with the names that the service uses. A field given here overrides the one above.',
};

export const customFieldsField: INodeProperties = {
	displayName: 'Custom Fields (JSON)',
	name: 'customFields',
	type: 'json',
	default: '{}',
	description: 'Your own fields as a JSON object, e.g. {"cost_centre": "4711"}',
};

/** A field that takes one record: picked from a searchable list, or by its ID. */
const locator = (
	displayName: string,
	name: string,
	searchListMethod: string,
	example: string,
): INodeProperties => ({
	displayName,
	name,
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: `The ${displayName.toLowerCase()} to work on`,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: `Select a ${displayName.toLowerCase()}...`,
			typeOptions: { searchListMethod, searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${example}` },
	],
});

export const dossierLocator = locator('Dossier', 'dossierId', 'searchDossiers', 'dos_8f3k2m1q');

export const portalUserLocator = locator(
	'Portal User',
	'portalUserId',
	'searchPortalUsers',
	'usr_4h6j8k2l',
);

export const taskLocator = locator('Task', 'taskId', 'searchTasks', 'tsk_9d7f5g3h');

/** A document, and above its list the dossier to pick it from: the service lists documents by dossier alone. */
export const documentLocator: INodeProperties[] = [
	{
		...dossierLocator,
		name: 'dossierOfList',
		required: false,
		// The slash means the root. Without it, n8n 1 looks for a field of that whole name, and runs nothing of this node.
		displayOptions: { show: { '/documentId.mode': ['list'] } },
		description: 'The dossier that the document is in',
		hint: 'Choose it first: the list below shows the documents of one dossier.',
	},
	{
		...locator('Document', 'documentId', 'searchDocuments', 'doc_5t9x0c7v'),
		typeOptions: { loadOptionsDependsOn: ['dossierOfList.value'] },
	},
];

/** The dossier that something belongs to, as a field of a collection: it may stay empty. */
export const optionalDossierLocator: INodeProperties = {
	...dossierLocator,
	required: false,
	description: 'The dossier it belongs to',
};

/** A collection of fields in the order of their labels. */
export const sortedCollection = (
	displayName: string,
	name: string,
	description: string,
	options: INodeProperties[],
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder: `Add ${displayName.includes('Fields') ? 'Field' : displayName.replace(/s$/, '')}`,
	default: {},
	description,
	options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
});

/** The binary field that a file is put in. */
export const outputField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
};

/** The address of the service, for operations without a credential. */
export const addressField: INodeProperties = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. https://api.example.com/v1',
	description:
		'Address of the API, as the service gave it to you. This operation needs no credential.',
};

/** `in_progress` as the form shows it: In Progress. */
export const titleCase = (name: string) =>
	name
		.split('_')
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');

/** A record reduced to the fields that most workflows need; the whole record if it has none of them. */
export function simplify(record: IDataObject, fields: readonly string[]): Output {
	const kept = fields.filter((field) => field in record);
	if (kept.length === 0) return { json: record };
	return { json: Object.fromEntries(kept.map((field) => [field, record[field]])) };
}

/** The same answer for everything that was deleted, whatever the service says about it. */
export const confirmDeletion = (id: string): Output => ({ json: { id, deleted: true } });
