import { answerWith, deleteRecord } from './call.mts';
import type { Call, Handler } from './call.mts';
import { readText } from '../platform/json.mts';
import { requestProof } from '../webhooks/proof.mts';
import { listRecords } from './list-page.mts';

const findWebhook = ({ service, dataset, id }: Call) => service.webhooks.find(dataset, id);

/** The operations on webhooks, by their name in the contract. */
export const webhookOperations: Record<string, Handler> = {
	'webhooks.list': listRecords('webhooks', ({ webhooks }) => webhooks),

	'webhooks.create': answerWith(201, async (call) => {
		await proveAddress(call);
		return call.service.webhooks.create(call.context, call.body);
	}),

	'webhooks.get': answerWith(200, (call) => findWebhook(call).fields),

	'webhooks.update': {
		find: findWebhook,
		...answerWith(200, async (call) => {
			await proveAddress(call);
			return call.service.webhooks.update(call.context, call.id, call.body);
		}),
	},

	'webhooks.delete': deleteRecord(({ webhooks }) => webhooks),
};

/** Asks the address of a registration for proof if the dialect says so. Throws 422 unless the receiver repeats the text. */
async function proveAddress({ service: { dialect }, body }: Call): Promise<void> {
	const address = readText(body.url);
	const rule = dialect.registration?.proof;
	if (rule && address !== null && URL.canParse(address)) await requestProof(address, rule);
}
