import type { ContractOperation } from '../contract/contract.mts';
import { formatPage, isList } from '../contract/paging.mts';
import { isObject, readList } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Headers } from '../operations/call.mts';
import { readUrl } from './exchange.mts';
import type { Exchange } from './exchange.mts';
import { applyHeaderSwitches } from './headers.mts';
import type { HttpAnswer } from './response-sink.mts';
import { applyRange } from './response-sink.mts';

/**
 * Puts an answer into the form of the switches. The answer follows the contract and was checked before: switches change the form of
 * answers, never what the service does.
 */
export async function applySwitches(given: HttpAnswer, exchange: Exchange): Promise<HttpAnswer> {
	const { ids, switches, clock } = exchange.service;
	const answer = given.file ? await applyToDownload(given, exchange) : given;
	const headers = applyHeaderSwitches(answer.headers, switches, clock.now());
	const json = answer.json === undefined ? undefined : ids.translateOut(answer.json);
	if (!isObject(json)) return { ...answer, headers };
	const headed = { ...answer, headers, json };
	return answer.status >= 400
		? applyToError(headed, json, exchange)
		: applyToSuccess(headed, json, exchange);
}

function applyToSuccess(answer: HttpAnswer, json: JsonObject, exchange: Exchange): HttpAnswer {
	const { incoming, call, route, service } = exchange;
	const { switches } = service;
	const operation = route?.operation;
	if (operation && call && isList(operation)) {
		const { data, pagination } = json;
		const list = {
			data: readList(data),
			pagination: isObject(pagination) ? pagination : {},
		};
		const page = formatPage(list, switches.lists, call.window, readUrl(incoming));
		return { ...answer, headers: { ...answer.headers, ...page.headers }, json: page.json };
	}
	if (switches.envelope === 'none') return answer;
	if (operation?.method === 'DELETE') return { status: 204, headers: answer.headers };
	return { ...answer, json: { data: json } };
}

function applyToError(
	answer: HttpAnswer,
	json: JsonObject,
	{ requestId, route, service: { switches } }: Exchange,
): HttpAnswer {
	if (!isObject(json.error)) return answer;
	const error = { ...json.error };
	let { status } = answer;
	if (
		switches.uploads === 'multipart' &&
		error.code === 'UNSUPPORTED_MEDIA_TYPE' &&
		takesUpload(route?.operation)
	) {
		status = 415;
		error.status = status;
	}
	if (switches.requestId === 'body') error.request_id = requestId;
	return { ...answer, status, json: { error } };
}

function takesUpload(operation: ContractOperation | undefined): boolean {
	return operation?.requestBodies.has('multipart/form-data') === true;
}

/** A download as bytes, or as a redirect to an address that serves the file without a key. */
async function applyToDownload(answer: HttpAnswer, exchange: Exchange): Promise<HttpAnswer> {
	const { incoming, call, service, signedFiles } = exchange;
	if (!call || service.switches.downloads === 'bytes') return applyRange(answer, incoming);
	await answer.file?.close();
	const { hostname } = readUrl(incoming);
	const address = signedFiles.formatAddress(call.dataset, call.id, hostname);
	return {
		status: 302,
		headers: { ...removeContentHeaders(answer.headers), Location: address },
	};
}

function removeContentHeaders(headers: Headers): Headers {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !/^(content-|x-content-|etag$)/i.test(name)),
	);
}
