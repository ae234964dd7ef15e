import type { HttpBindings } from '@hono/node-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Hono, HonoRequest } from 'hono';
import { describeErrors } from '../contract/details.ts';
import { formatDetails } from '../contract/service-error.ts';
import { parseBody } from '../http/body.ts';
import { isObject } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { findSchemas } from './describe/control.ts';

/**
 * Routes below `/_sandbox/api`. A handler answers with JSON. A ServiceError that it throws is answered with the error's own status, a
 * RangeError or a SyntaxError with 400.
 */
export type ControlRoutes = Hono<{ Bindings: HttpBindings }>;

/** The largest body of a request, in bytes. */
const maxBodyBytes = 1024 * 1024;

/** The refusal of a body that is larger than `max` bytes. */
export class BodyTooLarge extends Error {
	constructor(max: number) {
		super(`The body is larger than ${max} bytes. Send less.`);
	}
}

/** The body as text. Throws BodyTooLarge as soon as more than `max` bytes are announced or were read. */
export async function readBodyText(request: HonoRequest, max = maxBodyBytes): Promise<string> {
	if (Number(request.header('content-length') ?? 0) > max) throw new BodyTooLarge(max);
	const body: ReadableStream<Uint8Array> | null = request.raw.body;
	const reader = body?.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
		size += next.value.length;
		if (size > max) throw new BodyTooLarge(max);
		chunks.push(next.value);
	}
	return Buffer.concat(chunks).toString('utf8');
}

const settings = { allErrors: true, strict: false, useDefaults: true, validateSchema: false };
const ajv = new Ajv2020(settings);
/** For forms and queries, whose fields are all text. */
const coercingAjv = new Ajv2020({ ...settings, coerceTypes: true });

/**
 * Makes a reader of the bodies of an operation such as `post /clock`, in JSON or as a form of a page. The reader gives an empty object if
 * there is no body. It throws a RangeError with a sentence if the body does not match the description, and a ServiceError if it is not
 * JSON. `Body`: what matches the description.
 */
export function bodyReader<Body extends object = JsonObject>(
	operation: string,
): (request: HonoRequest) => Promise<Body> {
	return async (request) => {
		const text = (await readBodyText(request)).trim();
		const type = request.header('content-type') ?? '';
		// By default, curl sends JSON with the media type of a form.
		const isForm = type.startsWith('application/x-www-form-urlencoded') && !text.startsWith('{');
		const { body: schema } = findSchemas(operation);
		// Compiled with the first body and kept by ajv, as most starts need few of them.
		const validate = (isForm ? coercingAjv : ajv).compile<Body>(schema);
		const properties = isObject(schema.properties) ? schema.properties : {};
		const body: unknown = isForm ? parseForm(text, properties) : parseBody(text || '{}');
		if (validate(body)) return body;
		const unknown: unknown = (validate.errors ?? []).find(
			({ keyword }) => keyword === 'additionalProperties',
		)?.params.additionalProperty;
		if (typeof unknown === 'string') {
			const known = Object.keys(properties).join(', ') || 'none';
			throw new RangeError(`There is no field ${unknown} here. There are: ${known}.`);
		}
		throw new RangeError(formatDetails(describeErrors(validate.errors ?? [])));
	};
}

/** Makes a reader of the queries of an operation such as `get /journal`. It throws a RangeError with a sentence for a wrong value. */
export function queryReader<Query extends object>(
	operation: string,
): (request: HonoRequest) => Query {
	return (request) => {
		const validate = coercingAjv.compile<Query>(findSchemas(operation).query);
		const query: unknown = { ...request.query() };
		if (validate(query)) return query;
		throw new RangeError(formatDetails(describeErrors(validate.errors ?? [])));
	};
}

/**
 * The fields of a form as an object. `events[]` is an entry of a list, `switches.put` a field of an object. An object can also be a text
 * with a line `name: value` for each of its fields.
 */
function parseForm(text: string, properties: JsonObject): JsonObject {
	const body: JsonObject = {};
	for (const [name, value] of new URLSearchParams(text)) {
		const [object = '', field] = name.split('.');
		const list = name.slice(0, -2);
		const entries = body[list];
		const property = properties[name];
		if (name.endsWith('[]')) body[list] = [...(Array.isArray(entries) ? entries : []), value];
		else if (field !== undefined) {
			const fields = body[object];
			body[object] = { ...(isObject(fields) ? fields : {}), [field]: value };
		} else if (isObject(property) && property.type === 'object') {
			const lines = value.split('\n').map((line) => /^([^:]+):(.*)$/.exec(line) ?? []);
			body[name] = Object.fromEntries(
				lines.map(([, key = '', rest = '']) => [key.trim(), rest.trim()]),
			);
		} else body[name] = value;
	}
	return body;
}
