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

/** A request and who is asked. */
interface ExchangeRequest {
	send: Send;
	options: IHttpRequestOptions;
	asked: Asked;
	body?: StreamedBody;
	/** Sends the beginning of the body and waits a moment, for services that answer before they have read it. */
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
	 * The body, to be read once; throws Problem if it breaks off. The connection is released when it is read to its end,
	 * or left.
	 */
	pieces: () => AsyncGenerator<Uint8Array>;
	/** A Readable of the runtime, for making others: published code cannot import streams. */
	stream: Readable;
	/** Closes the connection of an answer that is not read to its end. */
	close: () => void;
}

/** Codes of a connection that broke after it was opened. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'];

/** An answer that was there before the whole request was sent, on a connection that then broke. */
const cutOff = () =>
	Object.assign(new Error('closed before the request was sent'), { code: 'ECONNRESET' });

/**
 * Tells why an exchange failed.
 *
 * @param isAccepted whether the service had answered that it did the work
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
	// A service that says yes before it has the whole file may have done anything with a part of it.
	if (isAccepted) {
		const told = isBroken ? 'ECONNRESET' : networkCode;
		return new Problem('CONNECTION_FAILED', {
			...problem.facts,
			networkCode: told,
			mayBeDone: true,
		});
	}
	// A request of which a part is missing cannot have been carried out.
	return new Problem('CONNECTION_FAILED', {
		...problem.facts,
		networkCode: isBroken ? 'EPIPE' : networkCode,
		mayBeDone: false,
	});
}

/**
 * Sends a request until its answer begins. Only silence ends it, however long the transfer takes: its own, or the
 * end of the execution. Whatever becomes of it, its files, sockets and timers are released.
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
	// Errors after the end of an exchange concern nobody.
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
		// The request before this one broke off, and may have been accepted just so.
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
			// node:http sends no more of a request once it has the whole answer.
			if (isEarly && !outgoing.isSent) throw cutOff();
			isRead = true;
		} catch (error) {
			throw fail(error);
		} finally {
			// An answer that was read to its end leaves a connection that can be used again.
			if (isRead && (!outgoing || outgoing.isSent)) watch.stop();
			else close();
		}
	}

	return { status, headers, url: request.options.url, pieces, stream, close };
}
