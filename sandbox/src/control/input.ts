import { Ajv2020 } from 'ajv/dist/2020.js';
import type { HonoRequest } from 'hono';
import { describeErrors } from '../contract/details.ts';
import { isObject } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false, useDefaults: true });

/**
 * Reads JSON bodies that keep to a schema; without a body, an empty object. What it gives throws a RangeError with a sentence
 * when a body does not keep to it, and a SyntaxError when it is no JSON.
 */
export function inputOf(
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

/** A whole number in the query, between two others. Throws a RangeError with a sentence. */
export function wholeOf(
	request: HonoRequest,
	name: string,
	{ otherwise, least, most }: { otherwise: number; least: number; most: number },
): number {
	const given = request.query(name);
	const value = given === undefined ? otherwise : Number(given);
	if (Number.isInteger(value) && value >= least && value <= most && given !== '') return value;
	throw new RangeError(`${name} is ${given}. Give a whole number from ${least} to ${most}.`);
}
