import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios from 'axios';

/** What one try was answered: a status and the beginning of the body, or an error that says why there was none. */
export interface SendResult {
	status: number | null;
	body: string | null;
	error: string | null;
	/** How long it took. */
	ms: number;
}

/** How much of an answer is kept, in bytes. */
const keptBytes = 2048;

/** Sends events, over connections that it keeps. */
export class WebhookSender {
	readonly #timeoutMs: number;
	readonly #http = new HttpAgent({ keepAlive: true });
	readonly #https = new HttpsAgent({ keepAlive: true });
	readonly #open = new Set<AbortController>();

	/** `timeoutMs`: how long a receiver has for its answer. */
	constructor(timeoutMs: number) {
		this.#timeoutMs = timeoutMs;
	}

	/** Sends one request. No redirect is followed: events go to the address that was registered, and nowhere else. Never throws. */
	async send(url: string, body: string, headers: Record<string, string>): Promise<SendResult> {
		const start = performance.now();
		const ms = () => Math.round(performance.now() - start);
		const controller = new AbortController();
		this.#open.add(controller);
		let late = false;
		const timer = setTimeout(() => {
			late = true;
			controller.abort();
		}, this.#timeoutMs);
		try {
			const answer = await axios.post<Readable>(url, Buffer.from(body), {
				headers: {
					'Content-Type': 'application/json',
					'User-Agent': 'dossier-sandbox',
					'Accept-Encoding': 'identity',
					...headers,
				},
				signal: controller.signal,
				responseType: 'stream',
				maxRedirects: 0,
				validateStatus: () => true,
				proxy: false,
				httpAgent: this.#http,
				httpsAgent: this.#https,
			});
			return { status: answer.status, body: await beginning(answer.data), error: null, ms: ms() };
		} catch (error) {
			const why = late ? `No answer within ${this.#timeoutMs / 1000} seconds.` : causeOf(error);
			return { status: null, body: null, error: why, ms: ms() };
		} finally {
			clearTimeout(timer);
			this.#open.delete(controller);
		}
	}

	/** Breaks off what is under way, and closes the connections. */
	close(): void {
		for (const controller of this.#open) controller.abort();
		this.#http.destroy();
		this.#https.destroy();
	}
}

/** A connection that is refused under each of a name's addresses comes without a message, but with a code. */
function causeOf(error: unknown): string {
	if (!axios.isAxiosError(error)) return String(error);
	return error.message || (error.code ?? 'The request failed.');
}

/** The beginning of an answer's body. One that breaks off, or takes too long, ends there: the status has been given. */
async function beginning(stream: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	const pieces: AsyncIterable<Buffer> = stream;
	try {
		for await (const piece of pieces) {
			chunks.push(piece);
			size += piece.length;
			if (size >= keptBytes) break;
		}
	} catch {
		// The part that came is what there is.
	}
	return Buffer.concat(chunks).subarray(0, keptBytes).toString();
}
