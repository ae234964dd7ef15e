import type { ContractOperation } from '../contract/contract.mts';
import type { Dialect, RecordKind } from '../dialect/dialect.mts';
import { writeError } from '../dialect/errors.mts';
import { findKind } from '../dialect/fields.mts';
import { isList, writeList } from '../dialect/lists.mts';
import type { PageWindow } from '../dialect/lists.mts';
import type { Switches } from '../dialect/switches.mts';
import { writeEnvelope, writeRecord } from '../dialect/records.mts';
import type { PublicIds } from '../database/public-ids.mts';
import { isObject, readList, readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { HttpAnswer } from './response-sink.mts';
import { applyHeaderVariants } from './headers.mts';

/** What decides how an answer is worded. */
interface VariantContext {
	switches: Switches;
	dialect: Dialect;
	ids: Pick<PublicIds, 'translateOut'>;
	/** When the answer is given, in milliseconds since 1970. */
	now: number;
	/** Gives the whole address of the request. */
	readAddress: () => URL;
	requestId: string;
	operation: ContractOperation | undefined;
	/** The page of a list. */
	window: PageWindow | undefined;
}

/**
 * Puts an answer into the form of the switches. The answer follows the contract and was checked before: switches change the form of
 * answers, never what the service does.
 */
export function applyVariants(answer: HttpAnswer, context: VariantContext): HttpAnswer {
	const headers = applyHeaderVariants(answer.headers, context);
	const { json } = answer;
	if (!isObject(json)) return { ...answer, headers };
	const translated = context.ids.translateOut(json);
	const headed = { ...answer, headers, json: translated };
	if (!isObject(translated)) return headed;
	return answer.status >= 400
		? applyErrorVariant(headed, translated, context)
		: applySuccessVariant(headed, translated, context);
}

function applySuccessVariant(
	answer: HttpAnswer,
	json: JsonObject,
	context: VariantContext,
): HttpAnswer {
	const { switches, dialect, operation, window } = context;
	const kind = operation && findKind(operation);
	if (operation && isList(operation) && kind && window) {
		const { empty } = dialect.list ?? {};
		if (empty !== undefined && !readList(json.data).length) return refuseEmpty(answer, empty);
		const page = writePage(json, kind, window, context);
		return { ...answer, headers: { ...answer.headers, ...page.headers }, json: page.json };
	}
	if (operation?.method === 'DELETE') {
		return switches.deleteAnswer === 'body' ? answer : { status: 204, headers: answer.headers };
	}
	if (operation?.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image') {
		return toImageAnswer(answer, json);
	}
	// The address of a download is not a record.
	if (operation?.id === 'documents.download') return answer;
	return { ...answer, json: writeEnvelope(writeRecord(json, kind, dialect), kind, dialect) };
}

/** How a service answers a list without records that calls this an error. */
function refuseEmpty(answer: HttpAnswer, code: string): HttpAnswer {
	const status = 404;
	return { ...answer, status, json: { error: { code, message: 'There are no records', status } } };
}

/** A page of a list with its records in the service's words. */
function writePage(
	{ data, pagination }: JsonObject,
	kind: RecordKind,
	window: PageWindow,
	{ switches, dialect, readAddress }: VariantContext,
): { json: Json; headers: Record<string, string> } {
	const records = readList(data).map((one) =>
		isObject(one) ? writeRecord(one, kind, dialect) : one,
	);
	const total = isObject(pagination) ? Number(pagination.total) : records.length;
	const page = writeList(records, total, { dialect, kind, window, address: readAddress() });
	return switches.listAnswer === 'array' ? { ...page, json: records } : page;
}

/** The QR code itself as the answer to an invitation. */
function toImageAnswer(answer: HttpAnswer, { qr }: JsonObject): HttpAnswer {
	const url = readText(isObject(qr) ? qr.data_url : undefined) ?? '';
	const [, type = '', base64, data = ''] = /^data:([^;,]+)[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
	const bytes = base64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
	const headers = { 'Content-Type': type, 'Content-Length': bytes.length };
	return { status: answer.status, headers: { ...answer.headers, ...headers }, chunks: [bytes] };
}

function applyErrorVariant(
	answer: HttpAnswer,
	json: JsonObject,
	{ switches, dialect, requestId, operation }: VariantContext,
): HttpAnswer {
	if (!isObject(json.error)) return answer;
	const { details, ...error } = json.error;
	let { status } = answer;
	const isUpload = operation?.requestBodies.has('multipart/form-data') === true;
	if (isUpload && error.code === 'UNSUPPORTED_MEDIA_TYPE' && switches.uploadRefusal === '415') {
		status = 415;
		error.status = status;
	}
	if (switches.requestId === 'body') error.request_id = requestId;
	const body = writeError(
		{ error: { ...error, details } },
		{ dialect, operation, isMap: switches.details === 'map' },
	);
	return { ...answer, status, json: body };
}
