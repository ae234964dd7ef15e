import { isObject, parseObject, readList, readMembers } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Contract, ContractOperation } from './contract.mts';

/** A request as it was sent: the address with its query, and the body as text. */
interface SentRequest {
	url: string;
	body: string;
}

/**
 * The query parameters and the fields of a JSON body that an operation does not know, such as `?stauts` and `contact.nmae`. The service
 * ignores them. `more`: query parameters that it knows beside those of the contract.
 */
export function findUnknownFields(
	contract: Contract,
	{ parameters, requestBodies }: ContractOperation,
	{ url, body }: SentRequest,
	more: string[] = [],
): string[] {
	const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
	const query = [...new URLSearchParams(url.split('?')[1]).keys()]
		.filter((name) => !known.includes(name) && !more.includes(name))
		.map((name) => `?${name}`);
	const schema = requestBodies.get('application/json');
	return [...new Set(query), ...(schema ? compareFields(contract, schema, parse(body)) : [])];
}

function parse(text: string): JsonObject | null {
	try {
		return parseObject(text);
	} catch {
		return null;
	}
}

function compareFields(contract: Contract, schema: JsonObject, value: Json): string[] {
	const fields = listProperties(contract, schema);
	// An object without listed fields takes any, such as `custom_fields`.
	if (!isObject(value) || fields.size === 0) return [];
	return Object.entries(value).flatMap(([name, one]) => {
		const field = fields.get(name);
		if (!field) return [name];
		return compareFields(contract, field, one ?? null).map((inner) => `${name}.${inner}`);
	});
}

/** The properties of a schema, of those that it extends, and of all its alternatives. */
function listProperties(contract: Contract, element: Json): Map<string, JsonObject> {
	const schema = contract.resolve(element);
	const parts = [schema.allOf, schema.oneOf, schema.anyOf].flatMap(readList);
	return new Map([
		...parts.flatMap((part) => [...listProperties(contract, part)]),
		...readMembers(schema.properties),
	]);
}
