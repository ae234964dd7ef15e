import { answerWith, deleteRecord } from './call.mts';
import type { Call, Handler } from './call.mts';
import { listRecords } from './list-page.mts';

const findWebhook = ({ service, dataset, id }: Call) => service.webhooks.find(dataset, id);

/** The operations on webhooks, by their name in the contract. */
export const webhookOperations: Record<string, Handler> = {
	'webhooks.list': listRecords('webhooks', ({ webhooks }) => webhooks),

	'webhooks.create': answerWith(201, ({ service, context, body }) =>
		service.webhooks.create(context, body),
	),

	'webhooks.get': answerWith(200, (call) => findWebhook(call).fields),

	'webhooks.update': {
		find: findWebhook,
		...answerWith(200, ({ service, context, id, body }) =>
			service.webhooks.update(context, id, body),
		),
	},

	'webhooks.delete': deleteRecord(({ webhooks }) => webhooks),
};
