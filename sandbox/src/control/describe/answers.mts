import type { ContractOperation } from '../../contract/contract.mts';
import { findKind } from '../../dialect/fields.mts';
import { isList } from '../../dialect/lists.mts';
import { writePath } from '../../dialect/paths.mts';
import { findDownloadAnswer, findEnvelope } from '../../dialect/records.mts';
import type { Switches } from '../../dialect/switches.mts';
import { applyHeaderVariants } from '../../http/headers.mts';
import { applyVariants } from '../../http/word-answer.mts';
import { isObject, readMembers } from '../../platform/json.mts';
import type { Json, JsonObject } from '../../platform/json.mts';
import { Sampler, withoutTimes } from './sample.mts';
import type { Described } from './sample.mts';

const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const text: JsonObject = { type: 'string' };

/** The answers of an operation by their status. */
export function describeAnswers(operation: ContractOperation, service: Described): JsonObject {
	const answers: JsonObject = {};
	for (const [status, { headers, ...answer }] of operation.responses) {
		const described = { ...answer, headers: describeHeaders(headers, service) };
		if (status < 400) {
			Object.assign(answers, describeSuccess(operation, status, described, service));
		} else if (answer.content === undefined) answers[status] = described;
		else {
			const content = json(describeError(operation, status, service));
			answers[status] = { ...described, content };
		}
	}
	return answers;
}

function describeHeaders(headers: Json | undefined, service: Described): JsonObject {
	const described: JsonObject = {};
	for (const [name, header] of readMembers(headers)) {
		const resolved = service.contract.resolve(header);
		// A second after 1970 is 1 in the contract's units.
		const switches: Switches = { ...service.switches, deprecation: 'off' };
		const written = applyHeaderVariants({ [name]: 1 }, { ...service, switches, now: 0 });
		for (const [theirs, value] of Object.entries(written)) {
			const { example: _, ...own } = resolved;
			const schema = typeof value === 'string' ? text : { type: 'integer' };
			described[theirs] = value === 1 ? resolved : { ...own, schema };
		}
	}
	return described;
}

/** The body of an answer as the service writes it, if it has one. */
function writeBody(
	operation: ContractOperation,
	status: number,
	body: JsonObject,
	service: Described,
): Json | undefined {
	const answer = { status, headers: {}, json: body };
	return applyVariants(answer, {
		switches: service.switches,
		dialect: withoutTimes(service.dialect),
		operation,
		ids: { translateOut: (value) => value },
		now: 0,
		readAddress: () => new URL('http://127.0.0.1/'),
		requestId: '',
		window: { skip: 0, size: 1 },
	}).json;
}

/** An error with its details where the dialect has them. */
function describeError(
	operation: ContractOperation,
	status: number,
	service: Described,
): JsonObject {
	const { contract } = service;
	const sampler = new Sampler(service);
	const { properties } = contract.resolve({ $ref: '#/components/schemas/Error' });
	const error = isObject(properties) ? contract.resolve(properties.error) : {};
	const sample: JsonObject = {};
	for (const [name, schema] of readMembers(error.properties)) sample[name] = sampler.mark(schema);
	const [field, code, detail] = [1, 2, 3].map(() => sampler.mark(text, false));
	sample.details = [{ field, code, message: detail }];
	return sampler.toSchema(writeBody(operation, status, { error: sample }, service));
}

function describeSuccess(
	operation: ContractOperation,
	status: number,
	answer: JsonObject,
	service: Described,
): JsonObject {
	const { contract, dialect, switches } = service;
	const { content, headers, ...rest } = answer;
	const kind = findKind(operation);
	if (operation.id === 'documents.download') return describeDownload(status, answer, service);
	if (operation.method === 'DELETE') {
		return switches.deleteAnswer === 'body' ? { [status]: answer } : { 204: { ...rest, headers } };
	}
	if (operation.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image') {
		const image = { schema: { type: 'string', format: 'binary' } };
		return { [status]: { ...answer, content: { 'image/png': image, 'image/svg+xml': image } } };
	}
	const media = isObject(content) ? content['application/json'] : undefined;
	if (!isObject(media)) return { [status]: answer };
	const { items, properties } = contract.resolve(media.schema);
	const sampler = new Sampler(service, kind);
	if (operation.id === 'audit.export') {
		const entries = { type: 'array', items: sampler.toSchema(sampler.writeRecord(items)) };
		return {
			[status]: { ...answer, content: { ...(isObject(content) && content), ...json(entries) } },
		};
	}
	if (!kind) {
		const path = findEnvelope(kind, dialect);
		const body: JsonObject = {};
		if (path === undefined) return { [status]: answer };
		writePath(body, path, sampler.mark(isObject(media.schema) ? media.schema : {}));
		return { [status]: { ...answer, content: json(sampler.toSchema(body)) } };
	}
	const { data } = isObject(properties) ? properties : {};
	const sample = isList(operation)
		? { data: [sampler.sampleRecord(contract.resolve(data).items)], pagination: { total: 1 } }
		: sampler.sampleRecord(media.schema);
	const body = sampler.toSchema(writeBody(operation, status, sample, service));
	const { style, next } = dialect.list ?? {};
	const hasLink = isList(operation) && style === 'link' && next === undefined;
	const allHeaders = {
		...(isObject(headers) && headers),
		...(hasLink && { Link: { schema: text } }),
	};
	return { [status]: { ...answer, headers: allHeaders, content: json(body) } };
}

/** A download in the form of the dialect. */
function describeDownload(status: number, answer: JsonObject, service: Described): JsonObject {
	const { dialect } = service;
	const kind = findDownloadAnswer(dialect);
	if (kind === 'bytes') return { [status]: answer };
	if (status === 206) return {};
	const { content: _, headers, ...rest } = answer;
	const kept = Object.fromEntries(
		readMembers(headers).filter(([name]) => !name.startsWith('Content-')),
	);
	if (kind === 'redirect') {
		const Location = { required: true, schema: text };
		return { 302: { ...rest, headers: { ...kept, Location } } };
	}
	const { content = 'content_base64', address = 'url' } = dialect.download ?? {};
	const sampler = new Sampler(service);
	const body: JsonObject = {};
	writePath(body, kind === 'content' ? content : address, sampler.mark(text));
	return { 200: { ...rest, headers: kept, content: json(sampler.toSchema(body)) } };
}
