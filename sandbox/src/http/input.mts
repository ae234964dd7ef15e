import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../contract/service-error.mts';
import { readBody, readFormFields } from '../dialect/bodies.mts';
import { fillKind, findKind } from '../dialect/fields.mts';
import { readQuery } from '../dialect/lists.mts';
import { writeName } from '../dialect/words.mts';
import type { Call } from '../operations/call.mts';
import type { JsonObject } from '../platform/json.mts';
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
			formats: service.dialect.upload?.format ?? 'both',
			names: nameUpload(call),
			translateJson: createTranslator(call),
			translateForm: createTranslator(call, readFormFields),
			validate: (mediaType, fields) =>
				validation.checkRequestBody(operation, mediaType, ids.translateIn(fields)),
		});
		call.upload = { ...upload, fields: ids.translateIn(upload.fields) };
		return;
	}
	const translate = createTranslator(call);
	const body = ids.translateIn(translate(await readJson(incoming)));
	const whole = handler.complete?.(call, body) ?? body;
	validation.checkRequestBody(operation, 'application/json', whole);
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
	const { supported = true, header = 'Idempotency-Key' } = service.dialect.idempotency ?? {};
	const key = headers[header.toLowerCase()];
	const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
	if (!supported || typeof key !== 'string' || !takesKey) return undefined;
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
	const { switches, dialect, validation, ids } = service;
	const given = new URLSearchParams(url.split('?').slice(1).join('?'));
	const { search, window } = readQuery(given, dialect, operation, switches);
	call.query = ids.translateIn(validation.parseQuery(operation, search));
	if (window) call.window = window;
}

/** Gives bodies of a call, or of its form, in the contract's words. */
function createTranslator(
	{ service, operation, givenId }: Call,
	read: typeof readBody = readBody,
): (body: JsonObject) => JsonObject {
	const { contract, dialect } = service;
	return (body) => read(body, { dialect, contract, operation, id: givenId });
}

/** Where an upload has its content: in JSON, beside the other fields, and in a form. */
function nameUpload({ service: { dialect }, operation }: Call) {
	const { content = writeName('content_base64', dialect), file = 'file' } = dialect.upload ?? {};
	const { sendIn } = dialect.record ?? {};
	const kind = findKind(operation);
	const parents = sendIn !== undefined && kind ? fillKind(sendIn, kind, dialect).split('.') : [];
	return { content: [...parents, ...content.split('.')], file };
}
