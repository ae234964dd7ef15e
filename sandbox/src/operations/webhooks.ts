import type { Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** The operations on webhooks, by their name in the contract. */
export const webhookOperations: Record<string, Handler> = {
	'webhooks.list': {
		handle: (call) =>
			listPage(call, 'webhooks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
				call.service.webhooks.readFields(row),
			),
	},

	'webhooks.create': {
		handle: ({ service, context, body }) => ({
			status: 201,
			body: service.webhooks.create(context, body),
		}),
	},

	'webhooks.get': {
		handle: ({ service, dataset, id }) => ({
			status: 200,
			body: service.webhooks.find(dataset, id).fields,
		}),
	},

	'webhooks.update': {
		find: ({ service, dataset, id }) => void service.webhooks.find(dataset, id),
		handle: ({ service, context, id, body }) => ({
			status: 200,
			body: service.webhooks.update(context, id, body),
		}),
	},

	'webhooks.delete': {
		handle: ({ service, context, id }) => {
			service.webhooks.delete(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},
};
