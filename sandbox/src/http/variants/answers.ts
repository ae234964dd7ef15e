import type { ContractOperation } from '../../contract/contract.ts';
import type { Switches } from '../../contract/switches.ts';
import type { PublicIds } from '../../database/public-ids.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { HttpAnswer } from '../answer.ts';
import { applyHeaderVariants } from '../headers.ts';
import { applyListVariant, isList } from './lists.ts';

/** What decides how an answer is worded. */
interface VariantContext {
	switches: Switches;
	ids: PublicIds;
	/** When the answer is given, in milliseconds since 1970. */
	now: number;
	/** Gives the whole address of the request. */
	readAddress: () => URL;
	requestId: string;
	operation: ContractOperation | undefined;
}

/**
 * The answer as the switches have it. It is made from the answer by the contract, which was checked before: switches change how the
 * service says something, never what it does.
 */
export function applyVariants(answer: HttpAnswer, context: VariantContext): HttpAnswer {
	const headers = applyHeaderVariants(answer.headers, context.switches, context.now);
	const { json } = answer;
	if (!isObject(json)) return { ...answer, headers };
	const written = context.switches.categories === 'words' ? writeCategories(json) : json;
	const translated = context.ids.translateOut(written);
	const varied = { ...answer, headers, json: translated };
	if (!isObject(translated)) return varied;
	return answer.status >= 400
		? applyErrorVariant(varied, translated, context)
		: applySuccessVariant(varied, translated, context);
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
	{ switches, operation, readAddress }: VariantContext,
): HttpAnswer {
	if (operation && isList(operation)) {
		const page = applyListVariant(json, switches, readAddress());
		return { ...answer, headers: { ...answer.headers, ...page.headers }, json: page.json };
	}
	if (operation?.method === 'DELETE') {
		return switches.deleteAnswer === 'body' ? answer : { status: 204, headers: answer.headers };
	}
	if (operation?.id === 'portal.inviteQr' && switches.qrInviteAnswer === 'image') {
		return toImageAnswer(answer, json);
	}
	return switches.successEnvelope === 'bare' ? answer : { ...answer, json: { data: json } };
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
	{ switches, requestId, operation }: VariantContext,
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
	const body: JsonObject = { error };
	if (Array.isArray(details)) {
		if (switches.details === 'beside') body.details = details;
		else error.details = switches.details === 'map' ? groupByField(details) : details;
	}
	return { ...answer, status, json: body };
}

function groupByField(details: Json[]): JsonObject {
	const fields = details.filter(isObject);
	const groups = Object.groupBy(fields, ({ field }) => readText(field) ?? '');
	return Object.fromEntries(
		Object.entries(groups).map(([field, rules]) => [
			field,
			(rules ?? []).map(({ message }) => message ?? null),
		]),
	);
}
