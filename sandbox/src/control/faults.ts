import type { HonoRequest } from 'hono';
import type { Contract } from '../contract/contract.ts';
import type { FaultPlan } from '../requests/faults.ts';
import { readText, toText } from '../platform/json.ts';
import { eventKinds } from '../webhooks/events.ts';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import type { WebhookFaultPlan } from '../webhooks/faults.ts';
import type { Service } from '../service.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

const text = { type: 'string', minLength: 1 };
const header = { ...text, pattern: '^[\\x20-\\x7e]+$' };
const readPlan = bodyReader(
	{
		operation: text,
		status: { type: 'integer', minimum: 200, maximum: 599 },
		code: text,
		text: { type: 'string' },
		content_type: header,
		retry_after: { ...header, type: ['string', 'integer'] },
		delay_ms: { type: 'integer', minimum: 0 },
		connection: { type: 'string', enum: ['before', 'while'] },
		body: { type: 'string', enum: ['truncated', 'slow'] },
		bytes_per_second: { type: 'integer', minimum: 1 },
		times: { type: 'integer', minimum: 1 },
		probability: { type: 'number', minimum: 0, maximum: 1 },
		seed: { type: 'integer', minimum: 0 },
	},
	['operation'],
);

const readWebhookPlan = bodyReader(
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

/** What goes wrong on purpose with requests, and with webhook deliveries. */
export function addFaultRoutes(routes: ControlRoutes, service: Service): void {
	const { faults, webhookFaults, contract } = service;

	routes.get('/faults', (context) => context.json({ data: faults.list() }));

	routes.post('/faults', async (context) =>
		context.json(faults.add(await readFault(context.req, contract)), 201),
	);

	routes.delete('/faults', (context) => {
		faults.clear();
		return context.json({ deleted: true });
	});

	routes.delete('/faults/:id', (context) => {
		const id = context.req.param('id');
		if (!faults.remove(id)) throw new RangeError(`There is no fault ${id}.`);
		return context.json({ id, deleted: true });
	});

	routes.get('/webhook-faults', (context) => context.json({ data: webhookFaults.list() }));

	routes.post('/webhook-faults', async (context) =>
		context.json(webhookFaults.add(await readWebhookFault(context.req)), 201),
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
}

/** Reads the fault that a request describes. Throws a RangeError with a sentence if it is not valid, or would do nothing. */
async function readFault(request: HonoRequest, contract: Contract): Promise<FaultPlan> {
	const given = await readPlan(request);
	const operation = toText(given.operation);
	const known = contract.operations.map(({ id }) => id);
	if (operation !== '*' && !known.includes(operation)) {
		throw new RangeError(
			`There is no operation ${operation}. There are * (all), ${known.join(', ')}.`,
		);
	}
	const number = (name: string) => (given[name] === undefined ? undefined : Number(given[name]));
	const { connection, body, retry_after } = given;
	const plan: FaultPlan = {
		operation,
		status: number('status'),
		code: readText(given.code) ?? undefined,
		text: readText(given.text) ?? undefined,
		content_type: readText(given.content_type) ?? undefined,
		retry_after: retry_after === undefined ? undefined : toText(retry_after),
		delay_ms: number('delay_ms'),
		connection: connection === 'before' || connection === 'while' ? connection : undefined,
		body: body === 'truncated' || body === 'slow' ? body : undefined,
		bytes_per_second: number('bytes_per_second'),
		times: number('times'),
		probability: number('probability'),
		seed: number('seed'),
	};
	const { status, text: page, delay_ms } = plan;
	if ([status, page, delay_ms, plan.connection, plan.body].every((one) => one === undefined)) {
		throw new RangeError(
			'The fault does nothing. Give a status, a text, delay_ms, connection or body.',
		);
	}
	return plan;
}

async function readWebhookFault(request: HonoRequest): Promise<WebhookFaultPlan> {
	const given = await readWebhookPlan(request);
	const kind = webhookFaultKinds.find((one) => one === given.kind);
	if (!kind) throw new RangeError('There is no such fault.');
	const number = (name: string) => (given[name] === undefined ? undefined : Number(given[name]));
	return {
		kind,
		webhook_id: readText(given.webhook_id) ?? undefined,
		event: readText(given.event) ?? undefined,
		delay_ms: number('delay_ms'),
		times: number('times'),
		probability: number('probability'),
		seed: number('seed'),
	};
}
