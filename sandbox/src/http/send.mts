import type { HttpAnswer, ResponseSink } from './response-sink.mts';
import { pipeBody, setHeaders, streamBody, writeHead } from './response-sink.mts';
import { changesBody, sendFaulty } from './send-faulty.mts';

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
		// Chunks that were never asked for do not close the file that they are made from.
		await file?.close();
	}
}
