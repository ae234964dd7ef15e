import type { ContractOperation } from '../../contract/contract.ts';
import type { Switches } from '../../contract/switches.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { writeError } from '../../dialect/errors.ts';
import { findKind } from '../../dialect/fields.ts';
import { writeList } from '../../dialect/lists.ts';
import type { PageWindow } from '../../dialect/lists.ts';
import { writeEnvelope, writeRecord } from '../../dialect/records.ts';
import type { PublicIds } from '../../database/public-ids.ts';
import { isObject, readList, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { HttpAnswer } from '../answer.ts';
import { applyHeaderVariants } from '../headers.ts';
import { applyListVariant, isList } from './lists.ts';

/** What decides how an answer is worded. */
interface VariantContext {
	switches: Switches;
	dialect: Dialect;
	ids: PublicIds;
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
	const { switches } = context;
	const headers = applyHeaderVariants(answer.headers, context);
	const { json } = answer;
	if (!isObject(json)) return { ...answer, headers };
	const written = switches.categories === 'words' ? writeCategories(json) : json;
	const translated = context.ids.translateOut(written);
	const headed = { ...answer, headers, json: translated };
	if (!isObject(translated)) return headed;
	return answer.status >= 400
		? applyErrorVariant(headed, translated, context)
		: applySuccessVariant(headed, translated, context);
}

/** The categories of documents as words for people: `Identity Document` for `identity_document`. */
function writeCategories(json: JsonObject): JsonObject {
	const { category, data } = json;
	const toWords = (name: string) =>
		name
			.split('_')
			.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
			.join(' ');
	return {
		...json,
		...(typeof category === 'string' && { category: toWords(category) }),
		...(Array.isArray(data) && {
			data: data.map((one) => (isObject(one) ? writeCategories(one) : one)),
		}),
	};
}

function applySuccessVariant(
	answer: HttpAnswer,
	json: JsonObject,
	context: VariantContext,
): HttpAnswer {
	const { switches, dialect, operation } = context;
	if (operation && isList(operation)) {
		const page = writePage(json, operation, context);
		return { ...answer, headers: { ...answer.headers, ...page.headers }, json: page.json };
	}
	if (operation?.method === 'DELETE') {
		return switches.deleteAnswer === 'body' ? answer : { status: 204, headers: answer.headers };
	}
	if (operation?.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image') {
		return toImageAnswer(answer, json);
	}
	const kind = operation && findKind(operation);
	// The address of a download is not a record.
	const isRecord = operation?.id !== 'documents.download';
	const record = isRecord ? writeRecord(json, kind, dialect) : json;
	if (isRecord && kind && dialect.record?.envelope !== undefined) {
		return { ...answer, json: writeEnvelope(record, kind, dialect) };
	}
	return { ...answer, json: switches.successEnvelope === 'bare' ? record : { data: record } };
}

/** A page of a list with its records in the service's words. */
function writePage(
	{ data, pagination }: JsonObject,
	operation: ContractOperation,
	{ switches, dialect, readAddress, window }: VariantContext,
): { json: Json; headers: Record<string, string> } {
	const kind = findKind(operation);
	const records = readList(data).map((one) =>
		isObject(one) ? writeRecord(one, kind, dialect) : one,
	);
	const address = readAddress();
	if (dialect.list && kind && window) {
		const total = isObject(pagination) ? Number(pagination.total) : records.length;
		return writeList(records, total, { dialect, kind, window, address });
	}
	return applyListVariant({ data: records, pagination }, switches, address);
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
	const beside = switches.details === 'beside' && { details: 'details' };
	const body = writeError(
		{ error: { ...error, details } },
		{
			dialect: { ...dialect, errors: { ...beside, ...dialect.errors } },
			operation,
			isMap: switches.details === 'map',
		},
	);
	return { ...answer, status, json: body };
}
