import type { INodeProperties } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { asDate, asList, asObject, asText } from '../../execution/parameters';
import type { Written } from '../../execution/parameters';
import { collectionOf, customFieldsField, jsonField } from '../../execution/fields';

const STATE_NAMES: Record<(typeof contract.dossierStates)[number], string> = {
	open: 'Open',
	in_progress: 'In Progress',
	pending: 'Pending',
	closed: 'Closed',
	archived: 'Archived',
};

export const stateField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'open',
	options: contract.dossierStates.map((value) => ({ name: STATE_NAMES[value], value })),
	description:
		'Goes from open to in progress, pending, closed and archived; a closed dossier can be opened again, an archived one cannot be changed',
};

export const assigneeField: INodeProperties = {
	displayName: 'Assignee ID',
	name: 'assigneeId',
	type: 'string',
	default: '',
	placeholder: 'e.g. usr_2b7d9e4f',
	description: 'ID of the user who is responsible',
};

export const typeField: INodeProperties = {
	displayName: 'Type',
	name: 'type',
	type: 'string',
	default: '',
	placeholder: 'e.g. tax_return',
	description: 'Kind of dossier, as your organization names it',
};

export const titleField: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Tax return 2026, Jane Doe',
	description: 'Name of the dossier, as people see it',
};

export const referenceField: INodeProperties = {
	displayName: 'Reference',
	name: 'reference',
	type: 'string',
	default: '',
	placeholder: 'e.g. 2026-0042',
	description: 'Your own number or name for the dossier; no two dossiers share one',
};

/** The fields of a dossier that need not be given. */
const optionalFields: INodeProperties[] = [
	assigneeField,
	{
		displayName: 'Contact Email',
		name: 'contactEmail',
		type: 'string',
		default: '',
		placeholder: 'e.g. jane@example.com',
		description: 'Email address of the person whom the dossier is about',
	},
	{
		displayName: 'Contact Name',
		name: 'contactName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Jane Doe',
		description: 'Name of the person whom the dossier is about',
	},
	{
		displayName: 'Contact Phone',
		name: 'contactPhone',
		type: 'string',
		default: '',
		placeholder: 'e.g. +49 30 1234567',
		description: 'Phone number of the person whom the dossier is about',
	},
	customFieldsField,
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'What the dossier is about',
	},
	{
		displayName: 'Due At',
		name: 'dueAt',
		type: 'dateTime',
		default: '',
		description: "When the dossier must be finished, in the workflow's timezone",
	},
	jsonField,
	stateField,
	{
		displayName: 'Tags',
		name: 'tags',
		type: 'string',
		default: '',
		placeholder: 'e.g. urgent, vat',
		description: 'Words to find the dossier by, separated by commas',
	},
	typeField,
];

export const createCollection = collectionOf(
	'Additional Fields',
	'More about the dossier. Fields left empty are not sent.',
	[referenceField, ...optionalFields],
);

export const createOrUpdateCollection = collectionOf(
	'Additional Fields',
	'More about the dossier. Fields left empty are not sent, so they never clear what is there.',
	optionalFields,
);

export const updateCollection = collectionOf(
	'Fields to Update',
	'What to change; everything else stays. To clear a field, give it as null under Further Fields (JSON).',
	[titleField, referenceField, ...optionalFields],
);

/** How the fields above are written to the service. */
export const dossierBody: Record<string, Written> = {
	title: { as: 'title', label: 'Title', read: asText },
	reference: { as: 'reference', label: 'Reference', read: asText },
	description: { as: 'description', label: 'Description', read: asText },
	status: { as: 'status', label: 'Status', read: asText },
	type: { as: 'type', label: 'Type', read: asText },
	assigneeId: { as: 'assignee_id', label: 'Assignee ID', read: asText },
	contactName: { as: 'contact.name', label: 'Contact Name', read: asText },
	contactEmail: { as: 'contact.email', label: 'Contact Email', read: asText },
	contactPhone: { as: 'contact.phone', label: 'Contact Phone', read: asText },
	tags: { as: 'tags', label: 'Tags', read: asList },
	dueAt: { as: 'due_at', label: 'Due At', read: asDate },
	customFields: { as: 'custom_fields', label: 'Custom Fields (JSON)', read: asObject },
	furtherFields: { as: '', label: 'Further Fields (JSON)', read: asObject },
};

/** What Simplify keeps of a dossier. */
export const SIMPLE_DOSSIER = [
	'id',
	'reference',
	'title',
	'status',
	'type',
	'assignee_id',
	'document_count',
	'due_at',
	'created_at',
	'updated_at',
] as const;
