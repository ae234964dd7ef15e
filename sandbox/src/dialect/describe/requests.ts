import type { ContractOperation } from '../../contract/contract.ts';
import { isObject, readList, toText } from '../../platform/json.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { RecordKind } from '../dialect.ts';
import { fillKind, findKind } from '../fields.ts';
import { findLargestPage, isList, namePaging } from '../lists.ts';
import { FieldDescriber } from './fields.ts';
import type { Described } from './fields.ts';
import { Shape } from './shape.ts';

/** The parameters of an operation, but those in its path, under the names of the dialect. */
export function describeParameters(operation: ContractOperation, service: Described): JsonObject[] {
	const { contract, dialect } = service;
	const { workspace = {}, idempotency = {} } = dialect;
	const headers: Record<string, string | undefined> = {
		'X-Tenant-ID': workspace.tenantHeader,
		'X-Business-Unit-ID': workspace.businessUnitHeader,
		'Idempotency-Key': idempotency.header,
	};
	const kind = findKind(operation);
	const fields = new FieldDescriber(contract, dialect, kind);
	return operation.parameters.flatMap((one): JsonObject[] => {
		const name = toText(one.name);
		if (one.in === 'path') return [];
		if (one.in === 'header') {
			if (name === 'Idempotency-Key' && idempotency.supported === false) return [];
			return [{ ...one, name: headers[name] ?? name }];
		}
		if (isList(operation) && /^(page|per_page|sort|order)$/.test(name)) {
			return describePaging(name, one, fields, service);
		}
		if (isList(operation) && service.switches.filters === 'ignored') return [];
		const filter = name === 'format' ? name : fields.words.findFilter(name);
		if (filter === null) return [];
		const schema = isObject(one.schema) ? fields.describeValue(name, one.schema) : {};
		return [{ ...one, name: filter, schema }];
	});
}

/** A parameter of pages or of the order; nothing if the service has none for it. */
function describePaging(
	name: string,
	parameter: JsonObject,
	{ words }: FieldDescriber,
	{ dialect, switches }: Described,
): JsonObject[] {
	const { sort = 'sort', order = 'order', style = 'page', firstPage = 1 } = dialect.list ?? {};
	const { at, size } = namePaging(dialect);
	const schema = isObject(parameter.schema) ? parameter.schema : {};
	if (name === 'page') {
		if (at === undefined) return [];
		if (style === 'cursor' || style === 'link') {
			return [{ name: at, in: 'query', schema: { type: 'string' } }];
		}
		const minimum = style === 'page' ? firstPage : 0;
		return [{ ...parameter, name: at, schema: { type: 'integer', minimum } }];
	}
	if (name === 'per_page') {
		if (size === undefined) return [];
		const maximum = findLargestPage(dialect);
		const limit = switches.largerPages === 'cut' ? {} : { maximum };
		return [{ ...parameter, name: size, schema: { type: 'integer', minimum: 1, ...limit } }];
	}
	if (switches.filters === 'ignored') return [];
	if (name === 'order') return order === null ? [] : [{ ...parameter, name: order }];
	if (sort === null) return [];
	const fields = readList(schema.enum).map((one) => words.findPath(toText(one)));
	const down = order === null ? fields.map((one) => `-${one}`) : [];
	return [{ ...parameter, name: sort, schema: { type: 'string', enum: [...fields, ...down] } }];
}

/** The content of a request by its media type. */
export function describeBody(operation: ContractOperation, service: Described): JsonObject {
	const { format } = service.dialect.upload ?? {};
	const kind = findKind(operation);
	const content: JsonObject = {};
	for (const [type, schema] of operation.requestBodies) {
		const isForm = type === 'multipart/form-data';
		if (format !== undefined && operation.requestBodies.size > 1) {
			if (isForm !== (format === 'multipart')) continue;
		}
		if (!kind) content[type] = { schema };
		else if (isForm) content[type] = { schema: describeForm(schema, kind, service) };
		else content[type] = { schema: describeJson(operation, schema, kind, service) };
	}
	return content;
}

function describeJson(
	{ method }: ContractOperation,
	schema: JsonObject,
	kind: RecordKind,
	{ contract, dialect }: Described,
): JsonObject {
	const { sendIn, typeIn, idIn } = dialect.record ?? {};
	const fields = new FieldDescriber(contract, dialect, kind).describe(schema, { isSent: true });
	const body =
		sendIn === undefined ? fields : new Shape().place(fillKind(sendIn, kind, dialect), fields);
	if (typeIn !== undefined) body.place(typeIn, { const: fillKind('{kinds}', kind, dialect) });
	if (idIn !== undefined && method !== 'POST') body.place(idIn, { type: ['string', 'integer'] });
	return body.toSchema();
}

function describeForm(
	schema: JsonObject,
	kind: RecordKind,
	{ contract, dialect }: Described,
): JsonObject {
	const { file = 'file', fieldsIn } = dialect.upload ?? {};
	const binary = { type: 'string', format: 'binary' };
	if (fieldsIn !== undefined) {
		const fields = { type: 'string', contentMediaType: 'application/json' };
		return new Shape().place(fieldsIn, fields).place(file, binary).toSchema();
	}
	const fields = new FieldDescriber(contract, dialect, kind).describe(schema, { isSent: true });
	if (file === 'file') return fields.toSchema();
	return fields.remove('file').place(file, binary).toSchema();
}
