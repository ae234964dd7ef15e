import { z } from 'zod';
import type { components } from '../../../contract/generated/types.mts';
import { createSystemContext } from '../accounts/caller.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { eventKinds } from '../webhooks/events.mts';
import { contractField, jsonObject } from './contract-field.mts';
import { keyKind } from './organizations.mts';
import { sampleData } from './sample-event.mts';
import {
	answer,
	answerList,
	byId,
	createSection,
	deletedById,
	fields,
	operation,
	takes,
	time,
} from './operation.mts';

type ContractTypes = components['schemas'];

const tags = ['Webhooks'];

/** How many events the sandbox stores before it lets other requests in. */
const batchSize = 250;

const eventKind = z.enum(eventKinds);

const webhook = z
	.strictObject({
		id: z.string(),
		url: z.string(),
		events: z.array(eventKind),
		status: z.enum(['active', 'disabled']),
		created_at: time,
	})
	.meta({ id: 'Webhook' });
const newWebhook = webhook.extend({ secret: z.string() }).meta({ id: 'NewWebhook' });
const ownedWebhook = webhook
	.extend({
		organization_id: z.string(),
		environment: keyKind,
		secrets: z
			.array(z.string())
			.describe('The secret, then the one that it replaced, for 24 hours.'),
	})
	.meta({ id: 'OwnedWebhook' });

export type Webhook = z.infer<typeof webhook>;
export type NewWebhook = z.infer<typeof newWebhook>;
export type OwnedWebhook = z.infer<typeof ownedWebhook>;

const registration = {
	url: contractField<string>('WebhookCreate/properties/url'),
	events: contractField<ContractTypes['WebhookCreate']['events']>(
		'WebhookCreate/properties/events',
	),
	secret: contractField<ContractTypes['WebhookCreate']['secret']>(
		'WebhookCreate/properties/secret',
	).optional(),
};

const event = {
	event: eventKind.default('document.uploaded'),
	data: jsonObject('Without it, the sandbox makes some.').optional(),
};

/** The webhooks of every organization, whether or not the profile has registration. */
const registrationRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/webhooks',
			operationId: 'webhooks.listAll',
			summary: 'The webhooks of all organizations, with their secrets',
			tags,
			responses: { 200: answerList('Webhooks.', ownedWebhook) },
		}),
		({ json, var: { service } }) =>
			json({ data: z.array(ownedWebhook).parse(service.webhooks.list()) }, 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/webhooks',
			operationId: 'webhooks.register',
			summary: 'Registers a webhook, even if the profile has no registration',
			tags,
			request: {
				body: takes(
					fields({
						...registration,
						organization_id: z.string(),
						environment: keyKind.default('live'),
						events: registration.events.default([...eventKinds]),
					}),
				),
			},
			responses: { 201: answer('The webhook.', newWebhook) },
		}),
		({ req, json, var: { service } }) => {
			const { organization_id, environment, ...given } = req.valid('json');
			const { n } = service.organizations.dataset(organization_id, environment);
			const context = createSystemContext(service.clock, { n });
			return json(newWebhook.parse(service.webhooks.create(context, given)), 201);
		},
	)
	.openapi(
		operation({
			method: 'patch',
			path: '/webhooks/{id}',
			operationId: 'webhooks.change',
			summary: 'Changes a webhook',
			tags,
			request: {
				params: byId,
				body: takes(
					fields({
						url: registration.url.optional(),
						events: registration.events.optional(),
						secret: registration.secret,
						status: webhook.shape.status.optional(),
					}),
				),
			},
			responses: { 200: answer('The webhook.', webhook) },
		}),
		({ req, json, var: { service } }) => {
			const { id } = req.valid('param');
			const context = createOwnerContext(service, id);
			return json(webhook.parse(service.webhooks.update(context, id, req.valid('json'))), 200);
		},
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/webhooks/{id}',
			operationId: 'webhooks.remove',
			summary: 'Removes a webhook with its deliveries',
			tags,
			request: { params: byId },
			responses: { 200: deletedById },
		}),
		({ req, json, var: { service } }) => {
			const { id } = req.valid('param');
			service.webhooks.delete(createOwnerContext(service, id), id);
			return json({ id, deleted: true } as const, 200);
		},
	);

/** Events on demand. */
const eventRoutes = createSection()
	.openapi(
		operation({
			method: 'post',
			path: '/webhooks/{id}/test',
			operationId: 'webhooks.test',
			summary:
				'Sends one event to one webhook, even if it does not ask for it; without data, about the newest record that it could be about',
			tags,
			request: { params: byId, body: takes(fields(event)) },
			responses: {
				202: answer('It is on its way.', z.strictObject({ delivery_id: z.string() })),
			},
		}),
		({ req, json, var: { service } }) => {
			const { webhooks, deliveries, clock } = service;
			const { n, dataset, fields: stored } = webhooks.byId(req.valid('param').id);
			if (stored.status !== 'active') {
				throw new RangeError('The webhook is disabled. Activate it.');
			}
			const { event: kind, data } = req.valid('json');
			const delivery_id = deliveries.addTest(n, {
				dataset,
				time: clock.iso(),
				kind,
				data: data ?? sampleData(service, dataset, kind),
			});
			return json({ delivery_id }, 202);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/emit',
			operationId: 'events.emit',
			summary: 'Emits events of an organization, as writes to its records would',
			tags,
			request: {
				body: takes(
					fields({
						organization_id: z.string(),
						environment: keyKind.default('live'),
						...event,
						count: z.int().min(1).max(100_000).default(1),
					}),
				),
			},
			responses: { 202: answer('They are stored.', z.strictObject({ emitted: z.int() })) },
		}),
		async ({ req, json, var: { service } }) => {
			const { organization_id, environment, event: kind, data, count } = req.valid('json');
			const { organizations, events, clock } = service;
			const { n: dataset } = organizations.dataset(organization_id, environment);
			for (let at = 0; at < count; at += batchSize) {
				const batch = Array.from(
					{ length: Math.min(batchSize, count - at) },
					(_, n) => data ?? addNumber(events.exampleData(kind), at + n + 1),
				);
				events.emitAll({ dataset, time: clock.iso() }, kind, batch);
				await new Promise((resolve) => setImmediate(resolve));
			}
			return json({ emitted: count }, 202);
		},
	);

export const webhookRoutes = createSection().route('/', registrationRoutes).route('/', eventRoutes);

/** The context in which the control room changes a webhook. Throws 404 `WEBHOOK_NOT_FOUND`. */
function createOwnerContext({ webhooks, clock }: Service, id: string) {
	return createSystemContext(clock, { n: webhooks.byId(id).dataset });
}

/** The data with the number at the end of its first value, so that many events differ. */
function addNumber(data: JsonObject, n: number): JsonObject {
	const [first] = Object.entries(data);
	return first ? { ...data, [first[0]]: `${readText(first[1])}${n}` } : data;
}
