import { z } from 'zod';
import type { Service } from '../service.mts';
import { eventKinds } from '../webhooks/events.mts';
import { formatTime } from './clock.mts';
import { keyKind } from './organizations.mts';
import { answer, byId, createSection, operation, parameters, time } from './operation.mts';

const tags = ['Webhooks'];

const attempt = z
	.strictObject({
		number: z.int().describe('Counts up from 1.'),
		at: time,
		url: z.string(),
		status: z.int().nullable().describe('Null if there was no answer.'),
		answer: z.string().nullable().describe('The first 2 KiB.'),
		error: z.string().nullable(),
		ms: z.number(),
		faults: z.array(z.string()).describe('The webhook faults that struck it.'),
	})
	.describe('A request to a receiver, and its answer.')
	.meta({ id: 'Attempt' });

const delivery = z
	.strictObject({
		id: z.string(),
		event_id: z.string(),
		event: z.enum(eventKinds),
		created_at: time,
		webhook_id: z.string(),
		organization_id: z.string(),
		environment: keyKind,
		state: z.enum(['pending', 'delivered', 'failed']),
		due_at: time.nullable(),
		attempts: z.array(attempt),
	})
	.meta({ id: 'Delivery' });
const deliveryWithBody = delivery
	.extend({ body: z.record(z.string(), z.unknown()).describe('The event.') })
	.meta({ id: 'DeliveryWithBody' });
const counts = z
	.strictObject({
		idle: z.boolean(),
		pending: z.int(),
		delivered: z.int(),
		failed: z.int(),
		next_due_at: time.nullable(),
	})
	.meta({ id: 'Counts' });

/** A delivery of an event to a webhook, with every attempt. */
export type Delivery = z.infer<typeof delivery>;
export type DeliveryWithBody = z.infer<typeof deliveryWithBody>;
/** How many deliveries are in each state. */
export type DeliveryCounts = z.infer<typeof counts>;

const deliveryAnswer = answer('The delivery with its body.', deliveryWithBody);
const text = z.string().optional();

/** Deliveries, those that wait included, with every attempt. */
export const deliveryRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/deliveries',
			operationId: 'deliveries.list',
			summary: 'Deliveries with every attempt, newest first',
			tags,
			request: {
				query: parameters({
					webhook_id: text,
					organization_id: text,
					event: text,
					event_id: text,
					state: text,
					page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1),
					per_page: z.coerce.number<number>().int().min(1).max(1000).default(25),
				}),
			},
			responses: {
				200: answer(
					'A page of them, and how many there are.',
					z.strictObject({ data: z.array(delivery), total: z.int() }),
				),
			},
		}),
		({ req, json, var: { service } }) => {
			const { page, per_page, ...filter } = req.valid('query');
			const { data, total } = service.deliveryLog.page(filter, page, per_page);
			return json({ data: z.array(delivery).parse(data), total }, 200);
		},
	)
	.openapi(
		operation({
			method: 'get',
			path: '/deliveries/idle',
			operationId: 'deliveries.settle',
			summary:
				'Answers when nothing is due and nothing is in progress, or after this many milliseconds',
			tags,
			request: {
				query: parameters({
					timeout: z.coerce.number<number>().int().min(0).max(600_000).default(10_000),
				}),
			},
			responses: { 200: answer('How many deliveries are in each state.', counts) },
		}),
		async ({ req, json, var: { service } }) => {
			const idle = await service.dispatch.idle(req.valid('query').timeout);
			const next_due_at = formatTime(service.deliveries.nextDue());
			return json({ idle, ...service.deliveryLog.counts(), next_due_at }, 200);
		},
	)
	.openapi(
		operation({
			method: 'get',
			path: '/deliveries/{id}',
			operationId: 'deliveries.read',
			summary: 'One delivery, with its body',
			tags,
			request: { params: byId },
			responses: { 200: deliveryAnswer },
		}),
		({ req, json, var: { service } }) => json(findDelivery(service, req.valid('param').id), 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/deliveries/{id}/redeliver',
			operationId: 'deliveries.redeliver',
			summary: 'Sends it again now, with all attempts ahead of it',
			tags,
			request: { params: byId },
			responses: { 202: deliveryAnswer },
		}),
		({ req, json, var: { service } }) => {
			const { id } = req.valid('param');
			findDelivery(service, id);
			if (!service.deliveries.redeliver(id)) {
				throw new RangeError('The webhook of this delivery is disabled. Activate it first.');
			}
			return json(findDelivery(service, id), 202);
		},
	);

function findDelivery({ deliveryLog }: Service, id: string): DeliveryWithBody {
	const found = deliveryLog.find(id);
	if (!found) throw new RangeError(`There is no delivery ${id}.`);
	return deliveryWithBody.parse(found);
}
