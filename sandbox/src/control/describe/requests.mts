import type { ContractOperation } from '../../contract/contract.mts';
import { isObject, readList, toText } from '../../platform/json.mts';
import type { JsonObject } from '../../platform/json.mts';
import type { RecordKind } from '../../dialect/dialect.mts';
import { fillKind, findKind } from '../../dialect/fields.mts';
import { findLargestPage, isList, namePaging } from '../../dialect/lists.mts';
import { writePath } from '../../dialect/paths.mts';
import { Sampler } from './sample.mts';
import type { Described } from './sample.mts';

/** The parameters of an operation, but those in its path, under the names of the dialect. */
export function describeParameters(operation: ContractOperation, service: Described): JsonObject[] {
	const { dialect } = service;
	const { workspace = {}, idempotency = {} } = dialect;
	const headers: Record<string, string | undefined> = {
		'X-Tenant-ID': workspace.tenantHeader,
		'X-Business-Unit-ID': workspace.businessUnitHeader,
		'Idempotency-Key': idempotency.header,
	};
	const fields = new Sampler(service, findKind(operation));
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
	{ words }: Sampler,
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
		const isUpload = format !== undefined && operation.requestBodies.size > 1;
		if (isUpload && isForm !== (format === 'multipart')) continue;
		const isAlone = isUpload && format === 'separate';
		const own = isAlone ? leaveContentOut(service.contract.resolve(schema)) : schema;
		if (!kind) content[type] = { schema };
		else if (isForm) content[type] = { schema: describeForm(own, kind, service) };
		else content[type] = { schema: describeJson(operation, own, kind, service) };
	}
	return content;
}

/** The fields of an upload whose file follows it. */
function leaveContentOut({ properties, required, ...schema }: JsonObject): JsonObject {
	const { content_base64: _, ...fields } = isObject(properties) ? properties : {};
	const names = readList(required).filter((name) => name !== 'content_base64');
	return { ...schema, properties: fields, required: names };
}

function describeJson(
	{ method }: ContractOperation,
	schema: JsonObject,
	kind: RecordKind,
	service: Described,
): JsonObject {
	const { dialect } = service;
	const { sendIn, typeIn, idIn } = dialect.record ?? {};
	const sampler = new Sampler(service, kind);
	const fields = sampler.writeRecord(schema, { isSent: true });
	const body: JsonObject = sendIn === undefined ? fields : {};
	if (sendIn !== undefined) writePath(body, fillKind(sendIn, kind, dialect), fields);
	if (typeIn !== undefined) {
		writePath(body, typeIn, sampler.mark({ const: fillKind('{kinds}', kind, dialect) }));
	}
	if (idIn !== undefined && method !== 'POST') {
		writePath(body, idIn, sampler.mark({ type: ['string', 'integer'] }));
	}
	return sampler.toSchema(body);
}

function describeForm(schema: JsonObject, kind: RecordKind, service: Described): JsonObject {
	const { file = 'file', fieldsIn } = service.dialect.upload ?? {};
	const sampler = new Sampler(service, kind);
	const own = sampler.writeRecord(schema, { isSent: true });
	const fields = { type: 'string', contentMediaType: 'application/json' };
	const body = fieldsIn === undefined ? own : { [fieldsIn]: sampler.mark(fields) };
	delete body.file;
	return sampler.toSchema({ ...body, [file]: sampler.mark({ type: 'string', format: 'binary' }) });
}
