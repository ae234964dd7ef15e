import type { INodeProperties } from 'n8n-workflow';
import { asDate, asId, asObject, asOpenChoice, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { jsonField, sortedCollection, textField } from '../../execution/fields';
import { priorityField, taskStatusField } from '../../execution/lists/tasks';
import { assigneeField, optionalDossierLocator } from '../../execution/locators';

export const taskTitleField: INodeProperties = textField(
	'Title',
	'title',
	'Check the invoice',
	'Title of the task',
);

/** The fields of a task beside its title and its dossier. */
const detailFields: INodeProperties[] = [
	assigneeField,
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'Details of the task',
	},
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
	taskStatusField,
];

export const taskCreateFields = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the task. Fields left empty are not sent.',
	detailFields,
);

export const taskUpdateFields = sortedCollection(
	'Fields to Update',
	'fields',
	"The fields to change; all others keep their values. To clear a field, set it to null under 'Further Fields (JSON)'.",
	[taskTitleField, optionalDossierLocator, ...detailFields],
);

/** How the dossier of a task is sent, which the form has beside the collection when a task is created. */
export const taskDossier: Record<string, FieldMapping> = {
	dossierId: { key: 'dossier_id', parse: asId },
};

/** How the fields above are sent to the service. */
export const taskBody: Record<string, FieldMapping> = {
	title: { key: 'title', parse: asText },
	description: { key: 'description', parse: asText },
	...taskDossier,
	status: { key: 'status', parse: asOpenChoice(taskStatusField) },
	priority: { key: 'priority', parse: asOpenChoice(priorityField) },
	assigneeId: { key: 'assignee_id', parse: asId },
	dueAt: { key: 'due_at', parse: asDate },
	furtherFields: { key: '', parse: asObject },
};
