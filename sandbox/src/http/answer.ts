import type { FileHandle } from 'node:fs/promises';
import type { Answer, Headers } from '../operations/call.ts';
import type { Json } from '../platform/json.ts';

export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An answer as HTTP knows it. */
export interface HttpAnswer {
	status: number;
	headers: Headers;
	/** Sent as JSON. */
	json?: Json;
	/** Sent byte for byte, and closed. */
	file?: FileHandle;
	/** The bytes of the file that are sent, the last one included; all, if it is not given. */
	part?: { start: number; end: number };
	/** Sent as fast as the reader takes them. If there is a file too, they are made from it. */
	chunks?: Chunks;
}

/** An operation's answer, without the headers that every answer has. */
export function toHttpAnswer(answer: Answer): HttpAnswer {
	if ('body' in answer) return { status: answer.status, headers: {}, json: answer.body };
	const { status, headers } = answer;
	if ('file' in answer) return { status, headers: { ...headers }, file: answer.file };
	return { status, headers: { ...headers }, chunks: answer.content };
}
