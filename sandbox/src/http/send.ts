import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../platform/clock.ts';
import type { FaultPlan } from '../requests/faults.ts';
import type { JournalRecording } from '../requests/journal.ts';
import type { HttpAnswer, Chunks } from './answer.ts';

/** Where an answer goes, and what happens to it on the way. */
export interface ResponseSink {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	recording: JournalRecording;
	clock: Clock;
	fault?: FaultPlan | undefined;
}

/** Writes an answer, and reads what is left of the request's body, so that the caller gets to read the answer. */
export async function send(outcome: HttpAnswer, line: ResponseSink): Promise<void> {
	const { incoming, outgoing, recording, clock, fault } = line;
	const { status, headers, json, file } = outcome;
	headers.Date = new Date(clock.now()).toUTCString();
	recording.status = status;
	if (fault?.body || fault?.connection) await sendBadly(outcome, line, fault);
	else if (json !== undefined) {
		const bytes = encodeJson(json, headers);
		recording.answer.take(bytes);
		outgoing.writeHead(status, headers);
		outgoing.end(bytes);
	} else if (incoming.method === 'HEAD' || (!file && !outcome.chunks)) {
		if (status !== 204 && !file && !outcome.chunks) headers['Content-Length'] = 0;
		outgoing.writeHead(status, headers);
		outgoing.end();
		await file?.close();
	} else {
		outgoing.writeHead(status, headers);
		if (file && !outcome.chunks) recording.answer.count(Number(headers['Content-Length'] ?? 0));
		// A reader may go away. If reading the file fails, the connection breaks: a shorter answer would look complete.
		await pipeline(streamBody(outcome, recording), outgoing).catch(() => undefined);
	}
	recording.answerHeaders = Object.entries(headers).map(([name, value]) => [name, String(value)]);
	if (!incoming.readableEnded) incoming.resume();
}

function encodeJson(json: HttpAnswer['json'], headers: HttpAnswer['headers']): Buffer {
	const bytes = Buffer.from(JSON.stringify(json));
	headers['Content-Type'] ??= 'application/json; charset=utf-8';
	headers['Content-Length'] = bytes.length;
	return bytes;
}

function streamBody(
	{ file, chunks: pieces, headers }: HttpAnswer,
	recording: JournalRecording,
): Readable {
	// An image cannot be read in the journal, and may be a code that lets somebody in.
	const isText = /json|text/.test(String(headers['Content-Type']));
	if (pieces) return Readable.from(record(pieces, recording, isText), { objectMode: false });
	return file ? streamFile(file) : Readable.from([]);
}

function streamFile(file: FileHandle): Readable {
	return file.createReadStream({ highWaterMark: 256 * 1024 });
}

async function* record(pieces: Chunks, { answer }: JournalRecording, isText: boolean) {
	for await (const piece of pieces) {
		const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
		if (isText) answer.take(bytes);
		else answer.count(bytes.length);
		yield bytes;
	}
}

/** Sends half of a body, or all of it slowly. */
async function sendBadly(outcome: HttpAnswer, line: ResponseSink, fault: FaultPlan): Promise<void> {
	const { outgoing, recording, clock } = line;
	const { status, headers, json } = outcome;
	const body = json === undefined ? streamBody(outcome, recording) : [encodeJson(json, headers)];
	const size = Number(headers['Content-Length'] ?? 0);
	const half = fault.body === 'truncated' || fault.connection === 'while';
	// If the length is not known beforehand, half is a single byte.
	const most = half ? Math.max(1, Math.floor(size / 2)) : Infinity;
	if (fault.body === 'truncated') headers['Content-Length'] = Math.min(size, most);
	outgoing.writeHead(status, headers);
	const step = Math.max(1, Math.floor((fault.bytes_per_second ?? 1000) / 10));
	let sent = 0;
	for await (const piece of body) {
		if (!Buffer.isBuffer(piece)) continue;
		const bytes = piece.subarray(0, most - sent);
		if (json !== undefined) recording.answer.take(bytes);
		sent += bytes.length;
		if (fault.body !== 'slow') await write(outgoing, bytes);
		else {
			for (let at = 0; at < bytes.length && !outgoing.destroyed; at += step) {
				await clock.wait(100);
				await write(outgoing, bytes.subarray(at, at + step));
			}
		}
		if (sent >= most || outgoing.destroyed) break;
	}
	if (fault.connection === 'while') outgoing.destroy();
	else outgoing.end();
}

/** Resolves when the bytes have left this process, or the reader is gone. */
async function write(outgoing: ServerResponse, bytes: Buffer): Promise<void> {
	await new Promise<void>((resolve) => outgoing.write(bytes, () => resolve()));
}
