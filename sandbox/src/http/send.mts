import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Clock } from '../platform/clock.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { HttpAnswer, ResponseSink } from './response-sink.mts';
import { pipeBody, setHeaders, streamBody, waitForClose, writeHead } from './response-sink.mts';

/** Bytes of a slow body in a second of the sandbox's clock. */
const slowPace = 1000;

const compressors = { gzip: createGzip, deflate: createDeflate, br: createBrotliCompress };

/** Writes an answer, and reads what is left of the request's body, so that the caller gets to read the answer. */
export async function send(answer: HttpAnswer, sink: ResponseSink): Promise<void> {
	const { incoming, recording, clock, fault } = sink;
	const headers = setHeaders(answer.headers, {
		...(answer.json !== undefined && { 'Content-Type': 'application/json; charset=utf-8' }),
		Date: new Date(clock.now()).toUTCString(),
		...(fault?.early && { Connection: 'close' }),
	});
	recording.status = answer.status;
	if (fault && changesBody(fault)) await sendFaulty({ ...answer, headers }, sink, fault);
	else await sendWhole({ ...answer, headers }, sink);
	if (!incoming.readableEnded && !fault?.early) incoming.resume();
}

async function sendWhole(answer: HttpAnswer, sink: ResponseSink): Promise<void> {
	const { incoming, outgoing, recording } = sink;
	const { headers, json, file, chunks } = answer;
	if (json !== undefined) {
		const bytes = Buffer.from(JSON.stringify(json));
		headers['Content-Length'] = bytes.length;
		recording.answer.take(bytes);
		writeHead(answer, sink);
		outgoing.end(bytes);
	} else if (incoming.method === 'HEAD' || (!file && !chunks)) {
		if (answer.status !== 204 && !file && !chunks) headers['Content-Length'] = 0;
		writeHead(answer, sink);
		outgoing.end();
		await file?.close();
	} else {
		writeHead(answer, sink);
		await pipeBody(streamBody(answer, recording), outgoing);
		// A body that was never asked for does not close its file.
		await file?.close();
	}
}

/** Whether a fault strikes while the answer is sent. */
export function changesBody(fault: FaultPlan): boolean {
	const { compress, connection, silent, body } = fault;
	return [compress, connection, silent, body].some((one) => one !== undefined);
}

/** Sends an answer with a fault: compressed, cut, slowly, or not at all. */
async function sendFaulty(answer: HttpAnswer, sink: ResponseSink, fault: FaultPlan): Promise<void> {
	const { outgoing, recording, clock } = sink;
	if (fault.connection === 'after' || fault.silent === 'after') {
		recording.status = null;
		await answer.file?.close();
		if (fault.silent === 'after') await waitForClose(outgoing);
		else outgoing.destroy();
		return;
	}
	const body = createBody(answer, sink, fault);
	const length = Number(answer.headers['Content-Length'] ?? 0);
	const limit = readLimit(fault, length);
	if (fault.body === 'truncated' && length > 0) {
		answer.headers['Content-Length'] = Math.min(length, limit);
	}
	writeHead(answer, sink);
	const pace = fault.body === 'slow' ? slowPace : Infinity;
	await writeBytes(body, limit, { outgoing, clock, pace });
	if (fault.silent === 'while') await waitForClose(outgoing);
	else if (limit < Infinity && fault.body !== 'truncated') outgoing.destroy();
	else outgoing.end();
}

/** The body of an answer, compressed if the fault says so. Sets the headers that belong to it. */
function createBody(
	answer: HttpAnswer,
	{ recording }: ResponseSink,
	{ compress }: FaultPlan,
): Readable {
	const { json, headers } = answer;
	let body: Readable;
	if (json === undefined) body = streamBody(answer, recording);
	else {
		const bytes = Buffer.from(JSON.stringify(json));
		recording.answer.take(bytes);
		headers['Content-Length'] = bytes.length;
		body = Readable.from([bytes], { objectMode: false });
	}
	if (!compress) return body;
	delete headers['Content-Length'];
	headers['Content-Encoding'] = compress;
	// The reader of the compressed bytes sees a failure of the source as well.
	return pipeline(body, compressors[compress](), () => undefined);
}

/** After how many bytes a body is cut. If its length is not known beforehand, half of it is a single byte. */
function readLimit(fault: FaultPlan, length: number): number {
	const isCut =
		fault.body === 'truncated' || fault.connection === 'while' || fault.silent === 'while';
	return isCut ? Math.max(1, Math.floor(length / 2)) : Infinity;
}

/** Writes at most `limit` bytes, `pace` bytes in a second of the clock. */
async function writeBytes(
	body: AsyncIterable<unknown>,
	limit: number,
	{ outgoing, clock, pace }: { outgoing: ServerResponse; clock: Clock; pace: number },
): Promise<void> {
	const step = Math.max(1, Math.floor(pace / 10));
	let left = limit;
	for await (const chunk of body) {
		if (left <= 0 || outgoing.destroyed) break;
		if (!Buffer.isBuffer(chunk)) continue;
		const bytes = chunk.subarray(0, left);
		left -= bytes.length;
		for (let at = 0; at < bytes.length && !outgoing.destroyed; at += step) {
			if (pace < Infinity) await clock.wait((1000 * Math.min(step, pace)) / pace);
			await write(outgoing, bytes.subarray(at, at + step));
		}
	}
}

/** Resolves when the bytes have left this process, or the reader is gone. */
async function write(outgoing: ServerResponse, bytes: Buffer): Promise<void> {
	await new Promise<void>((resolve) => outgoing.write(bytes, () => resolve()));
}
