import type { INodeProperties } from 'n8n-workflow';
import { asDate, asId, asObject, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { jsonField, sortedCollection } from '../../execution/fields';
import { optionalDossierLocator } from '../../execution/locators';

export const statusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'pending',
	options: [
		{ name: 'Cancelled', value: 'cancelled' },
		{ name: 'Completed', value: 'completed' },
		{ name: 'In Progress', value: 'in_progress' },
		{ name: 'In Review', value: 'in_review' },
		{ name: 'Pending', value: 'pending' },
	],
	description: 'State of the task',
};

export const priorityField: INodeProperties = {
	displayName: 'Priority',
	name: 'priority',
	type: 'options',
	default: 'normal',
	options: [
		{ name: 'High', value: 'high' },
		{ name: 'Low', value: 'low' },
		{ name: 'Normal', value: 'normal' },
		{ name: 'Urgent', value: 'urgent' },
	],
	description: 'Priority of the task',
};

export const assigneeField: INodeProperties = {
	displayName: 'Assignee ID',
	name: 'assigneeId',
	type: 'string',
	default: '',
	placeholder: 'e.g. usr_2b7d9e4f',
	description: 'ID of the user who is to do it',
};

export const titleField: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Check the invoice',
	description: 'Title of the task',
};

const optionalFields: INodeProperties[] = [
	assigneeField,
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'Details of the task',
	},
	optionalDossierLocator,
	{
		displayName: 'Due At',
		name: 'dueAt',
		type: 'dateTime',
		default: '',
		description:
			"When the task is due, in the workflow's timezone. The service reports it one day before.",
	},
	jsonField,
	priorityField,
	statusField,
];

export const createCollection = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the task. Fields left empty are not sent.',
	optionalFields,
);

export const updateCollection = sortedCollection(
	'Fields to Update',
	'fields',
	'The fields to change; all others keep their values. To clear a field, set it to null under Further Fields (JSON).',
	[titleField, ...optionalFields],
);

/** How the fields above are sent to the service. */
export const taskBody: Record<string, FieldMapping> = {
	title: { key: 'title', parse: asText },
	description: { key: 'description', parse: asText },
	dossierId: { key: 'dossier_id', parse: asId },
	status: { key: 'status', parse: asText },
	priority: { key: 'priority', parse: asText },
	assigneeId: { key: 'assignee_id', parse: asText },
	dueAt: { key: 'due_at', parse: asDate },
	furtherFields: { key: '', parse: asObject },
};
