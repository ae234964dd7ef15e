import type { HttpBindings } from '@hono/node-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Hono, HonoRequest } from 'hono';
import { describeErrors } from '../contract/details.ts';
import { isObject } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';

/**
 * Routes below `/_sandbox/api`. A handler answers with JSON. An ServiceError that it throws is answered with the error's own status, a
 * RangeError or a SyntaxError with 400.
 */
export type ControlRoutes = Hono<{ Bindings: HttpBindings }>;

const ajv = new Ajv2020({ allErrors: true, strict: false, useDefaults: true });

/**
 * Makes a reader of JSON bodies with these properties. The reader gives an empty object if there is no body. It throws a RangeError with
 * a sentence if the body does not match, and a SyntaxError if the body is not JSON.
 */
export function bodyReader(
	properties: JsonObject,
	required: string[] = [],
): (request: HonoRequest) => Promise<JsonObject> {
	const validate = ajv.compile({
		type: 'object',
		properties,
		required,
		additionalProperties: false,
	});
	return async (request) => {
		const text = await request.text();
		const body: unknown = text === '' ? {} : JSON.parse(text);
		if (validate(body) && isObject(body)) return body;
		const unknown: unknown = (validate.errors ?? []).find(
			({ keyword }) => keyword === 'additionalProperties',
		)?.params.additionalProperty;
		if (typeof unknown === 'string') {
			const known = Object.keys(properties).join(', ') || 'none';
			throw new RangeError(`There is no field ${unknown} here. There are: ${known}.`);
		}
		const sentences = describeErrors(validate.errors ?? []).map(
			({ field, message }) => `${field}: ${message}`,
		);
		throw new RangeError(sentences.join(' '));
	};
}

/** Reads a body that must be empty, or an empty object. */
export const readNothing = bodyReader({});

/** Reads an integer from the query. Throws a RangeError with a sentence if it is not between `min` and `max`. */
export function readInteger(
	request: HonoRequest,
	name: string,
	{ fallback, min, max }: { fallback: number; min: number; max: number },
): number {
	const given = request.query(name);
	const value = given === undefined ? fallback : Number(given);
	if (Number.isInteger(value) && value >= min && value <= max && given !== '') return value;
	throw new RangeError(`${name} is ${given}. Give an integer from ${min} to ${max}.`);
}
