import { readText } from '../platform/json.ts';
import { createSystemContext } from '../accounts/caller.ts';
import type { KeyKind } from '../accounts/keys.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { eventKinds } from '../webhooks/events.ts';
import type { EventKind } from '../webhooks/events.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

interface Owner {
	organization_id: string;
	environment: KeyKind;
}

interface ChosenEvent {
	event: EventKind;
	data?: JsonObject;
}

const readRegistration = bodyReader<Owner & JsonObject>('post /webhooks');
const readPatch = bodyReader('patch /webhooks/{id}');
const readTest = bodyReader<ChosenEvent>('post /webhooks/{id}/test');
const readEmission = bodyReader<Owner & ChosenEvent & { count: number }>('post /emit');

/** How many events are stored before the service answers other requests again. */
const batch = 250;

/** The webhooks of every organization, and events on demand. */
export function addWebhookRoutes(routes: ControlRoutes, service: Service): void {
	const { organizations, webhooks, deliveries, events, clock } = service;

	routes.get('/webhooks', (context) => context.json({ data: webhooks.list() }));

	routes.post('/webhooks', async (context) => {
		const { organization_id, environment, ...given } = await readRegistration(context.req);
		const body = { events: [...eventKinds], ...given };
		validateBody(service, 'webhooks.create', body);
		const { n } = organizations.dataset(organization_id, environment);
		return context.json(webhooks.create(createSystemContext(clock, { n }), body), 201);
	});

	// A receiver for people who have none yet. The list of deliveries shows what it received.
	routes.post('/receiver', (context) => context.body(null, 204));

	routes.patch('/webhooks/:id', async (context) => {
		const body = await readPatch(context.req);
		validateBody(service, 'webhooks.update', body);
		const id = context.req.param('id');
		const { dataset } = webhooks.byId(id);
		return context.json(webhooks.update(createSystemContext(clock, { n: dataset }), id, body));
	});

	routes.delete('/webhooks/:id', (context) => {
		const id = context.req.param('id');
		const { dataset } = webhooks.byId(id);
		webhooks.delete(createSystemContext(clock, { n: dataset }), id);
		return context.json({ id, deleted: true });
	});

	routes.post('/webhooks/:id/test', async (context) => {
		const { n, dataset, fields } = webhooks.byId(context.req.param('id'));
		const { event, data } = await readTest(context.req);
		if (fields.status !== 'active') throw new RangeError('The webhook is disabled. Activate it.');
		const delivery = deliveries.addTest(n, {
			dataset,
			time: clock.iso(),
			kind: event,
			data: data ?? events.exampleData(event),
		});
		return context.json({ delivery_id: delivery }, 202);
	});

	routes.post('/emit', async (context) => {
		const {
			organization_id,
			environment,
			event,
			data,
			count: total,
		} = await readEmission(context.req);
		const { n: dataset } = organizations.dataset(organization_id, environment);
		for (let at = 0; at < total; at += batch) {
			const some = Array.from(
				{ length: Math.min(batch, total - at) },
				(_, n) => data ?? numbered(events.exampleData(event), at + n + 1),
			);
			events.emitAll({ dataset, time: clock.iso() }, event, some);
			await new Promise((resolve) => setImmediate(resolve));
		}
		return context.json({ emitted: total }, 202);
	});
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
