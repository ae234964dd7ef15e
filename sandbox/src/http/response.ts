import type { FileHandle } from 'node:fs/promises';
import type { ServiceError } from '../contract/service-error.ts';
import type { Json } from '../platform/json.ts';
import type { Answer, Headers } from '../operations/call.ts';

export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An answer with all that goes onto the line. */
export interface HttpAnswer {
	status: number;
	headers: Headers;
	/** Sent as JSON. */
	json?: Json;
	/** Sent byte for byte, and closed. */
	file?: FileHandle;
	/** Sent piece by piece as the reader takes them; where there is a file too, they are made of it. */
	chunks?: Chunks;
}

/** An operation's answer, not yet with the headers that every answer has. */
export function toHttpAnswer(answer: Answer): HttpAnswer {
	if ('body' in answer) return { status: answer.status, headers: {}, json: answer.body };
	const { status, headers } = answer;
	if ('file' in answer) return { status, headers: { ...headers }, file: answer.file };
	return { status, headers: { ...headers }, chunks: answer.content };
}

/** A refusal. */
export function toErrorAnswer(error: ServiceError): HttpAnswer {
	const headers: Headers = {};
	if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
	if (error.retryAfter !== undefined) headers['Retry-After'] = Math.ceil(error.retryAfter);
	return { status: error.status, headers, json: error.body() };
}
