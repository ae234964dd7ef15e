import type { HonoRequest } from 'hono';
import type { Contract } from '../contract/contract.ts';
import { changesBody } from '../http/send-faulty.ts';
import type { FaultRegistry } from '../platform/fault-registry.ts';
import type { FaultPlan } from '../requests/faults.ts';
import type { WebhookFaultPlan } from '../webhooks/faults.ts';
import type { Service } from '../service.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

const readPlan = bodyReader<FaultPlan>('post /faults');
const readWebhookPlan = bodyReader<WebhookFaultPlan>('post /webhook-faults');

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter(({ spent }) => !spent).length;
}

/** What goes wrong on purpose with requests, and with webhook deliveries. */
export function addFaultRoutes(routes: ControlRoutes, service: Service): void {
	const { faults, webhookFaults, contract } = service;
	addRegistryRoutes(routes, '/faults', faults, (request) => readFault(request, contract));
	addRegistryRoutes(routes, '/webhook-faults', webhookFaults, readWebhookPlan);
}

function addRegistryRoutes<Plan extends FaultPlan | WebhookFaultPlan>(
	routes: ControlRoutes,
	path: string,
	faults: FaultRegistry<Plan>,
	readNew: (request: HonoRequest) => Promise<Plan>,
): void {
	routes.get(path, (context) => context.json({ data: faults.list() }));

	routes.post(path, async (context) => context.json(faults.add(await readNew(context.req)), 201));

	routes.delete(path, (context) => {
		faults.clear();
		return context.json({ deleted: true });
	});

	routes.delete(`${path}/:id`, (context) => {
		const id = context.req.param('id') ?? '';
		if (!faults.remove(id)) throw new RangeError(`There is no fault ${id}.`);
		return context.json({ id, deleted: true });
	});
}

/** Reads the fault that a request describes. Throws a RangeError with a sentence if it is not valid, or would do nothing. */
async function readFault(request: HonoRequest, contract: Contract): Promise<FaultPlan> {
	const plan = await readPlan(request);
	const known = contract.operations.map(({ id }) => id);
	if (plan.operation !== '*' && !known.includes(plan.operation)) {
		throw new RangeError(
			`There is no operation ${plan.operation}. There are * (all), ${known.join(', ')}.`,
		);
	}
	if (plan.early && plan.status === undefined && plan.text === undefined) {
		throw new RangeError('An early answer needs a status or a text.');
	}
	const { headers: set, status, text: page, delay_ms } = plan;
	if (!changesBody(plan) && [set, status, page, delay_ms].every((one) => one === undefined)) {
		throw new RangeError(
			'The fault does nothing. Give a status, a text, headers, delay_ms, connection, silent, body, cut_at, bytes_per_second or compress.',
		);
	}
	return plan;
}
