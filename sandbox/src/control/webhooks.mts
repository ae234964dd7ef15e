import { createSystemContext } from '../accounts/caller.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { eventKinds } from '../webhooks/events.mts';
import { formatTime } from './clock.mts';
import type { Handlers } from './operation.mts';

/** How many events are stored before the service answers other requests again. */
const batch = 250;

/** The webhooks of every organization, events on demand, and deliveries, those that wait included, with every attempt. */
export const webhookHandlers: Handlers<'/webhooks' | '/emit' | '/deliveries'> = {
	'get /webhooks': ({ service }) => ({ data: service.webhooks.list() }),

	'post /webhooks': ({ service, body: { organization_id, environment, ...given } }) => {
		const body = { events: [...eventKinds], ...given };
		validateBody(service, 'webhooks.create', body);
		const { n } = service.organizations.dataset(organization_id, environment);
		return service.webhooks.create(createSystemContext(service.clock, { n }), body);
	},

	'patch /webhooks/{id}': ({ service, id, body }) => {
		validateBody(service, 'webhooks.update', body);
		return service.webhooks.update(createOwnerContext(service, id), id, body);
	},

	'delete /webhooks/{id}': ({ service, id }) => {
		service.webhooks.delete(createOwnerContext(service, id), id);
		return { id, deleted: true };
	},

	'post /webhooks/{id}/test': ({ service, id, body: { event, data } }) => {
		const { webhooks, deliveries, clock, events } = service;
		const { n, dataset, fields } = webhooks.byId(id);
		if (fields.status !== 'active') throw new RangeError('The webhook is disabled. Activate it.');
		const delivery = deliveries.addTest(n, {
			dataset,
			time: clock.iso(),
			kind: event,
			data: data ?? events.exampleData(event),
		});
		return { delivery_id: delivery };
	},

	'post /emit': async ({ service, body }) => {
		const { organization_id, environment, event, data, count: total } = body;
		const { organizations, events, clock } = service;
		const { n: dataset } = organizations.dataset(organization_id, environment);
		for (let at = 0; at < total; at += batch) {
			const some = Array.from(
				{ length: Math.min(batch, total - at) },
				(_, n) => data ?? numbered(events.exampleData(event), at + n + 1),
			);
			events.emitAll({ dataset, time: clock.iso() }, event, some);
			await new Promise((resolve) => setImmediate(resolve));
		}
		return { emitted: total };
	},

	'get /deliveries': ({ service, query: { page, per_page, ...filter } }) =>
		service.deliveryLog.page(filter, page, per_page),

	'get /deliveries/idle': async ({ service, query }) => ({
		idle: await service.dispatch.idle(query.timeout),
		...service.deliveryLog.counts(),
		next_due_at: formatTime(service.deliveries.nextDue()),
	}),

	'get /deliveries/{id}': ({ service, id }) => findDelivery(service, id),

	'post /deliveries/{id}/redeliver': ({ service, id }) => {
		findDelivery(service, id);
		if (!service.deliveries.redeliver(id)) {
			throw new RangeError('The webhook of this delivery is disabled. Activate it first.');
		}
		return findDelivery(service, id);
	},
};

/** The context of a change to a webhook by the control room. Throws 404 `WEBHOOK_NOT_FOUND`. */
function createOwnerContext({ webhooks, clock }: Service, id: string) {
	return createSystemContext(clock, { n: webhooks.byId(id).dataset });
}

function findDelivery({ deliveryLog }: Service, id: string): JsonObject {
	const delivery = deliveryLog.find(id);
	if (!delivery) throw new RangeError(`There is no delivery ${id}.`);
	return delivery;
}

/** Example data that differs for each of many events: its first identifier ends with the number. */
function numbered(data: JsonObject, n: number): JsonObject {
	const [first] = Object.entries(data);
	return first ? { ...data, [first[0]]: `${readText(first[1])}${n}` } : data;
}

/** Throws a ServiceError if a body does not match the contract's operation. */
function validateBody({ contract, validation }: Service, id: string, body: JsonObject): void {
	validation.checkRequestBody(contract.operation(id), 'application/json', body);
}
