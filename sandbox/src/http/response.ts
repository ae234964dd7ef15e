import type { FileHandle } from 'node:fs/promises';
import type { ApiError } from '../contract/api-error.ts';
import type { Json } from '../platform/json.ts';
import type { Answer, Headers } from '../operations/call.ts';

export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An answer with all that goes onto the line. */
export interface Outcome {
	status: number;
	headers: Headers;
	/** Sent as JSON. */
	json?: Json;
	/** Sent byte for byte, and closed. */
	file?: FileHandle;
	/** Sent piece by piece as the reader takes them; where there is a file too, they are made of it. */
	pieces?: Pieces;
}

/** An operation's answer, not yet with the headers that every answer has. */
export function outcomeOf(answer: Answer): Outcome {
	if ('body' in answer) return { status: answer.status, headers: {}, json: answer.body };
	const { status, headers } = answer;
	if ('file' in answer) return { status, headers: { ...headers }, file: answer.file };
	return { status, headers: { ...headers }, pieces: answer.content };
}

/** A refusal. */
export function refusalOf(error: ApiError): Outcome {
	const headers: Headers = {};
	if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
	if (error.retryAfter !== undefined) headers['Retry-After'] = Math.ceil(error.retryAfter);
	return { status: error.status, headers, json: error.body() };
}
