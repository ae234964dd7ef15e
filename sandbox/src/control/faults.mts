import { z } from 'zod';
import type { Contract } from '../contract/contract.mts';
import { changesBody } from '../http/send.mts';
import { requestFault } from '../requests/faults.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { Service } from '../service.mts';
import { deliveryFault } from '../webhooks/faults.mts';
import {
	answer,
	answerList,
	byId,
	createSection,
	deleted,
	deletedById,
	fields,
	operation,
	takes,
} from './operation.mts';

const tags = ['Behavior'];

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter(({ spent }) => !spent).length;
}

const plan = fields(requestFault).meta({
	id: 'FaultPlan',
	description: 'Which requests a fault strikes, and what happens to them.',
});
const webhookPlan = fields(deliveryFault).meta({
	id: 'WebhookFaultPlan',
	description: 'Which deliveries a fault strikes, and what happens to them.',
});
const state = {
	id: z.string(),
	hits: z.int().describe('How many times it has struck.'),
	spent: z.boolean().describe('Whether it has struck as often as it was to.'),
};
const fault = z.strictObject({ ...state, plan }).meta({ id: 'Fault' });
const webhookFault = z.strictObject({ ...state, plan: webhookPlan }).meta({ id: 'WebhookFault' });

/** Failures of requests on purpose. */
const requestFaultRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/faults',
			operationId: 'faults.list',
			summary: 'What goes wrong on purpose with requests',
			tags,
			responses: { 200: answerList('Faults, the oldest first.', fault) },
		}),
		({ json, var: { service } }) => json({ data: service.faults.list() }, 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/faults',
			operationId: 'faults.create',
			summary: 'Adds a fault',
			tags,
			request: { body: takes(plan) },
			responses: { 201: answer('The fault.', fault) },
		}),
		({ req, json, var: { service } }) => {
			const chosen = req.valid('json');
			assertUseful(chosen, service.contract);
			return json(service.faults.add(chosen), 201);
		},
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/faults',
			operationId: 'faults.clear',
			summary: 'Removes every fault',
			tags,
			responses: { 200: deleted },
		}),
		({ json, var: { service } }) => json(clear(service.faults), 200),
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/faults/{id}',
			operationId: 'faults.remove',
			summary: 'Removes a fault',
			tags,
			request: { params: byId },
			responses: { 200: deletedById },
		}),
		({ req, json, var: { service } }) => json(remove(service.faults, req.valid('param').id), 200),
	);

/** Failures of webhook deliveries on purpose. */
const deliveryFaultRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/webhook-faults',
			operationId: 'webhookFaults.list',
			summary: 'What goes wrong on purpose with deliveries',
			tags,
			responses: { 200: answerList('Faults, the oldest first.', webhookFault) },
		}),
		({ json, var: { service } }) => json({ data: service.webhookFaults.list() }, 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/webhook-faults',
			operationId: 'webhookFaults.create',
			summary: 'Adds a fault',
			tags,
			request: { body: takes(webhookPlan) },
			responses: { 201: answer('The fault.', webhookFault) },
		}),
		({ req, json, var: { service } }) => json(service.webhookFaults.add(req.valid('json')), 201),
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/webhook-faults',
			operationId: 'webhookFaults.clear',
			summary: 'Removes every fault',
			tags,
			responses: { 200: deleted },
		}),
		({ json, var: { service } }) => json(clear(service.webhookFaults), 200),
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/webhook-faults/{id}',
			operationId: 'webhookFaults.remove',
			summary: 'Removes a fault',
			tags,
			request: { params: byId },
			responses: { 200: deletedById },
		}),
		({ req, json, var: { service } }) =>
			json(remove(service.webhookFaults, req.valid('param').id), 200),
	);

export const faultRoutes = createSection()
	.route('/', requestFaultRoutes)
	.route('/', deliveryFaultRoutes);

function clear(faults: { clear(): void }) {
	faults.clear();
	return { deleted: true } as const;
}

function remove(faults: { remove(id: string): boolean }, id: string) {
	if (!faults.remove(id)) throw new RangeError(`There is no fault ${id}.`);
	return { id, deleted: true } as const;
}
/** Throws a RangeError with a sentence for a fault that names no operation of the contract, or would do nothing. */
function assertUseful(plan: FaultPlan, contract: Contract): void {
	if (plan.operation !== '*') contract.assertKnown(plan.operation);
	if (plan.early && plan.status === undefined && plan.text === undefined) {
		throw new RangeError('An early answer needs a status or a text.');
	}
	const { headers: set, status, text: page, delay_ms } = plan;
	if (!changesBody(plan) && [set, status, page, delay_ms].every((one) => one === undefined)) {
		throw new RangeError(
			'The fault does nothing. Give a status, a text, headers, delay_ms, connection, silent, body or compress.',
		);
	}
}
