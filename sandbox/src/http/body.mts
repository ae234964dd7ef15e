import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ServiceError } from '../contract/service-error.mts';
import { isObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';

/** The largest JSON body, and the most that may come beside the file of an upload, in bytes. */
export const bodyLimit = 1024 * 1024;

const deepest = 64;

/** The media type of a request. Throws 400 `UNSUPPORTED_MEDIA_TYPE` if it is missing or malformed. */
export function parseMediaType(incoming: IncomingMessage): MIMEType {
	try {
		return new MIMEType(incoming.headers['content-type'] ?? '');
	} catch {
		throw new ServiceError(
			'UNSUPPORTED_MEDIA_TYPE',
			'The request has no Content-Type that can be read. Send Content-Type: application/json.',
		);
	}
}

const watchers = new WeakMap<IncomingMessage, (bytes: Buffer) => void>();

/** Calls `see` with the bytes of a request's body as they are read. `see` must not change them. */
export function watchBody(incoming: IncomingMessage, see: (bytes: Buffer) => void): void {
	watchers.set(incoming, see);
}

/** The bytes of a request as they arrive. Leaving the loop early keeps the connection open for the answer. */
export async function* readBytes(incoming: IncomingMessage): AsyncGenerator<Buffer> {
	const see = watchers.get(incoming);
	const bytes: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false });
	for await (const chunk of bytes) {
		see?.(chunk);
		yield chunk;
	}
}

/** A whole JSON body. Throws 400 `INVALID_JSON` or `UNSUPPORTED_MEDIA_TYPE`. */
export async function readJson(incoming: IncomingMessage): Promise<JsonObject> {
	if (parseMediaType(incoming).essence !== 'application/json') {
		throw new ServiceError(
			'UNSUPPORTED_MEDIA_TYPE',
			'This operation takes JSON. Send Content-Type: application/json.',
		);
	}
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of readBytes(incoming)) {
		size += chunk.length;
		if (size > bodyLimit) {
			throw new ServiceError(
				'INVALID_JSON',
				`The body is larger than ${bodyLimit} bytes. Send less.`,
			);
		}
		chunks.push(chunk);
	}
	return parseBody(decodeUtf8(chunks));
}

/** The text of a JSON body. Throws 400 `INVALID_JSON` if it is not UTF-8. */
export function decodeUtf8(chunks: Buffer[]): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
	} catch {
		throw new ServiceError('INVALID_JSON', 'The body is not UTF-8. JSON has to be sent as UTF-8.');
	}
}

/** The object in the text of a body. Throws 400 `INVALID_JSON`. */
export function parseBody(text: string): JsonObject {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		const why = error instanceof SyntaxError ? error.message : '';
		throw new ServiceError('INVALID_JSON', `The body is not JSON. ${why}`.trim());
	}
	if (!isObject(value)) {
		throw new ServiceError(
			'INVALID_JSON',
			'The body is JSON, but not an object. Send an object in braces.',
		);
	}
	if (isDeeper(value, deepest)) {
		throw new ServiceError('INVALID_JSON', `The body is nested more than ${deepest} levels deep.`);
	}
	return value;
}

function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	return Object.values(value).some((one) => isDeeper(one, levels - 1));
}
