import type { ContractOperation } from '../../contract/contract.ts';
import type { HttpAnswer } from '../response.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { Switches } from '../../contract/switches.ts';
import type { PublicIds } from '../../database/public-ids.ts';
import { isList, applyListVariant } from './lists.ts';

/** What the answer to a request is put into other words by. */
export interface Wording {
	switches: Switches;
	ids: PublicIds;
	/** When the answer is given, in milliseconds since 1970. */
	now: number;
	/** What was asked for, in full. */
	address: () => URL;
	requestId: string;
	operation: ContractOperation | undefined;
}

/**
 * The answer as the service gives it with its switches as they are. It is made of the contract's answer, which was judged before, so
 * that what the service does never differs, only how it says so.
 */
export function applyVariants(outcome: HttpAnswer, wording: Wording): HttpAnswer {
	const headers = headersShown(outcome.headers, wording);
	const { json } = outcome;
	if (!isObject(json)) return { ...outcome, headers };
	const shown = { ...outcome, headers, json: wording.ids.translateOut(json) };
	if (!isObject(shown.json)) return shown;
	return outcome.status >= 400
		? refusalShown(shown, shown.json, wording)
		: successShown(shown, shown.json, wording);
}

function successShown(outcome: HttpAnswer, json: JsonObject, wording: Wording): HttpAnswer {
	const { switches, operation, address } = wording;
	if (operation && isList(operation)) {
		const page = applyListVariant(json, switches, address());
		return { ...outcome, headers: { ...outcome.headers, ...page.headers }, json: page.json };
	}
	if (operation?.method === 'DELETE') {
		return switches.deleteAnswer === 'body' ? outcome : { status: 204, headers: outcome.headers };
	}
	const image = operation?.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image';
	if (image) return imageOf(outcome, json);
	return switches.successEnvelope === 'bare' ? outcome : { ...outcome, json: { data: json } };
}

/** The code itself as the answer to an invitation. */
function imageOf(outcome: HttpAnswer, { qr }: JsonObject): HttpAnswer {
	const url = readText(isObject(qr) ? qr.data_url : undefined) ?? '';
	const [, type = '', base64, data = ''] = /^data:([^;,]+)[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
	const bytes = base64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
	const headers = { 'Content-Type': type, 'Content-Length': bytes.length };
	return { status: outcome.status, headers: { ...outcome.headers, ...headers }, chunks: [bytes] };
}

function refusalShown(outcome: HttpAnswer, json: JsonObject, wording: Wording): HttpAnswer {
	const { switches, requestId, operation } = wording;
	if (!isObject(json.error)) return outcome;
	const { details, ...error } = json.error;
	let { status } = outcome;
	const isUpload = operation?.requestBodies.has('multipart/form-data') === true;
	if (isUpload && error.code === 'UNSUPPORTED_MEDIA_TYPE' && switches.uploadRefusal === '415') {
		status = 415;
		error.status = status;
	}
	if (switches.requestId === 'body') error.request_id = requestId;
	const body: JsonObject = { error };
	if (Array.isArray(details)) {
		if (switches.details === 'beside') body.details = details;
		else error.details = switches.details === 'map' ? byField(details) : details;
	}
	return { ...outcome, status, json: body };
}

function byField(details: Json[]): JsonObject {
	const fields = details.filter(isObject);
	const groups = Object.groupBy(fields, ({ field }) => readText(field) ?? '');
	return Object.fromEntries(
		Object.entries(groups).map(([field, rules]) => [
			field,
			(rules ?? []).map(({ message }) => message ?? null),
		]),
	);
}

function headersShown(
	given: HttpAnswer['headers'],
	{ switches, now }: Wording,
): HttpAnswer['headers'] {
	const headers = { ...given };
	if (switches.requestId !== 'header') delete headers['X-Request-Id'];
	if (switches.rateLimitHeaders !== 'all') {
		delete headers['X-RateLimit-Limit'];
		delete headers['X-RateLimit-Reset'];
	}
	if (switches.rateLimitHeaders === 'none') delete headers['X-RateLimit-Remaining'];
	const seconds = headers['Retry-After'];
	if (switches.retryAfter === 'none') delete headers['Retry-After'];
	else if (seconds !== undefined && switches.retryAfter === 'date') {
		headers['Retry-After'] = new Date(now + Number(seconds) * 1000).toUTCString();
	}
	return headers;
}
