import { bodyReader, queryReader } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';

const readFilter = queryReader<{ page: number; per_page: number }>('get /deliveries');
const readWait = queryReader<{ timeout: number }>('get /deliveries/idle');
const readNothing = bodyReader('post /deliveries/{id}/redeliver');

/** Deliveries to webhooks, those that wait included, with every attempt. */
export function addDeliveryRoutes(routes: ControlRoutes, service: Service): void {
	const { deliveries, deliveryLog, dispatch } = service;

	routes.get('/deliveries', (context) => {
		const { page, per_page, ...filter } = readFilter(context.req);
		return context.json(deliveryLog.page(filter, page, per_page));
	});

	routes.get('/deliveries/idle', async (context) => {
		const idle = await dispatch.idle(readWait(context.req).timeout);
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
