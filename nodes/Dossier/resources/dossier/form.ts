import type { INodeProperties } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { asDate, asList, asObject, asRows, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { customFieldsField, jsonField, sortedCollection, toTitle } from '../../execution/fields';

export const stateField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'open',
	options: contract.dossierStates.map((value) => ({ name: toTitle(value), value })),
	description:
		"A dossier goes from open to in progress, pending, closed and archived. A closed one can be reopened; an archived one can't be changed.",
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
	description: 'Type of dossier, as your organization names it',
};

export const titleField: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Tax return 2026, Jane Doe',
	description: 'Name of the dossier',
};

export const referenceField: INodeProperties = {
	displayName: 'Reference',
	name: 'reference',
	type: 'string',
	default: '',
	placeholder: 'e.g. 2026-0042',
	description: 'Your own number or name for the dossier. It must be unique.',
};

/** The optional fields of a dossier. */
const optionalFields: INodeProperties[] = [
	assigneeField,
	{
		displayName: 'Contact Email',
		name: 'contactEmail',
		type: 'string',
		default: '',
		placeholder: 'e.g. jane@example.com',
		description: 'Email address of the person that the dossier is about',
	},
	{
		displayName: 'Contact Name',
		name: 'contactName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Jane Doe',
		description: 'Name of the person that the dossier is about',
	},
	{
		displayName: 'Contact Phone',
		name: 'contactPhone',
		type: 'string',
		default: '',
		placeholder: 'e.g. +49 30 1234567',
		description: 'Phone number of the person that the dossier is about',
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
		description: 'Keywords, separated by commas',
	},
	typeField,
];

export const createCollection = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the dossier. Fields left empty are not sent.',
	[referenceField, ...optionalFields],
);

/** The fields that change single tags. */
const tagFields: INodeProperties[] = [
	{
		displayName: 'Tags to Add',
		name: 'addTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. urgent, vat',
		description: 'Keywords to add to those that the dossier has, separated by commas',
	},
	{
		displayName: 'Tags to Remove',
		name: 'removeTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. urgent, vat',
		description: 'Keywords to remove from those that the dossier has, separated by commas',
	},
];

export const tagBody: Record<string, FieldMapping> = {
	addTags: { key: 'addTags', parse: asList },
	removeTags: { key: 'removeTags', parse: asList },
};

export const createOrUpdateCollection = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the dossier. Empty fields are not sent, so they never clear a value.',
	[...optionalFields, ...tagFields],
);

export const updateCollection = sortedCollection(
	'Fields to Update',
	'fields',
	'The fields to change; all others keep their values. To clear a field, set it to null under Further Fields (JSON).',
	[titleField, referenceField, ...optionalFields, ...tagFields],
);

/** A customer cannot read a dossier, so only all its tags can be replaced. */
export const workspaceUpdateCollection = sortedCollection(
	'Fields to Update',
	'fields',
	'The fields to change; all others keep their values. To clear a field, set it to null under Further Fields (JSON).',
	[titleField, referenceField, ...optionalFields],
);

/** How the fields above are sent to the service. */
export const dossierBody: Record<string, FieldMapping> = {
	title: { key: 'title', parse: asText },
	reference: { key: 'reference', parse: asText },
	description: { key: 'description', parse: asText },
	status: { key: 'status', parse: asText },
	type: { key: 'type', parse: asText },
	assigneeId: { key: 'assignee_id', parse: asText },
	contactName: { key: 'contact.name', parse: asText },
	contactEmail: { key: 'contact.email', parse: asText },
	contactPhone: { key: 'contact.phone', parse: asText },
	tags: { key: 'tags', parse: asList },
	dueAt: { key: 'due_at', parse: asDate },
	customFields: { key: 'custom_fields', parse: asRows },
	furtherFields: { key: '', parse: asObject },
};

/** The fields of a simplified dossier. */
export const SIMPLE_DOSSIER = [
	'id',
	'reference',
	'title',
	'description',
	'status',
	'type',
	'contact.name',
	'contact.email',
	'tags',
	'due_at',
] as const;
