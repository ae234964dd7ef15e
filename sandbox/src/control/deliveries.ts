import { inputOf, wholeOf } from './input.ts';
import type { ControlRoom } from './room.ts';

const longestWait = 10 * 60 * 1000;
const nothing = inputOf({});

/** What was sent to webhooks and what waits to be sent, with every attempt. */
export const deliveriesRoom: ControlRoom = (routes, service) => {
	const { deliveries, deliveryLog, dispatch } = service;

	routes.get('/deliveries', (context) => {
		const { webhook_id, organization_id, event, event_id, state } = context.req.query();
		const page = wholeOf(context.req, 'page', { otherwise: 1, least: 1, most: 1_000_000 });
		const perPage = wholeOf(context.req, 'per_page', { otherwise: 25, least: 1, most: 1000 });
		const filter = { webhook_id, organization_id, event, event_id, state };
		return context.json(deliveryLog.page(filter, page, perPage));
	});

	routes.get('/deliveries/idle', async (context) => {
		const most = { otherwise: 10_000, least: 0, most: longestWait };
		const idle = await dispatch.idle(wholeOf(context.req, 'timeout', most));
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
		await nothing(context.req);
		const id = context.req.param('id');
		if (!deliveryLog.find(id)) throw new RangeError(`There is no delivery ${id}.`);
		if (!deliveries.redeliver(id)) {
			throw new RangeError('The webhook of this delivery is disabled. Activate it first.');
		}
		return context.json(deliveryLog.find(id), 202);
	});
};
