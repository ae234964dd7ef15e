import type { HonoRequest } from 'hono';
import type { Contract } from '../contract/contract.ts';
import { changesBody } from '../http/send-faulty.ts';
import type { FaultFrequency } from '../platform/fault-registry.ts';
import { isObject, readText, toText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import { faultBodies, faultCompressions, faultMoments } from '../requests/faults.ts';
import type { FaultPlan } from '../requests/faults.ts';
import { eventKinds } from '../webhooks/events.ts';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import type { WebhookFaultPlan } from '../webhooks/faults.ts';
import type { Service } from '../service.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

const text = { type: 'string', minLength: 1 };
const header = { ...text, pattern: '^[\\x20-\\x7e]+$' };
const headers = { type: 'object', additionalProperties: header, minProperties: 1 };
const whole = { type: 'integer', minimum: 0 };
const positive = { type: 'integer', minimum: 1 };
const frequency = {
	after: positive,
	times: positive,
	probability: { type: 'number', minimum: 0, maximum: 1 },
	seed: whole,
};
const readPlan = bodyReader(
	{
		operation: text,
		id: text,
		organization_id: text,
		request_headers: headers,
		delay_ms: whole,
		status: { type: 'integer', minimum: 200, maximum: 599 },
		code: text,
		text: { type: 'string' },
		content_type: header,
		retry_after: { ...header, type: ['string', 'integer'] },
		early: { type: 'boolean' },
		headers,
		compress: { type: 'string', enum: [...faultCompressions] },
		connection: { type: 'string', enum: [...faultMoments] },
		silent: { type: 'string', enum: [...faultMoments] },
		body: { type: 'string', enum: [...faultBodies] },
		cut_at: whole,
		bytes_per_second: positive,
		...frequency,
	},
	['operation'],
);

const readWebhookPlan = bodyReader(
	{
		kind: { type: 'string', enum: [...webhookFaultKinds] },
		webhook_id: { type: 'string' },
		event: { type: 'string', enum: [...eventKinds] },
		delay_ms: positive,
		...frequency,
	},
	['kind'],
);

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter(({ spent }) => !spent).length;
}

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
	const { retry_after } = given;
	const plan: FaultPlan = {
		operation,
		id: readString(given.id),
		organization_id: readString(given.organization_id),
		request_headers: readTexts(given.request_headers),
		delay_ms: readNumber(given.delay_ms),
		status: readNumber(given.status),
		code: readString(given.code),
		text: readString(given.text),
		content_type: readString(given.content_type),
		retry_after: retry_after === undefined ? undefined : toText(retry_after),
		early: given.early === true ? true : undefined,
		headers: readTexts(given.headers),
		compress: faultCompressions.find((one) => one === given.compress),
		connection: faultMoments.find((one) => one === given.connection),
		silent: faultMoments.find((one) => one === given.silent),
		body: faultBodies.find((one) => one === given.body),
		cut_at: readNumber(given.cut_at),
		bytes_per_second: readNumber(given.bytes_per_second),
		...readFrequency(given),
	};
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

function readFrequency({ after, times, probability, seed }: JsonObject): FaultFrequency {
	return {
		after: readNumber(after),
		times: readNumber(times),
		probability: readNumber(probability),
		seed: readNumber(seed),
	};
}

function readString(value: Json | undefined): string | undefined {
	return readText(value) ?? undefined;
}

function readNumber(value: Json | undefined): number | undefined {
	return value === undefined ? undefined : Number(value);
}

function readTexts(value: Json | undefined): Record<string, string> | undefined {
	if (!isObject(value)) return undefined;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toText(one)]));
}

async function readWebhookFault(request: HonoRequest): Promise<WebhookFaultPlan> {
	const given = await readWebhookPlan(request);
	const kind = webhookFaultKinds.find((one) => one === given.kind);
	if (!kind) throw new RangeError('There is no such fault.');
	return {
		kind,
		webhook_id: readString(given.webhook_id),
		event: readString(given.event),
		delay_ms: readNumber(given.delay_ms),
		...readFrequency(given),
	};
}
