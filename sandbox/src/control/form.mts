import { z } from 'zod';
import { isObject } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import { controlApi } from './api.mts';

/**
 * The fields of a form of a page, which are all text, as the JSON body of an operation such as `post /clock`. `events[]` is an entry of
 * a list, `switches.put` a field of an object.
 */
export function toJsonBody(operation: string, fields: URLSearchParams): JsonObject {
	const schema = findBody(operation);
	const body: JsonObject = {};
	for (const [name, value] of fields) {
		const [object = '', field] = name.split('.');
		const list = name.slice(0, -2);
		const entries = body[list];
		if (name.endsWith('[]')) body[list] = [...(Array.isArray(entries) ? entries : []), value];
		else if (field !== undefined) {
			const members = body[object];
			body[object] = { ...(isObject(members) ? members : {}), [field]: value };
		} else body[name] = convert(value, schema.shape[name]);
	}
	return body;
}

function findBody(operation: string): z.ZodObject {
	for (const one of controlApi.openAPIRegistry.definitions) {
		if (one.type !== 'route' || `${one.route.method} ${one.route.path}` !== operation) continue;
		const body = one.route.request?.body?.content['application/json'];
		if (body && 'schema' in body && body.schema instanceof z.ZodObject) return body.schema;
	}
	return z.object({});
}

/** A text as the type that a field has. A text that is none stays, and the operation refuses it. */
function convert(text: string, field: unknown): Json {
	if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) {
		return convert(text, field.unwrap());
	}
	if (field instanceof z.ZodNumber && Number.isFinite(Number(text))) return Number(text);
	if (field instanceof z.ZodBoolean && /^(true|false)$/.test(text)) return text === 'true';
	return text;
}
