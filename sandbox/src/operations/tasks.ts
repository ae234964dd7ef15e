import type { Handler } from './call.ts';
import { listed } from './listed.ts';

/** The operations on tasks, by their name in the contract. */
export const taskOperations: Record<string, Handler> = {
	'tasks.list': (call) =>
		listed(call, 'tasks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.tasks.fieldsOf(row),
		),

	'tasks.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.tasks.create(call.act, body) };
	},

	'tasks.update': async (call) => {
		const { tasks } = call.service;
		tasks.find(call.dataset, call.id);
		const patch = await call.body();
		return { status: 200, body: tasks.patch(call.act, call.id, patch) };
	},

	'tasks.delete': (call) => {
		call.service.tasks.delete(call.act, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
