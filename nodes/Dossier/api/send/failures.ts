import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from '../../dialect/canonical';
import { isObject } from '../../dialect/paths';
import type { Translator } from '../../dialect/translate';
import { isProblem, Problem } from '../../problems/problem';
import type { Recipient, FieldProblem } from '../../problems/problem';
import { isWriting, mayBeDone } from './retry';
import { parseJson, readElement, toText } from '../json';
import { findWords, readProse, redact } from './text';

const MESSAGE_NAMES = ['message', 'detail', 'description', 'reason', 'error', 'title'];
const FIELD_NAMES = ['field', 'path', 'property', 'name', 'param', 'pointer', 'loc'];

const pickText = (record: IDataObject, names: string[]) =>
	names.map((name) => toText(record[name])).find((text) => text !== undefined);

/** The field that a broken rule is about: a name, or the steps of a path joined with dots. */
function readField(record: IDataObject): string {
	const path = FIELD_NAMES.map((name) => record[name]).find(Array.isArray);
	return path ? path.join('.') : (pickText(record, FIELD_NAMES) ?? '');
}

function readProblem(problem: unknown): FieldProblem[] {
	if (typeof problem === 'string') {
		// Some name the field first: `title|is too long`.
		const [, field = '', message = problem] = problem.match(/^([\w.[\]/]+)\|(.+)$/s) ?? [];
		return [{ field, message }];
	}
	if (!isObject(problem)) return [];
	const message = pickText(problem, MESSAGE_NAMES);
	if (message === undefined) return [];
	return [{ field: readField(problem), message, code: toText(problem.code) }];
}

const isTextual = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isTextual);

/** Reads details in both known shapes: a list of problems, or messages by field. */
function readDetails(details: unknown, isMessage: (value: unknown) => boolean): FieldProblem[] {
	if (Array.isArray(details)) return details.flatMap(readProblem);
	if (!isObject(details) || !Object.values(details).every(isMessage)) return [];
	return Object.entries(details).flatMap(([field, messages]) =>
		[messages].flat().map((message) => ({ field, message: toText(message) ?? 'is not valid' })),
	);
}

/** Fields of an error object that are about the error itself, not details. */
const OWN_FIELDS = ['code', 'message', 'status', 'request_id', 'type', 'title'];

/** Finds the details of an error: in the error object, beside it, or under another name. */
function findDetails(error: IDataObject, outer: IDataObject): FieldProblem[] {
	const named = [error.details, outer.details, error.errors, outer.errors];
	const found = [
		...named.map((place) => readDetails(place, (value) => isTextual(value) || isTexts(value))),
		// Under an unknown name, only lists of texts, and of objects that name a field, are certain to be messages.
		...[...listValues(error), ...listValues(outer)].map((place) =>
			readDetails(place, isTexts).filter(({ field }) => field !== ''),
		),
	];
	return found.find((details) => details.length > 0) ?? [];
}

function* listValues(object: IDataObject): Generator<unknown> {
	for (const [name, value] of Object.entries(object)) {
		if (OWN_FIELDS.includes(name) || name === 'error') continue;
		if (typeof value !== 'object') continue;
		yield value;
		if (isObject(value)) yield* listValues(value);
	}
}

/** How much of a message fits into a sentence, in characters, and how many details. */
const LONGEST_MESSAGE = 500;
const MOST_DETAILS = 20;

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}

/** Reads an error code; `undefined` if the text is not one. */
function readErrorCode(code: unknown): string | undefined {
	const text = toText(code);
	return text !== undefined && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}

/**
 * The status of a refusal that the service sends with a good status: its error object in place of a record.
 *
 * @param method of the call: only the answer to a deletion may say that nothing was deleted
 */
export function readRefusedStatus(body: unknown, method?: string): number | undefined {
	if (!isObject(body)) return undefined;
	if (method === 'DELETE' && saysNotDeleted(body)) return BAD_REQUEST;
	if (body.id !== undefined) return undefined;
	if (!isObject(body.error)) return saysNo(body) ? BAD_REQUEST : undefined;
	const { code, message, status } = body.error;
	if (toText(code) === undefined || toText(message) === undefined) return undefined;
	return typeof status === 'number' && status >= 400 && status < 600 ? status : BAD_REQUEST;
}

const BAD_REQUEST = 400;

const isNo = (value: unknown) => value === false || /^(false|no|0)$/i.test(toText(value) ?? '');

const FAILED = /^(error|fail(ed|ure)?)$/i;

/** The names in an answer whose status is not that of a record. */
const REMARKS = ['status', 'message', 'detail', 'reason', 'code', 'timestamp'];

/** Whether an answer says that nothing was deleted. The record as it was before may say so, too. */
const saysNotDeleted = ({ deleted, ...rest }: IDataObject) =>
	isNo(deleted) && Object.keys(rest).every((name) => name === 'id' || REMARKS.includes(name));

/** Whether an answer without content reports a failure as some proxies and frameworks do. */
function saysNo({ error, errors, success, ok, ...rest }: IDataObject): boolean {
	const hasContent = Object.values(rest).some(
		(value) => typeof value === 'object' && value !== null,
	);
	const isListed = Array.isArray(errors) && errors.length > 0;
	const isRemarked = Object.keys(rest).every((name) => REMARKS.includes(name));
	const hasFailed = isRemarked && FAILED.test(toText(rest.status) ?? '');
	return !hasContent && (isNo(success) || isNo(ok) || hasFailed || isFilled(error) || isListed);
}

const isFilled = (value: unknown) => typeof value === 'string' && value !== '';

/** Whether an answer to the call for a list is only a remark, such as that of a service under maintenance. */
export const isRemark = (body: IDataObject): boolean =>
	['message', 'detail', 'status', 'reason'].some((name) => isFilled(body[name])) &&
	Object.entries(body).every(
		([name, value]) => typeof value === 'string' || (name === 'code' && typeof value === 'number'),
	);

/** What services call the ID of a request, in lower case. */
const REQUEST_IDS = ['request_id', 'requestid', 'trace_id', 'traceid'];

/** The call that was refused: its kind of access, and the names of its fields. */
interface Refused extends Pick<Recipient, 'access'> {
	translator?: Translator;
	kind?: RecordKind;
	/** What no text may repeat: the key or token, or what signs the address. */
	secrets: Array<string | undefined>;
	/** The host, if a 404 without the service's error object can only come from something else. */
	host?: string;
}

/** An object with its own names in lower case: some services write `Message`. */
const lowerNames = (object: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Turns an answer with an error status into a problem. It reads the error object of the service, or that of a storage
 * provider. Of another answer, such as the page of a proxy, it gives the status with the words in it. Secrets are
 * removed from what was read: before, they may be written as entities.
 */
export function mapRefusal(
	status: number,
	body: string,
	requestId: string | undefined,
	{ access, translator, kind, host, secrets }: Refused,
): Problem<'REFUSED'> {
	const parsed = parseJson(body);
	const outer = isObject(parsed) ? lowerNames(parsed) : {};
	const error = isObject(outer.error) ? lowerNames(outer.error) : {};
	// Beside the given error object, those of proxies and of RFC 9457 are read.
	const details = findDetails(error, outer);
	const prose = parsed === undefined ? readProse(body) : undefined;
	const explanation =
		pickText(error, ['message']) ??
		pickText(outer, ['error_description', 'error', 'message', 'detail', 'title']) ??
		details[0]?.message ??
		findWords(parsed) ??
		(prose && `The service answered with status ${status}: ${prose}`);
	const hide = (text = '') => shorten(redact(text, secrets));
	const shown = details.slice(0, MOST_DETAILS).map(({ field, message, code }) => ({
		field: hide(translator && kind ? translator.readFieldName(kind, field) : field),
		message: hide(message),
		code: readErrorCode(hide(code)),
	}));
	return new Problem('REFUSED', {
		status,
		code: readErrorCode(hide(toText(error.code ?? readElement(body, 'Code')))),
		message: explanation === undefined ? undefined : hide(explanation).replace(/[.\s]+$/, ''),
		details: shown,
		requestId: hide(pickText({ ...outer, ...error }, REQUEST_IDS) ?? requestId) || undefined,
		access,
		stranger: status === 404 && !isObject(outer.error) ? host : undefined,
	});
}

/** Reads `httpCode`, in which n8n 1 puts the code of a failed connection, or the status of an answer that broke off. */
function readHttpCode(httpCode: unknown): string | undefined {
	const code = toText(httpCode);
	return code && /^\d+$/.test(code) ? 'ERR_BAD_RESPONSE' : code;
}

/** How many causes of an error are followed. */
export const DEEPEST_CAUSE = 4;

/** Finds the code of a failed connection in an error or its causes. */
function findNetworkCode(error: unknown, depth = 0): string | undefined {
	if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return undefined;
	const cause = 'cause' in error ? findNetworkCode(error.cause, depth + 1) : undefined;
	const own = 'code' in error ? toText(error.code) : undefined;
	return cause ?? own ?? ('httpCode' in error ? readHttpCode(error.httpCode) : undefined);
}

/** Finds a problem among the causes of an error, e.g. that a file disappeared while it was sent. */
function findProblem(error: unknown, depth = 0): Problem | undefined {
	if (isProblem(error)) return error;
	if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return undefined;
	return findProblem(error.cause, depth + 1);
}

/** Whether n8n's protection against SSRF stopped a request, by the sentence of its errors (n8n 2, `ssrf-blocked-*.error.js`). */
function isBlocked(error: unknown, depth = 0): boolean {
	if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return false;
	return (
		error.message.startsWith('The request was blocked because') || isBlocked(error.cause, depth + 1)
	);
}

/**
 * Turns the error of a connection that broke or never opened into a problem.
 *
 * @param request its method decides whether the service may have done the work although the connection broke
 */
export function mapConnectionError(
	error: unknown,
	{ method, ...recipient }: Recipient & { method: string },
): Problem {
	const known = findProblem(error);
	if (known) return known;
	if (isBlocked(error)) return new Problem('REQUEST_BLOCKED', recipient);
	const networkCode = findNetworkCode(error);
	if (networkCode === 'ERR_CANCELED') return new Problem('CANCELLED', {});
	// Node.js reports EPIPE if it had not written the whole request when the service closed the connection.
	const isCutShort = networkCode === 'EPIPE';
	const problem = new Problem('CONNECTION_FAILED', {
		...recipient,
		networkCode,
		reason: error instanceof Error ? error.message : undefined,
		mayBeDone: false,
		isCutShort,
	});
	return isWriting({ method }) && mayBeDone(problem)
		? new Problem('CONNECTION_FAILED', { ...problem.facts, mayBeDone: true })
		: problem;
}
