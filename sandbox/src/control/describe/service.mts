import { dump } from 'js-yaml';
import { Contract, readControlDocument } from '../../contract/contract.mts';
import type { ContractOperation } from '../../contract/contract.mts';
import { isIdName } from '../../platform/ids.mts';
import { isObject, parseObject, readMembers } from '../../platform/json.mts';
import type { Json, JsonObject } from '../../platform/json.mts';
import type { Dialect } from '../../dialect/dialect.mts';
import { wordPayload } from '../../dialect/records.mts';
import { signMessage } from '../../dialect/signature.mts';
import { nameProfile } from '../../dialect/switches.mts';
import type { Service } from '../../service.mts';
import type { ControlRoutes } from '../routes.mts';
import { describeAnswers } from './answers.mts';
import { describeSeed } from './control.mts';
import { describeBody, describeParameters } from './requests.mts';
import { readTypes, Sampler } from './sample.mts';
import type { Described } from './sample.mts';

/** Files for other tools: the contract in force and the description of the control room, with this sandbox as their server, and the JSON Schema of seeds. */
export function addContractRoutes(control: ControlRoutes, service: Service): void {
	const documents = {
		openapi: () => describeService(service),
		control: readControlDocument,
	};
	for (const [name, read] of Object.entries(documents)) {
		const describe = () => ({
			...read(),
			servers: [{ url: service.url, description: 'This sandbox.' }],
		});
		control.get(`/${name}.json`, (context) => context.json(describe()));
		control.get(`/${name}.yaml`, (context) =>
			context.body(dump(describe(), { lineWidth: -1, noRefs: true }), 200, {
				'Content-Type': 'application/yaml',
			}),
		);
	}

	control.get('/seed.schema.json', (context) => context.json(describeSeed()));
}

/** The contract in force: what the contract says, under the names of the dialect and in the form of the switches. */
function describeService({ contract, dialect, switches }: Described): JsonObject {
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
	Object.assign(paths, describeFilePaths(dialect));
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

/** The paths that the dialect names for the file of a document. */
function describeFilePaths({ upload }: Dialect): Record<string, JsonObject> {
	const { address = '', confirm } = upload ?? {};
	const describe = (operationId: string, summary: string): JsonObject => ({
		operationId,
		summary,
		responses: {
			204: { description: 'It is done.' },
			default: {
				description: 'An error.',
				content: { 'application/json': { schema: errorSchema } },
			},
		},
	});
	const parameters = [{ $ref: '#/components/parameters/PathId' }];
	const put = describe('documents.receive', 'Bring the file of a document');
	const post = describe('documents.confirm', 'Confirm the file of a document');
	return {
		...(address.startsWith('/') && { [address]: { parameters, put } }),
		...(confirm !== undefined && { [confirm]: { parameters, post } }),
	};
}

const errorSchema = { $ref: '#/components/schemas/Error' };

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
	const schema = contract.resolve(contract.eventSchemas.get(event));
	const { properties } = schema;
	if (!isObject(properties)) return item;
	const sampler = new Sampler({ contract, dialect: wordPayload(event, dialect) }, 'dossier');
	const data =
		event === 'document.uploaded'
			? (properties.data ?? {})
			: sampler.toSchema(sampler.writeRecord(properties.data));
	const body = { ...schema, properties: { ...properties, data } };
	const { signature = {} } = dialect;
	const parameters = new Map([
		[signature.idHeader ?? 'X-Webhook-Id', 'WebhookId'],
		[signature.timestampHeader ?? 'X-Webhook-Timestamp', 'WebhookTimestamp'],
	]);
	const headers = signMessage({ id: '', timestamp: 0, body: '', url: '' }, [''], {
		...signature,
		hasNames: switches.deliveryIdHeader === 'on',
	});
	const isUsual = signature.format === undefined && signature.encoding === undefined;
	const described = Object.keys(headers).map((name) => {
		const own = parameters.get(name) ?? 'WebhookSignature';
		const { example: _, ...one } = contract.resolve({ $ref: `#/components/parameters/${own}` });
		return {
			...one,
			name,
			...((!isUsual || parameters.has(name)) && { schema: { type: 'string' } }),
		};
	});
	const requestBody = { required: true, content: { 'application/json': { schema: body } } };
	const post = isObject(item.post) ? item.post : {};
	return { ...item, post: { ...post, parameters: described, requestBody } };
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
