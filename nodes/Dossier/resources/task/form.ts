import type { INodeProperties } from 'n8n-workflow';
import { asDate, asId, asObject, asText } from '../../execution/parameters';
import type { Written } from '../../execution/parameters';
import { collectionOf, jsonField, optionalDossierLocator } from '../../execution/fields';

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
	description: 'How far the task is',
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
	description: 'How much it matters',
};

export const assigneeField: INodeProperties = {
	displayName: 'Assignee ID',
	name: 'assigneeId',
	type: 'string',
	default: '',
	placeholder: 'e.g. usr_2b7d9e4f',
	description: 'ID of the user who shall do it',
};

export const titleField: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Check the invoice',
	description: 'What is to be done',
};

const optionalFields: INodeProperties[] = [
	assigneeField,
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'More about what is to be done',
	},
	optionalDossierLocator,
	{
		displayName: 'Due At',
		name: 'dueAt',
		type: 'dateTime',
		default: '',
		description:
			"When it must be done, in the workflow's timezone. One day before, the service reports that it is due soon.",
	},
	jsonField,
	priorityField,
	statusField,
];

export const createCollection = collectionOf(
	'Additional Fields',
	'More about the task. Fields left empty are not sent.',
	optionalFields,
);

export const updateCollection = collectionOf(
	'Fields to Update',
	'What to change; everything else stays. To clear a field, give it as null under Further Fields (JSON).',
	[titleField, ...optionalFields],
);

/** How the fields above are written to the service. */
export const taskBody: Record<string, Written> = {
	title: { as: 'title', label: 'Title', read: asText },
	description: { as: 'description', label: 'Description', read: asText },
	dossierId: { as: 'dossier_id', label: 'Dossier', read: asId },
	status: { as: 'status', label: 'Status', read: asText },
	priority: { as: 'priority', label: 'Priority', read: asText },
	assigneeId: { as: 'assignee_id', label: 'Assignee ID', read: asText },
	dueAt: { as: 'due_at', label: 'Due At', read: asDate },
	furtherFields: { as: '', label: 'Further Fields (JSON)', read: asObject },
};
