import type { Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** The operations on webhooks, by their name in the contract. */
export const webhookOperations: Record<string, Handler> = {
	'webhooks.list': (call) =>
		listPage(call, 'webhooks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.webhooks.readFields(row),
		),

	'webhooks.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.webhooks.create(call.context, body) };
	},

	'webhooks.get': (call) => ({
		status: 200,
		body: call.service.webhooks.find(call.dataset, call.id).fields,
	}),

	'webhooks.update': async (call) => {
		const { webhooks } = call.service;
		webhooks.find(call.dataset, call.id);
		const body = await call.body();
		return { status: 200, body: webhooks.update(call.context, call.id, body) };
	},

	'webhooks.delete': (call) => {
		call.service.webhooks.delete(call.context, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
