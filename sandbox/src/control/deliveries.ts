import { readInteger, readNothing } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';

const maxWaitMs = 10 * 60 * 1000;

/** Deliveries to webhooks, those that wait included, with every attempt. */
export function addDeliveryRoutes(routes: ControlRoutes, service: Service): void {
	const { deliveries, deliveryLog, dispatch } = service;

	routes.get('/deliveries', (context) => {
		const { webhook_id, organization_id, event, event_id, state } = context.req.query();
		const page = readInteger(context.req, 'page', { fallback: 1, min: 1, max: 1_000_000 });
		const perPage = readInteger(context.req, 'per_page', { fallback: 25, min: 1, max: 1000 });
		const filter = { webhook_id, organization_id, event, event_id, state };
		return context.json(deliveryLog.page(filter, page, perPage));
	});

	routes.get('/deliveries/idle', async (context) => {
		const range = { fallback: 10_000, min: 0, max: maxWaitMs };
		const idle = await dispatch.idle(readInteger(context.req, 'timeout', range));
		const nextDue = deliveries.nextDue();
		return context.json({
			idle,
			...deliveryLog.counts(),
			next_due_at: nextDue === undefined ? null : new Date(nextDue).toISOString(),
		});
	});

	routes.get('/deliveries/:id', (context) => {
		const id = context.req.param('id');
		const delivery = deliveryLog.find(id);
		if (!delivery) throw new RangeError(`There is no delivery ${id}.`);
		return context.json(delivery);
	});

	routes.post('/deliveries/:id/redeliver', async (context) => {
		await readNothing(context.req);
		const id = context.req.param('id');
		if (!deliveryLog.find(id)) throw new RangeError(`There is no delivery ${id}.`);
		if (!deliveries.redeliver(id)) {
			throw new RangeError('The webhook of this delivery is disabled. Activate it first.');
		}
		return context.json(deliveryLog.find(id), 202);
	});
}
