import type { HonoRequest } from 'hono';
import type { Contract } from '../contract/contract.ts';
import type { FaultPlan } from '../requests/faults.ts';
import { readText, toText } from '../platform/json.ts';
import { inputOf } from './input.ts';

const text = { type: 'string', minLength: 1 };
const header = { ...text, pattern: '^[\\x20-\\x7e]+$' };
const input = inputOf(
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

/** The fault that a request describes. Throws a RangeError with a sentence where it cannot be, or would do nothing. */
export async function faultOf(request: HonoRequest, contract: Contract): Promise<FaultPlan> {
	const given = await input(request);
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
