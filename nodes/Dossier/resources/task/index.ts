import type { Operation, Resource } from '../../execution/operation';
import { asId, bodyOf, requireChanges } from '../../execution/parameters';
import { deleted, optionalDossierLocator, taskLocator } from '../../execution/fields';
import { getMany, momentFilter, searchFilter } from '../many';
import {
	assigneeField,
	createCollection,
	priorityField,
	statusField,
	taskBody,
	titleField,
	updateCollection,
} from './form';

const getManyTasks = getMany({
	action: 'Get many tasks',
	description: 'List tasks, all of them or those that match',
	endpoint: 'tasks.list',
	filters: [
		{ as: 'assignee_id', field: assigneeField },
		momentFilter('created_after', 'Created After', 'created after'),
		momentFilter('created_before', 'Created Before', 'created before'),
		{
			as: 'dossier_id',
			read: asId,
			field: { ...optionalDossierLocator, description: 'Only the tasks of this dossier' },
		},
		momentFilter('due_after', 'Due After', 'due after'),
		momentFilter('due_before', 'Due Before', 'due before'),
		{
			as: 'priority',
			field: { ...priorityField, description: 'Only those that matter this much' },
		},
		searchFilter('check the invoice'),
		{ as: 'status', field: { ...statusField, description: 'Only those in this state' } },
		momentFilter('updated_after', 'Updated After', 'changed after'),
	],
	sorts: ['created_at', 'due_at', 'priority', 'status', 'title', 'updated_at'],
	simple: [
		'id',
		'dossier_id',
		'title',
		'status',
		'priority',
		'assignee_id',
		'due_at',
		'created_at',
	],
});

const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create a task',
	description: 'Add something to be done',
	fields: [{ ...titleField, required: true }, createCollection],
	async run({ parameters, api }) {
		const title = parameters.text('title', 'Title');
		const fields = bodyOf(parameters.collection('fields'), taskBody, parameters.timezone);
		return { json: await api.call('tasks.create', { body: { title, ...fields } }) };
	},
};

const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update a task',
	description: 'Change some fields of a task and keep the others',
	fields: [taskLocator, updateCollection],
	async run({ parameters, api }) {
		const id = parameters.id('taskId', 'Task');
		const body = bodyOf(parameters.collection('fields'), taskBody, parameters.timezone);
		requireChanges(body);
		return { json: await api.call('tasks.update', { id, body }) };
	},
};

const deleteTask: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a task',
	description: 'Delete a task for good',
	fields: [taskLocator],
	async run({ parameters, api }) {
		const id = parameters.id('taskId', 'Task');
		await api.call('tasks.delete', { id });
		return deleted(id);
	},
};

export const task: Resource = {
	name: 'Task',
	value: 'task',
	description: 'Something to be done, in a dossier or on its own',
	access: 'key',
	operations: [getManyTasks, create, deleteTask, update],
};
