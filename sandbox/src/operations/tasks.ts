import type { Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** The operations on tasks, by their name in the contract. */
export const taskOperations: Record<string, Handler> = {
	'tasks.list': {
		handle: (call) =>
			listPage(call, 'tasks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
				call.service.tasks.readFields(row),
			),
	},

	'tasks.create': {
		handle: ({ service, context, body }) => ({
			status: 201,
			body: service.tasks.create(context, body),
		}),
	},

	'tasks.update': {
		find: ({ service, dataset, id }) => void service.tasks.find(dataset, id),
		handle: ({ service, context, id, body }) => ({
			status: 200,
			body: service.tasks.patch(context, id, body),
		}),
	},

	'tasks.delete': {
		handle: ({ service, context, id }) => {
			service.tasks.delete(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},
};
