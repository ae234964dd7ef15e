import type { ContractOperation } from '../../contract/contract.ts';
import { isObject, readMembers, toText } from '../../platform/json.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { Dialect, RecordKind } from '../dialect.ts';
import { fillKind, findKind } from '../fields.ts';
import { isList } from '../lists.ts';
import { findDownloadAnswer, findEnvelope } from '../records.ts';
import { FieldDescriber } from './fields.ts';
import type { Described } from './fields.ts';
import { Shape } from './shape.ts';

const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const text: JsonObject = { type: 'string' };

/** The answers of an operation by their status. */
export function describeAnswers(operation: ContractOperation, service: Described): JsonObject {
	const answers: JsonObject = {};
	for (const [status, answer] of operation.responses) {
		const headers = describeHeaders(answer, service);
		if (status >= 400) answers[status] = { ...answer, headers, ...describeError(answer, service) };
		else
			Object.assign(answers, describeSuccess(operation, status, { ...answer, headers }, service));
	}
	return answers;
}

function describeHeaders(
	answer: JsonObject,
	{ contract, dialect, switches }: Described,
): JsonObject {
	const { rateLimit = {} } = dialect;
	const written: JsonObject = {};
	const write = (name: string, header: JsonObject, unit: string | undefined) => {
		const schema = unit === 'date' ? text : { type: 'integer' };
		const { example: _, ...described } = header;
		written[name] = unit === undefined ? header : { ...described, schema };
	};
	for (const [name, header] of readMembers(answer.headers)) {
		const one = contract.resolve(header);
		if (name === 'X-Request-Id' && switches.requestId !== 'header') continue;
		if (name === 'Retry-After' && switches.retryAfter === 'none') continue;
		if (name.startsWith('X-RateLimit-') && switches.rateLimitHeaders === 'none') continue;
		if (/-(Limit|Reset)$/.test(name) && switches.rateLimitHeaders !== 'all') continue;
		if (name === 'X-RateLimit-Limit') write(rateLimit.limit ?? name, one, undefined);
		else if (name === 'X-RateLimit-Reset') write(rateLimit.reset ?? name, one, rateLimit.resetUnit);
		else if (name === 'Retry-After')
			write(rateLimit.retryAfter ?? name, one, rateLimit.retryAfterUnit);
		else written[name] = one;
	}
	return written;
}

/** An error whose details stand where the dialect has them. */
function describeError(
	{ content }: JsonObject,
	{ contract, dialect, switches }: Described,
): JsonObject {
	if (!isObject(content) || !isObject(content['application/json'])) return {};
	const { details = 'error.details', ...names } = dialect.errors ?? {};
	const { properties } = contract.resolve({ $ref: '#/components/schemas/Error' });
	const error = isObject(properties) ? contract.resolve(properties.error) : {};
	const body = new Shape();
	for (const [name, schema] of readMembers(error.properties)) {
		if (name !== 'details') body.place(`error.${name}`, schema);
	}
	if (switches.requestId === 'body') body.place('error.request_id', text);
	const detail = new Shape();
	for (const [name, written = name] of [
		['field', names.field],
		['message', names.message],
		['code', names.code],
	]) {
		detail.place(written ?? toText(name), text);
	}
	const map = { type: 'object', additionalProperties: { type: 'array', items: text } };
	const list = { type: 'array', items: detail.toSchema() };
	body.place(details, switches.details === 'map' ? map : list, false);
	return { content: json(body.toSchema()) };
}

function describeSuccess(
	operation: ContractOperation,
	status: number,
	answer: JsonObject,
	service: Described,
): JsonObject {
	const { dialect, switches } = service;
	const kind = findKind(operation);
	if (operation.method === 'DELETE') {
		const { content: _, ...empty } = answer;
		return switches.deleteAnswer === 'body' ? { [status]: answer } : { 204: empty };
	}
	if (operation.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image') {
		const image = { schema: { type: 'string', format: 'binary' } };
		return { [status]: { ...answer, content: { 'image/png': image, 'image/svg+xml': image } } };
	}
	if (operation.id === 'documents.download') return describeDownload(answer, service);
	const content = isObject(answer.content) ? answer.content : {};
	const media = content['application/json'];
	if (!isObject(media)) return { [status]: answer };
	const schema = isObject(media.schema) ? media.schema : {};
	if (operation.id === 'audit.export') {
		const fields = new FieldDescriber(service.contract, dialect, kind);
		const items = fields.describe(service.contract.resolve(schema).items).toSchema();
		return { [status]: { ...answer, content: { ...content, ...json({ type: 'array', items }) } } };
	}
	if (kind && isList(operation)) {
		const page = describeList(schema, kind, service);
		const { style, next } = dialect.list ?? {};
		const hasLink = style === 'link' && next === undefined;
		const headers = { ...(isObject(answer.headers) && answer.headers), Link: { schema: text } };
		return { [status]: { ...answer, ...(hasLink && { headers }), content: json(page) } };
	}
	const record = kind ? describeRecord(schema, kind, service) : schema;
	return { [status]: { ...answer, content: json(describeEnvelope(record, kind, dialect)) } };
}

function describeEnvelope(
	record: JsonObject,
	kind: RecordKind | undefined,
	dialect: Dialect,
): JsonObject {
	const path = findEnvelope(kind, dialect);
	return path === undefined ? record : new Shape().place(path, record).toSchema();
}

function describeRecord(
	schema: JsonObject,
	kind: RecordKind,
	{ contract, dialect }: Described,
): JsonObject {
	const describer = new FieldDescriber(contract, dialect, kind);
	const fields = describer.describe(schema);
	const { attributes, typeIn } = dialect.record ?? {};
	if (attributes === undefined) return fields.toSchema();
	const id = describer.words.findPath('id');
	const record = new Shape();
	if (typeIn !== undefined) record.place(typeIn.split('.').at(-1) ?? '', text);
	return record
		.place(id, fields.find(id) ?? {})
		.place(attributes, fields.remove(id))
		.toSchema();
}

function describeList(schema: JsonObject, kind: RecordKind, service: Described): JsonObject {
	const { contract, dialect, switches } = service;
	const { list = {} } = dialect;
	const { style = 'page' } = list;
	const { properties } = contract.resolve(schema);
	const { data, pagination } = isObject(properties) ? properties : {};
	const record = contract.resolve(contract.resolve(data).items);
	const records = { type: 'array', items: describeRecord(record, kind, service) };
	if (switches.listAnswer === 'array') return records;
	const page = new Shape().place(fillKind(list.envelope ?? 'data', kind, dialect), records);
	const number = { type: 'integer' };
	const next = { type: ['string', 'null'] };
	if (list.total !== undefined) page.place(list.total, number);
	if (style === 'cursor') page.place(list.next ?? 'next_cursor', next);
	if (style === 'link' && list.next !== undefined) page.place(list.next, next);
	if (list.total !== undefined) return page.toSchema();
	if (style === 'page' && list.firstPage !== 0)
		page.place('pagination', contract.resolve(pagination));
	else if (style === 'page' || style === 'offset') {
		const own = style === 'page' ? 'page' : 'offset';
		for (const name of [own, 'per_page', 'total']) page.place(`pagination.${name}`, number);
		page.place('pagination.has_more', { type: 'boolean' });
	}
	return page.toSchema();
}

/** A download in the form of the dialect. */
function describeDownload(answer: JsonObject, { dialect }: Described): JsonObject {
	const kind = findDownloadAnswer(dialect);
	const { content: _, headers, ...rest } = answer;
	const {
		'Content-Disposition': __,
		'Content-Length': ___,
		...kept
	} = isObject(headers) ? headers : {};
	const { content = 'content_base64', address = 'url' } = dialect.download ?? {};
	if (kind === 'bytes') return { 200: answer };
	if (kind === 'redirect') {
		const Location = { required: true, schema: text };
		return { 302: { ...rest, headers: { ...kept, Location } } };
	}
	const body = new Shape().place(kind === 'content' ? content : address, text);
	return { 200: { ...rest, headers: kept, content: json(body.toSchema()) } };
}
