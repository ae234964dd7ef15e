import type { Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** The operations on tasks, by their name in the contract. */
export const taskOperations: Record<string, Handler> = {
	'tasks.list': (call) =>
		listPage(call, 'tasks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.tasks.readFields(row),
		),

	'tasks.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.tasks.create(call.context, body) };
	},

	'tasks.update': async (call) => {
		const { tasks } = call.service;
		tasks.find(call.dataset, call.id);
		const patch = await call.body();
		return { status: 200, body: tasks.patch(call.context, call.id, patch) };
	},

	'tasks.delete': (call) => {
		call.service.tasks.delete(call.context, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
