import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Answer, Headers } from '../operations/call.mts';
import type { Json } from '../platform/json.mts';
import type { Clock } from '../platform/clock.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { JournalRecording } from '../requests/journal.mts';

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

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
	/** Sent as fast as the reader takes them. */
	chunks?: Chunks;
}

/** An operation's answer, without the headers that every answer has. */
export function toHttpAnswer(answer: Answer): HttpAnswer {
	if (!('body' in answer)) return { ...answer };
	return { status: answer.status, headers: {}, json: answer.body };
}

/** The destination of an answer, with its recording and its fault. */
export interface ResponseSink {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	recording: JournalRecording;
	clock: Clock;
	fault?: FaultPlan | undefined;
}

/** Writes the head of an answer with the headers that a fault sets, and records it. */
export function writeHead(answer: HttpAnswer, { outgoing, recording, fault }: ResponseSink): void {
	const headers = setHeaders(answer.headers, fault?.headers ?? {});
	recording.answerHeaders = Object.entries(headers).map(([name, value]) => [name, String(value)]);
	outgoing.writeHead(answer.status, headers);
}

/** Headers with some of them replaced. The case of their names makes no difference. */
export function setHeaders(headers: Headers, more: Headers): Headers {
	const names = new Set(Object.keys(more).map((name) => name.toLowerCase()));
	const rest = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
	return { ...Object.fromEntries(rest), ...more };
}

/** A part of a file, if the request asks for one by `Range`, and by `If-Range` of this file. */
export function applyRange<Kind extends HttpAnswer>(
	answer: Kind,
	{ method, headers: { range = '', 'if-range': condition } }: IncomingMessage,
): Kind & Pick<HttpAnswer, 'part'> {
	const headers: Headers = { ...answer.headers, 'Accept-Ranges': 'bytes' };
	const size = Number(headers['Content-Length']);
	const isMeant = method === 'GET' && (condition ?? headers.ETag) === headers.ETag;
	const part = isMeant ? readRange(range, size) : undefined;
	if (!part) return { ...answer, headers };
	const { start, end } = part;
	const sent = {
		'Content-Length': end - start + 1,
		'Content-Range': `bytes ${start}-${end}/${size}`,
	};
	return { ...answer, status: 206, headers: { ...headers, ...sent }, part };
}

/** The bytes that a caller asks for; nothing for all of them, also if the range is none that this file has. */
function readRange(header: string, size: number): HttpAnswer['part'] {
	const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
	if (from === '' && to === '') return undefined;
	const start = from === '' ? Math.max(size - Number(to), 0) : Number(from);
	const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
	return start <= end ? { start, end } : undefined;
}

/** The bytes of a file or of chunks. Text is recorded; of other bytes, only the number is. */
export function streamBody(
	{ file, part, chunks, headers }: HttpAnswer,
	recording: JournalRecording,
): Readable {
	if (chunks) {
		// An image cannot be read in the journal, and may be a code that lets somebody in.
		const isText = /json|text/.test(String(headers['Content-Type']));
		return Readable.from(recordChunks(chunks, recording, isText), { objectMode: false });
	}
	if (!file) return Readable.from([]);
	recording.answer.count(Number(headers['Content-Length'] ?? 0));
	return file.createReadStream({ ...part, highWaterMark: 256 * 1024 });
}

async function* recordChunks(chunks: Chunks, { answer }: JournalRecording, isText: boolean) {
	for await (const chunk of chunks) {
		const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
		if (isText) answer.take(bytes);
		else answer.count(bytes.length);
		yield bytes;
	}
}

/**
 * Sends a body. The caller may hang up, also before the body begins: then Node leaves the body open (`ERR_STREAM_UNABLE_TO_PIPE`).
 * If reading the body fails, the connection is broken, because a shorter answer would look complete.
 */
export async function pipeBody(body: Readable, outgoing: ServerResponse): Promise<void> {
	await pipeline(body, outgoing).catch(() => body.destroy());
}

/** Resolves when the caller, or the end of the server, has closed the connection. */
export async function waitForClose(outgoing: ServerResponse): Promise<void> {
	if (!outgoing.closed) await once(outgoing, 'close');
}
