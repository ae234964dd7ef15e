import { Contract, readDocument } from '../../contract/contract.ts';
import { isObject, readList, readMembers, toText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';

/** The JSON Schemas of what an operation of the control room takes. */
interface RequestSchemas {
	body: JsonObject;
	query: JsonObject;
}

let known: Map<string, RequestSchemas> | undefined;

/** The schemas of an operation, such as `post /clock`, by `contract/control.yaml`, which is read when it is first needed. */
export function findSchemas(operation: string): RequestSchemas {
	known ??= readSchemas();
	const schemas = known.get(operation);
	if (!schemas) throw new Error(`contract/control.yaml has no operation ${operation}.`);
	return schemas;
}

function readSchemas(): Map<string, RequestSchemas> {
	const { paths, ...document } = readDocument('control.yaml');
	const contract = new Contract(document);
	/** An element in which every reference is replaced by its target. */
	const inline = (element: Json): Json => {
		if (Array.isArray(element)) return element.map(inline);
		if (!isObject(element)) return element;
		const members = Object.entries(contract.resolve(element));
		return Object.fromEntries(members.map(([name, one]) => [name, inline(one ?? null)]));
	};
	const operations = readMembers(inline(paths ?? null)).flatMap(([path, item]) =>
		readMembers(item).map(([method, { requestBody, parameters }]): [string, RequestSchemas] => {
			const { content } = isObject(requestBody) ? requestBody : {};
			const [[, { schema }] = ['', {}]] = readMembers(content);
			const nothing = { type: 'object', additionalProperties: false };
			const query = readList(parameters).filter(isObject);
			const properties = query.map(({ name, schema: one }): [string, Json] => [
				toText(name),
				one ?? null,
			]);
			return [
				`${method} ${path.replace('/_sandbox/api', '')}`,
				{
					body: isObject(schema) ? schema : nothing,
					query: { type: 'object', properties: Object.fromEntries(properties) },
				},
			];
		}),
	);
	return new Map(operations);
}
