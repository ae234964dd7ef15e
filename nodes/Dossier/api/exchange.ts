import { sleep } from 'n8n-workflow';
import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { CallPolicy } from './callPolicy';
import { mapConnectionError } from './failures';
import { isProblem, Problem } from './problem';
import type { Asked } from './problem';
import { watchSilence } from './silence';
import type { SilenceWatch } from './silence';

type Readable = import('stream').Readable;

/** A request body that is made anew for each request, while it is sent. */
export interface StreamedBody {
	contentType: string;
	/** The same whenever the same file is sent with the same fields in the same format. */
	fingerprint: string;
	/** Exact, in bytes. */
	size: number;
	open: () => BodySource;
}

/** A body that is being sent. */
export interface BodySource {
	pieces: AsyncIterable<Uint8Array>;
	/** Releases files and sockets that the pieces are read from; called once, however the request ends. */
	close: () => void;
}

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

/** Small enough that every piece of a slow transfer is soon followed by the next, in bytes. */
const SLICE = 65_536;

function* slice(piece: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < piece.length; at += SLICE) yield piece.subarray(at, at + SLICE);
}

/** How long a cautious request waits for an early answer, in ms. */
const EARLY_ANSWER = 1_000;

/** The body of one request on its way. */
class Upload {
	private source?: BodySource;
	private sent = 0;
	private isAnswered = false;
	private isClosed = false;
	/** Why the body could not be read, since n8n does not always say why a request failed. */
	failure: unknown;

	constructor(
		private readonly body: StreamedBody,
		private readonly watch: SilenceWatch,
		private isCautious: boolean,
	) {}

	/** Whether the whole body was handed to the connection. */
	get isSent(): boolean {
		return this.sent === this.body.size;
	}

	/** Looks like a Blob to axios, which then takes the size for Content-Length and reads the stream. */
	asBlob(): object {
		return {
			[Symbol.toStringTag]: 'Blob',
			type: this.body.contentType,
			size: this.body.size,
			stream: () => this.read(),
		};
	}

	/** Stops sending: the other side has answered, and does not want the rest. */
	stop(): void {
		this.isAnswered = true;
	}

	close(): void {
		this.isClosed = true;
		this.source?.close();
	}

	private async *read(): AsyncGenerator<Uint8Array> {
		// n8n may send a request a second time.
		this.source?.close();
		this.sent = 0;
		if (this.isClosed) return;
		const { pieces } = (this.source = this.body.open());
		try {
			this.watch.pause();
			for await (const piece of pieces) {
				for (const part of slice(piece)) {
					if (this.sent > 0) await this.waitForAnswer();
					this.sent += part.length;
					this.watch.await();
					yield part;
				}
				this.watch.pause();
			}
			this.watch.await();
		} catch (error) {
			throw this.note(error);
		} finally {
			this.source.close();
		}
	}

	private note(error: unknown): unknown {
		this.failure = error;
		return error;
	}

	/** Waits a moment if the request is cautious, and for the end of the request once it is answered. */
	private async waitForAnswer(): Promise<void> {
		if (this.isCautious) {
			this.isCautious = false;
			await sleep(EARLY_ANSWER);
		}
		if (this.isAnswered) await waitForAbort(this.watch.signal);
	}
}

const waitForAbort = async (signal: AbortSignal) =>
	await new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener('abort', () => resolve(), { once: true });
	});

/** Codes of a connection that broke after it was opened. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'];

/** Tells why an exchange failed. */
function explain(
	error: unknown,
	{ asked, options }: ExchangeRequest,
	watch: SilenceWatch,
	upload: Upload | undefined,
): Problem {
	const about = { ...asked, method: options.method ?? 'GET' };
	if (upload?.failure) return mapConnectionError(upload.failure, about);
	const code = watch.isSilent() ? Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }) : error;
	const problem = mapConnectionError(code, about);
	if (!isProblem(problem, 'CONNECTION_FAILED') || !upload || upload.isSent) return problem;
	// A request of which a part is missing cannot have been carried out.
	const { networkCode = '' } = problem.facts;
	const isBroken = BROKEN.includes(networkCode);
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
	const upload = request.body && new Upload(request.body, watch, request.isCautious === true);
	const fail = (error: unknown): Problem => {
		watch.abort();
		upload?.close();
		return explain(error, request, watch, upload);
	};
	const response = await request
		.send({
			...request.options,
			...(upload && { body: upload.asBlob() }),
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
	if (status >= 400) upload?.stop();

	function close(): void {
		watch.abort();
		upload?.close();
		stream.destroy();
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
			isRead = true;
		} catch (error) {
			throw fail(error);
		} finally {
			// An answer that was read to its end leaves a connection that can be used again.
			if (isRead && (!upload || upload.isSent)) watch.stop();
			else close();
		}
	}

	return { status, headers, url: request.options.url, pieces, stream, close };
}
