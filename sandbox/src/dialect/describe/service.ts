import { Contract } from '../../contract/contract.ts';
import type { ContractOperation } from '../../contract/contract.ts';
import { isIdName } from '../../platform/ids.ts';
import { isObject, parseObject, readMembers } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { Dialect } from '../dialect.ts';
import { wordPayload } from '../records.ts';
import { nameProfile } from '../switches.ts';
import { describeAnswers } from './answers.ts';
import { FieldDescriber } from './fields.ts';
import type { Described } from './fields.ts';
import { describeBody, describeParameters } from './requests.ts';
import { readTypes } from './shape.ts';

/** The contract in force: what the contract says, under the names of the dialect and in the form of the switches. */
export function describeService({ contract, dialect, switches }: Described): JsonObject {
	if (nameProfile({ dialect, switches }) === 'default') return contract.document;
	// A copy, whose operations are replaced one by one.
	const own = new Contract(parseObject(JSON.stringify(contract.document)));
	const service = { contract: own, dialect, switches };
	if (switches.ids === 'integer') numberIds(own.document);
	const { document } = own;
	const paths: Record<string, JsonObject> = {};
	for (const operation of own.operations) {
		const path = describePath(operation, dialect);
		if (path === undefined) continue;
		const item = isObject(document.paths) ? document.paths[operation.path] : undefined;
		const { parameters } = isObject(item) ? item : {};
		paths[path] = {
			...paths[path],
			...(parameters !== undefined && { parameters }),
			[operation.method.toLowerCase()]: describeOperation(operation, service),
		};
	}
	const webhooks = readMembers(document.webhooks).map(([event, item]): [string, JsonObject] => [
		event,
		describeEvent(event, item, service),
	]);
	return removeUnused({ ...document, paths, webhooks: Object.fromEntries(webhooks) });
}

function describePath({ path }: ContractOperation, { registration }: Dialect): string | undefined {
	const { path: own } = registration ?? {};
	if (!path.startsWith('/v1/webhooks') || own === undefined) return path;
	return own === null ? undefined : path.replace('/v1/webhooks', own);
}

function describeOperation(operation: ContractOperation, service: Described): JsonObject {
	const { requestBody, ...element } = operation.element;
	return {
		...element,
		parameters: describeParameters(operation, service),
		...(requestBody !== undefined && {
			requestBody: { required: true, content: describeBody(operation, service) },
		}),
		responses: describeAnswers(operation, service),
	};
}

/** An event's data in the words of the dialect, and the headers that it is signed with. */
function describeEvent(
	event: string,
	item: JsonObject,
	{ contract, dialect, switches }: Described,
): JsonObject {
	const schema = contract.eventSchemas.get(event);
	const post = isObject(item.post) ? item.post : {};
	const { properties } = contract.resolve(schema);
	if (!isObject(properties)) return item;
	const describer = new FieldDescriber(contract, wordPayload(event, dialect), 'dossier');
	const data =
		event === 'document.uploaded'
			? (properties.data ?? {})
			: describer.describe(properties.data).toSchema();
	const body = { ...contract.resolve(schema), properties: { ...properties, data } };
	const { header = 'X-Webhook-Signature', format, encoding } = dialect.signature ?? {};
	const isUsual = format === undefined && encoding === undefined;
	const signature = contract.resolve({ $ref: '#/components/parameters/WebhookSignature' });
	const names = {
		WebhookId: dialect.signature?.idHeader ?? 'X-Webhook-Id',
		WebhookTimestamp: dialect.signature?.timestampHeader ?? 'X-Webhook-Timestamp',
	};
	const others = Object.entries(switches.deliveryIdHeader === 'on' ? names : {}).map(
		([own, name]) => {
			const {
				schema: _,
				example: __,
				...one
			} = contract.resolve({
				$ref: `#/components/parameters/${own}`,
			});
			return { ...one, name, schema: { type: 'string' } };
		},
	);
	return {
		...item,
		post: {
			...post,
			parameters: [
				{ ...signature, name: header, ...(!isUsual && { schema: { type: 'string' } }) },
				...others,
			],
			requestBody: { required: true, content: { 'application/json': { schema: body } } },
		},
	};
}

/** Lets every identifier be a number, too. */
function numberIds(value: Json): void {
	if (Array.isArray(value)) value.forEach(numberIds);
	if (!isObject(value)) return;
	const { Identifier } = isObject(value.schemas) ? value.schemas : {};
	const named = readMembers(value.properties).filter(([name]) => isIdName(name));
	for (const one of [Identifier, ...named.map(([, schema]) => schema)]) {
		if (!isObject(one)) continue;
		const types = readTypes(one);
		if (types.includes('string')) one.type = [...types, 'integer'];
	}
	for (const one of Object.values(value)) numberIds(one ?? null);
}

/** Without the schemas that nothing in the document refers to any more. */
function removeUnused(document: JsonObject): JsonObject {
	const { schemas } = isObject(document.components) ? document.components : {};
	const used = new Map<string, Json>();
	const visit = (value: Json): void => {
		for (const [, name = ''] of JSON.stringify(value).matchAll(
			/"#\/components\/schemas\/(\w+)"/g,
		)) {
			const schema = isObject(schemas) ? schemas[name] : undefined;
			if (used.has(name) || schema === undefined) continue;
			used.set(name, schema);
			visit(schema);
		}
	};
	const components = isObject(document.components) ? document.components : {};
	visit({ ...document, components: { ...components, schemas: {} } });
	return { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
}
