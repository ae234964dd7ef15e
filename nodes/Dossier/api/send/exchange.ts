import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { CallPolicy, Send } from '../connection';
import { DEEPEST_CAUSE, mapConnectionError } from './failures';
import { isObject } from '../../dialect/paths';
import { OutgoingBody } from './outgoing';
import type { StreamedBody } from './outgoing';
import { isProblem, Problem } from '../../problems/problem';
import type { Recipient } from '../../problems/problem';
import { isWriting, RETRY } from './retry';
import { watchSilence } from './watchSilence';
import type { SilenceWatch } from './watchSilence';

export type Readable = import('stream').Readable;

/** A request, and the host that gets it. */
export interface ExchangeRequest {
	send: Send;
	options: IHttpRequestOptions;
	recipient: Recipient;
	body?: StreamedBody;
	/** Whether to wait a moment after the beginning of the body, in case the service answers before it has read the rest. */
	isCautious?: boolean;
}

/** An answer whose body has not been read, on a connection that is still open. */
export interface Exchange {
	statusCode: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** The address that was asked, without its query. */
	url: string;
	/**
	 * The body, which can be read once; throws Problem if it breaks off. The connection is released when the reader reaches
	 * the end or stops.
	 */
	pieces: () => AsyncGenerator<Uint8Array>;
	/** The Readable behind the body. Its constructor is reused, because `stream` may not be imported. */
	stream: Readable;
	/** Closes the connection of an answer that is not read to its end. */
	close: () => void;
}

/** The error of a connection that closed after the answer began and before the whole request was sent. */
const cutOff = () =>
	Object.assign(new Error('closed before the request was sent'), { code: 'ECONNRESET' });

/**
 * Whether a part of an answer had arrived when a connection broke, if the error has the request: Node.js counts what a socket
 * has read, which is this answer if no other request has used it before.
 */
function hasBegun(error: unknown, depth = 0): boolean {
	if (!isObject(error) || depth > DEEPEST_CAUSE) return false;
	const { request, cause } = error;
	if (!isObject(request) || !isObject(request.socket)) return hasBegun(cause, depth + 1);
	return request.reusedSocket === false && Number(request.socket.bytesRead) > 0;
}

/**
 * Finds out why an exchange failed.
 *
 * @param isAccepted whether the service had answered with a good status
 */
function explainBreak(
	error: unknown,
	{ recipient, options }: ExchangeRequest,
	watch: SilenceWatch,
	body: OutgoingBody | undefined,
	isAccepted: boolean,
): Problem {
	const about = { ...recipient, method: options.method ?? 'GET' };
	if (body?.failure) return mapConnectionError(body.failure, about);
	const cause = watch.isSilent()
		? Object.assign(new Error('silent'), { code: 'ETIMEDOUT' })
		: error;
	const problem = mapConnectionError(cause, about);
	if (!isProblem(problem, 'CONNECTION_FAILED')) return problem;
	if (!body || body.isSent) {
		// The service has accepted the request, even if its answer cannot be decompressed.
		return isAccepted && isWriting(about)
			? new Problem('CONNECTION_FAILED', { ...problem.facts, mayBeDone: true })
			: problem;
	}
	const isBroken = RETRY.errorCodes.broken.includes(problem.facts.networkCode ?? '');
	// A service that answers a request before it has the whole file may have stored a part of it.
	const isAnswered = isAccepted || hasBegun(error);
	return new Problem('CONNECTION_FAILED', {
		...problem.facts,
		mayBeDone: isAnswered,
		// A service cannot have carried out a request that it got only in part.
		isCutShort: isBroken && !isAnswered,
	});
}

/**
 * Sends a request until its answer begins. However long the transfer takes, only a silent service or a cancelled
 * execution ends it. Its files, sockets and timers are released however it ends.
 *
 * @throws Problem if there is no answer
 */
export async function openExchange(
	request: ExchangeRequest,
	policy: CallPolicy,
): Promise<Exchange> {
	const watch = watchSilence(policy.timeout, policy.signal);
	const isCautious = request.isCautious === true;
	const outgoing = request.body && new OutgoingBody(request.body, watch, isCautious);
	let isAccepted = false;
	const fail = (error: unknown): Problem => {
		watch.abort();
		outgoing?.close();
		return explainBreak(error, request, watch, outgoing, isAccepted);
	};
	const response = await request
		.send({
			...request.options,
			...(outgoing && { body: outgoing.asBlob() }),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			// n8n's own limit counts the whole transfer.
			timeout: 0,
			abortSignal: watch.signal,
		})
		.catch((error: unknown) => {
			throw fail(error);
		});
	const { statusCode, headers } = response;
	const stream = response.body as Readable;
	// A stream without a listener would crash the process if it fails after the exchange has ended.
	stream.on('error', () => undefined);
	if (statusCode >= 300) outgoing?.stop();
	isAccepted = statusCode < 300;
	const isEarly = isAccepted && outgoing !== undefined && !outgoing.isSent;

	function close(): void {
		watch.abort();
		outgoing?.close();
		stream.destroy();
	}

	if (isEarly && isCautious) {
		// The request before this one may have been accepted in the same way, before it broke off.
		stream.destroy();
		throw fail(cutOff());
	}

	async function* pieces(): AsyncGenerator<Uint8Array> {
		let isRead = false;
		try {
			watch.await();
			for await (const piece of stream as AsyncIterable<Uint8Array>) {
				watch.pause();
				yield piece;
				watch.await();
			}
			// node:http stops sending a request once it has the whole answer.
			if (isEarly && !outgoing.isSent) throw cutOff();
			isRead = true;
		} catch (error) {
			throw fail(error);
		} finally {
			// The connection can be reused if the answer was read to its end.
			if (isRead && (!outgoing || outgoing.isSent)) watch.stop();
			else close();
		}
	}

	return { statusCode, headers, url: request.options.url, pieces, stream, close };
}

/** How much of the body of a refusal is read, in bytes. */
const EXPLANATION_LIMIT = 65_536;

/** The largest answer that is held in memory, in bytes. */
const ANSWER_LIMIT = 256 * 1024 ** 2;

/**
 * Reads a whole body into memory.
 *
 * @throws Problem if the body breaks off or is too large
 */
export async function readBytes(body: AsyncIterable<Uint8Array>, host: string): Promise<Buffer> {
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of body) {
		size += piece.length;
		if (size > ANSWER_LIMIT) throw new Problem('ANSWER_TOO_LARGE', { host, limit: ANSWER_LIMIT });
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/**
 * Reads the beginning of a body that explains a refusal, or that nobody needs. If the connection breaks, it gives what has
 * arrived, because the status says more about a refusal than the rest of its body. The connection can be reused once the body
 * is read to its end.
 */
export async function readExplanation({ pieces }: Pick<Exchange, 'pieces'>): Promise<Buffer> {
	const read: Uint8Array[] = [];
	let size = 0;
	const reading = (async () => {
		for await (const piece of pieces()) {
			read.push(piece);
			size += piece.length;
			if (size > EXPLANATION_LIMIT) break;
		}
	})();
	await reading.catch((error: unknown) => {
		if (isProblem(error, 'CANCELLED')) throw error;
	});
	return Buffer.concat(read);
}

/** An answer with its body, before it is parsed. */
export interface RawAnswer {
	statusCode: number;
	headers: IDataObject;
	body: Buffer;
}

/** An answer as it may be shown to people: the API key is removed from it. */
export interface SeenAnswer {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** Empty if the answer is a file. */
	text: string;
}

/** Reads an answer; of a refusal or a redirect, only the beginning of the body. */
export async function readAnswer(exchange: Exchange): Promise<RawAnswer> {
	const { statusCode, headers, url } = exchange;
	const body =
		statusCode >= 300
			? await readExplanation(exchange)
			: await readBytes(exchange.pieces(), new URL(url).host);
	return { statusCode, headers, body };
}
