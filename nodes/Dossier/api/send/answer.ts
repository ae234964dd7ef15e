import type { IDataObject } from 'n8n-workflow';
import { canonical } from '../../dialect/canonical';
import type { RecordKind } from '../../dialect/canonical';
import { isObject } from '../../dialect/paths';
import type { ServiceRecord } from '../../dialect/structure';
import { findRecord, isListAnswer } from '../../dialect/structure';
import type { RemoteService } from '../connection';
import { endpoints, kindsByEndpoint } from '../endpoints';
import type { EndpointName } from '../endpoints';
import { encodeHeader, showAddress } from './address';
import type { RawAnswer } from './exchange';
import { isRemark, mapRefusal, readRefusedStatus } from './failures';
import { Problem } from '../../problems/problem';
import { isWriting, mayBeDone } from './retry';
import { explainUnreadable, readText, redact } from './text';
import {
	DEEPEST_JSON,
	decodePercent,
	isDeeper,
	JSON_LINES,
	parseJson,
	parseLines,
	toText,
	toWhole,
	trimJson,
} from '../json';

/** What the service answered. */
export interface Answer {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON: an object or a list; `undefined` if the answer has no body. */
	body: IDataObject | IDataObject[] | undefined;
	/** The JSON itself, of an answer that is an object. */
	text?: string;
	/** Whether the bytes are not in the charset that they should be in: letters are lost. */
	isGarbled?: boolean;
}

/** How long an answer asks to wait, in ms: it says seconds or a date (RFC 9110, 10.2.3). */
export function readRetryAfter({ 'retry-after': header }: IDataObject): number | undefined {
	const seconds = toWhole(header);
	const wait =
		seconds === undefined ? Date.parse(toText(header) ?? '') - Date.now() : seconds * 1_000;
	return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** The status of a redirect to the result of a request (RFC 9110, 15.4.4). */
const SEE_OTHER = 303;

/** The problem of an answer with a status of 300 or above. */
export function mapStatus(
	{ root, host, access, secret, translator }: RemoteService,
	name: EndpointName,
	status: number,
	headers: IDataObject,
	body: string,
): Problem {
	const sentOn = toText(headers.location);
	if (status < 400 && sentOn !== undefined) {
		const location = showAddress(encodeHeader(sentOn), root);
		const target = location && redact(location, [secret]);
		const isDone = status === SEE_OTHER && isWriting(endpoints[name]);
		return new Problem('REDIRECTED', { host, access, target, status, mayBeDone: isDone });
	}
	const kind = kindsByEndpoint[name];
	// A 404 as JSON may be about the record in the path; a web page is not.
	const mayBeRecord = endpoints[name].path.includes('{id}') && !/^\s*</.test(body);
	const stranger = kind && !mayBeRecord ? host : undefined;
	const asked = { access, translator, kind, host: stranger, secrets: [secret] };
	const [, challenge = ''] =
		toText(headers['www-authenticate'])?.match(/error_description="([^"]+)/i) ?? [];
	const { facts } = mapRefusal(
		status,
		body.trim() || challenge,
		toText(headers['x-request-id']),
		asked,
	);
	const isDoubtful = isWriting(endpoints[name]) && mayBeDone({ statusCode: status });
	const isOfList = name.endsWith('.list') && !endpoints[name].path.includes('{id}');
	const retryAfterMs = readRetryAfter(headers);
	return new Problem('REFUSED', {
		...facts,
		...(retryAfterMs !== undefined && { retryAfterMs }),
		...(isDoubtful && { mayBeDone: true }),
		...(isOfList && { isOfList }),
	});
}

/**
 * Throws the refusal in an answer with a good status.
 *
 * @param parsed the body as JSON
 * @throws Problem
 */
export function refuseParsed(
	service: RemoteService,
	name: EndpointName,
	parsed: unknown,
	headers: IDataObject,
	body: string,
): void {
	const refused = readRefusedStatus(parsed, endpoints[name].method);
	if (refused !== undefined) throw mapStatus(service, name, refused, headers, body);
}

/** Whether the answer to the call for a list is one; other calls may be answered with any object. */
function isExpected({ translator }: RemoteService, name: EndpointName, body: IDataObject): boolean {
	if (name === 'audit.export') return !isRemark(body);
	const kind = name.endsWith('.list') ? kindsByEndpoint[name] : undefined;
	return !kind || isListAnswer(translator, kind, body);
}

/** Parses the body of an answer; an export may have an entry on each line, whatever was asked for. */
function parseBody(name: EndpointName, headers: IDataObject, text: string): unknown {
	if (name !== 'audit.export') return parseJson(text);
	const isLines = JSON_LINES.test(toText(headers['content-type']) ?? '');
	return isLines ? parseLines(text) : (parseJson(text) ?? (text.trim() && parseLines(text)));
}

/**
 * Parses a good answer of the service, and throws on any other: a refusal, or an answer of something else, such as a proxy.
 * The answer to a GET may be without a body only if its status is 204.
 *
 * @throws Problem
 */
export function parseAnswer(
	service: RemoteService,
	name: EndpointName,
	{ statusCode: status, headers, body }: RawAnswer,
): Answer {
	const { text: sent, isGarbled } = readText(headers, body);
	const parsed = parseBody(name, headers, sent);
	const isTooDeep = isDeeper(parsed, DEEPEST_JSON);
	// What a refusal says that deep, nobody reads.
	const text = isTooDeep && status >= 300 ? '' : sent;
	if (status >= 300) {
		throw mapStatus(service, name, status, headers, text);
	}
	const mayBeEmpty = status === 204 || endpoints[name].method !== 'GET';
	if (!text.trim() && mayBeEmpty) return { status, headers, body: undefined };
	const { host, access } = service;
	const refuse = (unreadable: string | undefined) =>
		new Problem('NOT_THE_SERVICE', {
			host,
			access,
			status,
			mayBeDone: isWriting(endpoints[name]),
			unreadable,
		});
	if (isTooDeep) throw refuse(`it is nested more than ${DEEPEST_JSON} levels deep`);
	refuseParsed(service, name, parsed, headers, text);
	if (isObject(parsed) && isExpected(service, name, parsed)) {
		return { status, headers, body: parsed, text: trimJson(text), isGarbled };
	}
	if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isObject), isGarbled };
	throw refuse(explainUnreadable(headers, text));
}

/** The content of an answer that holds no known kind of record, without its envelope. */
function unwrap(body: Answer['body']): IDataObject {
	if (!isObject(body)) return {};
	return isObject(body.data) && body.id === undefined ? body.data : body;
}

/** The kinds of records that the answer to a creation has to show. */
const SHOWN_KINDS: RecordKind[] = ['dossier', 'document', 'task'];

/**
 * Finds the record in an answer, under this package's names. If the answer to a write or a deletion holds no record, its
 * content without the envelope, or `{}`.
 *
 * @throws Problem if the answer to a GET holds no record, or that to a creation does not show what was made
 */
export function readAnswerRecord(
	{ host, access, translator }: RemoteService,
	name: EndpointName,
	{ status, headers, body }: Answer,
): ServiceRecord {
	const kind = kindsByEndpoint[name];
	const { method } = endpoints[name];
	const record = kind && findRecord(translator, kind, body);
	const isMissing = kind ? toText(record?.id) === undefined : Array.isArray(body);
	if (method === 'GET' && isMissing) throw new Problem('NOT_THE_SERVICE', { host, access, status });
	if (!kind || method === 'DELETE') return unwrap(body);
	const id = status === CREATED ? readLocation(name, headers) : undefined;
	const isCreation = method === 'POST' && SHOWN_KINDS.includes(kind);
	if (isCreation && !isShown(kind, status, record, id))
		throw new Problem('NOT_MADE_YET', { status });
	const found = record ?? unwrap(body);
	return id !== undefined && toText(found.id) === undefined ? { ...found, id } : found;
}

/** Whether the answer to a creation shows what was made. */
function isShown(
	kind: RecordKind,
	status: number,
	record: ServiceRecord | undefined,
	location: string | undefined,
): boolean {
	const known = canonical[kind].fields.filter(
		(field) => field !== 'id' && record?.[field] !== undefined,
	);
	// The identifier may be that of the work which was begun.
	if (status === ACCEPTED_STATUS) return known.length >= FEWEST_FIELDS;
	const isNamed = (toText(record?.id) ?? location) !== undefined;
	// An answer such as {"status": "error", "message": …} has a field of a record, too.
	return isNamed || known.some((field) => field !== 'status');
}

const CREATED = 201;
const ACCEPTED_STATUS = 202;

/** How many known fields a record has at least, beside its identifier: a description of work may have a status and a time. */
const FEWEST_FIELDS = 3;

/**
 * The identifier of a new record in the address that an answer gives for it (RFC 9110, 15.3.2); `undefined` if the address is
 * not that of a record below its collection.
 */
function readLocation(name: EndpointName, { location }: IDataObject): string | undefined {
	const [path = ''] = encodeHeader(toText(location) ?? '').split(/[?#]/);
	const [collection] = endpoints[name].path.split('/').slice(-1);
	const [last = '', above = '.', ...rest] = path.split('/').filter(Boolean).reverse();
	const kind = kindsByEndpoint[name];
	const isRelative = above === '.' && !rest.length && !path.startsWith('/');
	const isBelow = isRelative || above === collection || !kind || !SHOWN_KINDS.includes(kind);
	const id = decodePercent(last);
	return isBelow && id && !/^\.{1,2}$|\p{Cc}/u.test(id) ? id : undefined;
}
