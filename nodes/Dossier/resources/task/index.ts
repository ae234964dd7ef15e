import { toText } from '../../api/values';
import type { Operation, Resource } from '../../execution/operation';
import { asId, requireChanges } from '../../execution/parameters';
import { confirmDeletion } from '../../execution/fields';
import { optionalDossierLocator, taskLocator } from '../../execution/locators';
import { hidesText } from '../kept';
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
	born: { time: 'created_at', after: 'created_after' },
	output: 'Task',
	filters: [
		{ key: 'assignee_id', field: assigneeField },
		momentFilter('created_after', 'Created After', 'created after'),
		momentFilter('created_before', 'Created Before', 'created before'),
		{
			key: 'dossier_id',
			parse: asId,
			field: { ...optionalDossierLocator, description: 'Only the tasks of this dossier' },
		},
		momentFilter('due_after', 'Due After', 'due after'),
		momentFilter('due_before', 'Due Before', 'due before'),
		{
			key: 'priority',
			field: { ...priorityField, description: 'Only tasks with this priority' },
		},
		searchFilter('check the invoice'),
		{ key: 'status', field: { ...statusField, description: 'Only tasks in this state' } },
		momentFilter('updated_after', 'Updated After', 'changed after'),
	],
	sorts: ['created_at', 'due_at', 'priority', 'status', 'title', 'updated_at'],
	simple: [
		'id',
		'dossier_id',
		'title',
		'description',
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
	action: 'Create task',
	description: 'Add a task',
	output: 'Task',
	fields: [{ ...titleField, required: true }, createCollection],
	async run({ parameters, api, note }) {
		const title = parameters.text('title');
		const body = { title, ...parameters.body(taskBody, 'fields') };
		const task = await api.call('tasks.create', { body });
		if (hidesText(body, task)) note('unshown');
		return { json: task };
	},
};

const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update task by ID',
	description: 'Change some fields of a task; all others keep their values',
	output: 'Task',
	fields: [taskLocator, updateCollection],
	async run({ parameters, api }) {
		const id = parameters.id('taskId');
		const body = parameters.body(taskBody, 'fields');
		requireChanges(body);
		const answer = await api.call('tasks.update', { id, body });
		return { json: toText(answer.id) === undefined ? { id, ...body } : answer };
	},
};

const deleteTask: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete task by ID',
	description: 'Delete a task permanently',
	caution: "Deletes the task of each item permanently. This can't be undone.",
	output: 'Deleted',
	fields: [taskLocator],
	async run({ parameters, api }) {
		const id = parameters.id('taskId');
		await api.call('tasks.delete', { id });
		return confirmDeletion(id);
	},
};

export const task: Resource = {
	name: 'Task',
	value: 'task',
	description: 'A task, in a dossier or on its own',
	access: 'key',
	operations: [getManyTasks, create, update, deleteTask],
};
