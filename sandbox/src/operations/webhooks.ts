import type { Handler } from './call.ts';
import { listed } from './listed.ts';

/** The operations on webhooks, by their name in the contract. */
export const webhookOperations: Record<string, Handler> = {
	'webhooks.list': (call) =>
		listed(call, 'webhooks', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.webhooks.fieldsOf(row),
		),

	'webhooks.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.webhooks.create(call.act, body) };
	},

	'webhooks.get': (call) => ({
		status: 200,
		body: call.service.webhooks.find(call.dataset, call.id).fields,
	}),

	'webhooks.update': async (call) => {
		const { webhooks } = call.service;
		webhooks.find(call.dataset, call.id);
		const body = await call.body();
		return { status: 200, body: webhooks.update(call.act, call.id, body) };
	},

	'webhooks.delete': (call) => {
		call.service.webhooks.delete(call.act, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
