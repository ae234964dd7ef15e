import { Contract, readControlDocument } from '../../contract/contract.mts';
import { isObject, parseObject, readList, readMembers, toText } from '../../platform/json.mts';
import type { Json, JsonObject } from '../../platform/json.mts';

/** What an operation of the control room takes, as JSON Schemas, and the status of its answer. */
interface RequestSchemas {
	body: JsonObject;
	query: JsonObject;
	status: (typeof statuses)[number];
}

const statuses = [200, 201, 202] as const;

let known: Map<string, RequestSchemas> | undefined;

/** The schemas of an operation, such as `post /clock`, by `contract/control.yaml`, which is read when it is first needed. */
export function findSchemas(operation: string): RequestSchemas {
	known ??= readSchemas();
	const schemas = known.get(operation);
	if (!schemas) throw new Error(`contract/control.yaml has no operation ${operation}.`);
	return schemas;
}

function readSchemas(): Map<string, RequestSchemas> {
	const { paths, ...document } = readControlDocument();
	const whole = new Contract(document).inline(paths ?? null);
	const operations = readMembers(whole).flatMap(([path, item]) =>
		readMembers(item).map(
			([method, { requestBody, parameters, responses }]): [string, RequestSchemas] => {
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
						status: statuses.find((one) => isObject(responses) && one in responses) ?? 200,
						body: isObject(schema) ? schema : nothing,
						query: { type: 'object', properties: Object.fromEntries(properties) },
					},
				];
			},
		),
	);
	return new Map(operations);
}

/** The JSON Schema of a seed, for editors, without what only the contract needs. */
export function describeSeed(): JsonObject {
	const text = JSON.stringify(findSchemas('post /seed').body, (name, value: unknown) =>
		name.startsWith('x-') ? undefined : value,
	);
	return {
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'Seed of a dossier sandbox',
		...parseObject(text),
	};
}
