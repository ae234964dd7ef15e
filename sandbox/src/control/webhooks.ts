import type { RequestContext } from '../accounts/caller.ts';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import type { WebhookFaultPlan } from '../webhooks/faults.ts';
import { isObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { parseEventKind, eventKinds } from '../webhooks/events.ts';
import { inputOf } from './input.ts';
import type { ControlRoom } from './room.ts';

const owner = {
	organization_id: { type: 'string' },
	environment: { type: 'string', enum: ['live', 'test'], default: 'live' },
};
const kind = { type: 'string', enum: [...eventKinds], default: 'document.uploaded' };
const count = { type: 'integer', minimum: 1, default: 1 };

const registration = inputOf(
	{ ...owner, url: {}, events: { default: [...eventKinds] }, secret: {} },
	['organization_id', 'url'],
);
const patch = inputOf({ url: {}, events: {}, secret: {}, status: {} });
const test = inputOf({ event: kind, data: { type: 'object' } });
const emission = inputOf(
	{ ...owner, event: kind, data: { type: 'object' }, count: { ...count, maximum: 100_000 } },
	['organization_id'],
);
const fault = inputOf(
	{
		kind: { type: 'string', enum: [...webhookFaultKinds] },
		webhook_id: { type: 'string' },
		event: { type: 'string', enum: [...eventKinds] },
		delay_ms: { type: 'integer', minimum: 1 },
		times: { type: 'integer', minimum: 1 },
		probability: { type: 'number', minimum: 0, maximum: 1 },
		seed: { type: 'integer' },
	},
	['kind'],
);

/** How many events are stored at a time: the service answers others in between. */
const batch = 250;

/** Webhooks of every organization, events on demand, and what is to go wrong with deliveries. */
export const webhooksRoom: ControlRoom = (routes, service) => {
	const { webhooks, webhookFaults, deliveries, events, clock } = service;

	routes.get('/webhooks', (context) => context.json({ data: webhooks.list() }));

	routes.post('/webhooks', async (context) => {
		const { organization_id, environment, ...body } = await registration(context.req);
		demandContract(service, 'webhooks.create', body);
		const act = actIn(service, { organization_id, environment });
		return context.json(webhooks.create(act, body), 201);
	});

	routes.patch('/webhooks/:id', async (context) => {
		const body = await patch(context.req);
		demandContract(service, 'webhooks.update', body);
		const id = context.req.param('id');
		const { dataset } = webhooks.byId(id);
		return context.json(webhooks.update(actOn(service, dataset), id, body));
	});

	routes.delete('/webhooks/:id', (context) => {
		const id = context.req.param('id');
		const { dataset } = webhooks.byId(id);
		webhooks.delete(actOn(service, dataset), id);
		return context.json({ id, deleted: true });
	});

	routes.post('/webhooks/:id/test', async (context) => {
		const { n, dataset, fields } = webhooks.byId(context.req.param('id'));
		const { event, data } = await test(context.req);
		if (fields.status !== 'active') throw new RangeError('The webhook is disabled. Activate it.');
		const eventKind = parseEventKind(readText(event) ?? '');
		const delivery = deliveries.addTest(n, {
			dataset,
			time: clock.iso(),
			kind: eventKind,
			data: isObject(data) ? data : events.exampleData(eventKind),
		});
		return context.json({ delivery_id: delivery }, 202);
	});

	routes.post('/emit', async (context) => {
		const input = await emission(context.req);
		const eventKind = parseEventKind(readText(input.event) ?? '');
		const { dataset } = actIn(service, input);
		const total = Number(input.count);
		const data = (n: number) =>
			isObject(input.data) ? input.data : numbered(events.exampleData(eventKind), n);
		for (let at = 0; at < total; at += batch) {
			const size = Math.min(batch, total - at);
			const some = Array.from({ length: size }, (_, n) => data(at + n + 1));
			events.emitAll({ dataset, time: clock.iso() }, eventKind, some);
			await new Promise((resolve) => setImmediate(resolve));
		}
		return context.json({ emitted: total }, 202);
	});

	routes.get('/webhook-faults', (context) => context.json({ data: webhookFaults.list() }));

	routes.post('/webhook-faults', async (context) =>
		context.json(webhookFaults.add(planOf(await fault(context.req))), 201),
	);

	routes.delete('/webhook-faults', (context) => {
		webhookFaults.clear();
		return context.json({ deleted: true });
	});

	routes.delete('/webhook-faults/:id', (context) => {
		const id = context.req.param('id');
		if (!webhookFaults.remove(id)) throw new RangeError(`There is no webhook fault ${id}.`);
		return context.json({ id, deleted: true });
	});
};

/** Example data of its own for each of many events: its first identifier counts. */
function numbered(data: JsonObject, n: number): JsonObject {
	const [first] = Object.entries(data);
	return first ? { ...data, [first[0]]: `${readText(first[1])}${n}` } : data;
}

function planOf(input: JsonObject): WebhookFaultPlan {
	const kindNamed = webhookFaultKinds.find((one) => one === input.kind);
	if (!kindNamed) throw new RangeError('There is no such fault.');
	const number = (name: string) => (input[name] === undefined ? undefined : Number(input[name]));
	return {
		kind: kindNamed,
		webhook_id: readText(input.webhook_id) ?? undefined,
		event: readText(input.event) ?? undefined,
		delay_ms: number('delay_ms'),
		times: number('times'),
		probability: number('probability'),
		seed: number('seed'),
	};
}

function demandContract({ contract, validation }: Service, id: string, body: JsonObject): void {
	const operation = contract.operations.find((one) => one.id === id);
	if (operation) validation.checkRequestBody(operation, 'application/json', body);
}

function actIn(service: Service, { organization_id, environment }: JsonObject): RequestContext {
	const keyKind = environment === 'test' ? 'test' : 'live';
	return actOn(service, service.organizations.dataset(readText(organization_id) ?? '', keyKind).n);
}

/** Who sits in the control room acts for the service itself. */
function actOn({ clock }: Service, dataset: number): RequestContext {
	return {
		dataset,
		userId: 'system',
		time: clock.iso(),
		actor: { type: 'system', id: null, name: 'Control room' },
		ipAddress: null,
		userAgent: null,
		requestId: null,
	};
}
