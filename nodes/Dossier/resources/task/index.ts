import type { Operation, Resource } from '../../execution/operation';
import { taskList } from '../../execution/lists/tasks';
import { optionalDossierLocator, taskLocator } from '../../execution/locators';
import { hidesText, readUpdated, requireChanges } from '../written';
import { confirmDeletion, deletionLimit, limitDeletions } from '../deletion';
import { getMany } from '../many';
import { taskCreateFields, taskBody, taskDossier, taskTitleField, taskUpdateFields } from './form';

const getManyTasks = getMany({
	action: 'Get many tasks',
	description: 'List tasks, all of them or those that match',
	list: taskList,
	output: 'Task',
});

const createTask: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create task',
	description: 'Add a task',
	output: 'Task',
	fields: [{ ...taskTitleField, required: true }, optionalDossierLocator, taskCreateFields],
	async run({ parameters, api, note }) {
		const title = parameters.text('title');
		const body = {
			title,
			...parameters.body(taskDossier),
			...parameters.body(taskBody, 'fields'),
		};
		api.translator.refuseUnsent('task', body);
		const task = await api.call('tasks.create', { body });
		if (hidesText(body, task)) note('unshown');
		return { json: task };
	},
};

const updateTask: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update task by ID',
	description: 'Change some fields of a task; all others keep their values',
	output: 'Task',
	fields: [taskLocator, taskUpdateFields],
	async run({ parameters, api, note }) {
		const id = parameters.id('taskId');
		const body = parameters.body(taskBody, 'fields');
		requireChanges(body);
		api.translator.refuseUnsent('task', body);
		const answer = await api.call('tasks.update', { id, body });
		if (hidesText(body, answer)) note('unshown');
		return { json: readUpdated(answer, id, body) };
	},
};

const deleteTask: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete task by ID',
	description: 'Delete a task permanently',
	caution: "Deletes the task of each item permanently. This can't be undone.",
	output: 'Deleted',
	fields: [taskLocator, deletionLimit],
	prepare: limitDeletions('taskId'),
	async run(run) {
		const id = run.parameters.id('taskId');
		await run.api.call('tasks.delete', { id });
		return confirmDeletion(run, id);
	},
};

export const task: Resource = {
	name: 'Task',
	value: 'task',
	description: 'A task, in a dossier or on its own',
	access: 'key',
	operations: [getManyTasks, createTask, updateTask, deleteTask],
};
