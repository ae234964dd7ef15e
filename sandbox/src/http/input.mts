import type { IncomingMessage } from 'node:http';
import { isList, readWindow } from '../contract/paging.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { Call } from '../operations/call.mts';
import type { KeyedRequest } from '../requests/idempotency.mts';
import { readJson } from './body.mts';
import { receiveUpload } from './upload/receive.mts';

/**
 * Reads and validates what came with a call, in the order of A-21: first what the path names (404), then the query (400), then the
 * headers and the body (400, 422). The file of an upload is to be discarded with the call.
 */
export async function readInput(call: Call, incoming: IncomingMessage): Promise<void> {
	const { service, operation, handler } = call;
	const { validation, ids } = service;
	handler.find?.(call);
	readCallQuery(call, incoming);
	if (operation.requestBodies.size === 0) return;
	assertNotEncoded(incoming);
	validation.checkRequestHeaders(operation, incoming.headers);
	if (operation.requestBodies.has('multipart/form-data')) {
		const upload = await receiveUpload(incoming, service.files, {
			maxFileBytes: service.options.maxFileBytes,
			formats: service.switches.uploads,
			validate: (mediaType, fields) =>
				validation.checkRequestBody(operation, mediaType, ids.translateIn(fields)),
		});
		call.upload = { ...upload, fields: ids.translateIn(upload.fields) };
		return;
	}
	const body = ids.translateIn(await readJson(incoming));
	const resource = handler.complete?.(call, body) ?? body;
	validation.checkRequestBody(operation, 'application/json', resource);
	call.body = body;
}

/**
 * Identifies a request with an `Idempotency-Key`; nothing if it has none, or its operation takes none. Call it after the input
 * was read, because the same key with other content is another request.
 */
export function readKeyedRequest(
	call: Call,
	{ headers }: IncomingMessage,
): KeyedRequest | undefined {
	const { service, operation, id } = call;
	const key = headers['idempotency-key'];
	const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
	if (service.switches.idempotency === 'ignored' || typeof key !== 'string' || !takesKey) {
		return undefined;
	}
	const content = call.hasUpload
		? JSON.stringify([call.upload.fields, call.upload.content])
		: JSON.stringify(call.body);
	return {
		dataset: call.dataset,
		key,
		content: [operation.method, operation.id, id, content].join(' '),
	};
}

/** Throws 400 `UNSUPPORTED_MEDIA_TYPE` for a compressed body. */
function assertNotEncoded({ headers }: IncomingMessage): void {
	const encoding = headers['content-encoding'] ?? 'identity';
	if (encoding.toLowerCase() === 'identity') return;
	throw new ServiceError(
		'UNSUPPORTED_MEDIA_TYPE',
		`The body has the Content-Encoding ${encoding}. Send it without compression.`,
	);
}

function readCallQuery(call: Call, { url = '' }: IncomingMessage): void {
	const { service, operation } = call;
	const { switches, validation, ids } = service;
	let search = new URLSearchParams(url.split('?').slice(1).join('?'));
	if (isList(operation)) {
		call.window = readWindow(search, switches.lists);
		if (switches.filters === 'ignored') search = new URLSearchParams();
		for (const name of ['page', 'per_page']) search.delete(name);
	}
	call.query = ids.translateIn(validation.parseQuery(operation, search));
}
