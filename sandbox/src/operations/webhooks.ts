import type { Handler } from './call.ts';
import { readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { challengeReceiver } from '../webhooks/challenge.ts';
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
		handle: async ({ service, context, body }) => {
			await challenge(service, body);
			return { status: 201, body: service.webhooks.create(context, body) };
		},
	},

	'webhooks.get': {
		handle: ({ service, dataset, id }) => ({
			status: 200,
			body: service.webhooks.find(dataset, id).fields,
		}),
	},

	'webhooks.update': {
		find: ({ service, dataset, id }) => void service.webhooks.find(dataset, id),
		handle: async ({ service, context, id, body }) => {
			await challenge(service, body);
			return { status: 200, body: service.webhooks.update(context, id, body) };
		},
	},

	'webhooks.delete': {
		handle: ({ service, context, id }) => {
			service.webhooks.delete(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},
};

/** Sends a challenge to the address of a registration if the dialect has one. Throws 422 unless the receiver repeats it. */
async function challenge({ dialect }: Service, { url }: JsonObject): Promise<void> {
	const address = readText(url);
	const rule = dialect.registration?.challenge;
	if (rule && address !== null && URL.canParse(address)) await challengeReceiver(address, rule);
}
