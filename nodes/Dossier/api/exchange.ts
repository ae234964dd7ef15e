import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { CallPolicy } from './callPolicy';
import { mapConnectionError } from './failures';
import { OutgoingBody } from './outgoing';
import type { StreamedBody } from './outgoing';
import { isProblem, Problem } from './problem';
import type { Asked } from './problem';
import { watchSilence } from './silence';
import type { SilenceWatch } from './silence';

type Readable = import('stream').Readable;

/** How a request reaches the other side, through n8n's helpers. */
export type Send = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** A request, and the host that gets it. */
interface ExchangeRequest {
	send: Send;
	options: IHttpRequestOptions;
	asked: Asked;
	body?: StreamedBody;
	/** Whether to wait a moment after the beginning of the body, in case the service answers before it has read the rest. */
	isCautious?: boolean;
}

/** An answer whose body has not been read, on a connection that is still open. */
export interface Exchange {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** The address that was asked. */
	url: string;
	/**
	 * The body, which can be read once; throws Problem if it breaks off. The connection is released when the reader reaches
	 * the end or stops.
	 */
	pieces: () => AsyncGenerator<Uint8Array>;
	/** The Readable behind the body, whose class makes other streams: published code cannot import it. */
	stream: Readable;
	/** Closes the connection of an answer that is not read to its end. */
	close: () => void;
}

/** Codes of a connection that broke after it was opened. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'];

/** The error of a connection that closed after the answer began and before the whole request was sent. */
const cutOff = () =>
	Object.assign(new Error('closed before the request was sent'), { code: 'ECONNRESET' });

/**
 * Finds out why an exchange failed.
 *
 * @param isAccepted whether the service had answered with a good status
 */
function explain(
	error: unknown,
	{ asked, options }: ExchangeRequest,
	watch: SilenceWatch,
	body: OutgoingBody | undefined,
	isAccepted: boolean,
): Problem {
	const about = { ...asked, method: options.method ?? 'GET' };
	if (body?.failure) return mapConnectionError(body.failure, about);
	const code = watch.isSilent() ? Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }) : error;
	const problem = mapConnectionError(code, about);
	if (!isProblem(problem, 'CONNECTION_FAILED') || !body || body.isSent) return problem;
	const { networkCode = '' } = problem.facts;
	const isBroken = BROKEN.includes(networkCode);
	// A service that accepts a request before it has the whole file may have stored a part of it.
	if (isAccepted) {
		const code = isBroken ? 'ECONNRESET' : networkCode;
		return new Problem('CONNECTION_FAILED', {
			...problem.facts,
			networkCode: code,
			mayBeDone: true,
		});
	}
	// A service cannot have carried out a request of which it lacks a part.
	return new Problem('CONNECTION_FAILED', {
		...problem.facts,
		networkCode: isBroken ? 'EPIPE' : networkCode,
		mayBeDone: false,
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
		return explain(error, request, watch, outgoing, isAccepted);
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
	const { statusCode: status, headers } = response;
	const stream = response.body as Readable;
	// A stream without a listener would crash the process if it fails after the exchange has ended.
	stream.on('error', () => undefined);
	if (status >= 400) outgoing?.stop();
	isAccepted = status < 300;
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

	return { status, headers, url: request.options.url, pieces, stream, close };
}
