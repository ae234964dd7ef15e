import { types } from 'node:util';

/** The result of one attempt: a status and the beginning of the body, or an error that says why there was no answer. */
interface SendResult {
	status: number | null;
	body: string | null;
	error: string | null;
	/** How long it took. */
	ms: number;
}

/** How much of an answer is kept, in bytes. */
const keptBytes = 2048;

/** Sends events to receivers. */
export class WebhookSender {
	readonly #timeoutMs: number;
	readonly #open = new Set<AbortController>();

	/** `timeoutMs`: how long a receiver has for its answer. */
	constructor(timeoutMs: number) {
		this.#timeoutMs = timeoutMs;
	}

	/** Sends one request. It follows no redirect: events go to the address that was registered, and nowhere else. Never throws. */
	async send(url: string, body: string, headers: Record<string, string>): Promise<SendResult> {
		const start = performance.now();
		const elapsed = () => Math.round(performance.now() - start);
		const controller = new AbortController();
		this.#open.add(controller);
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			controller.abort();
		}, this.#timeoutMs);
		try {
			const answer = await fetch(url, {
				method: 'POST',
				headers: {
					'Content-Type': 'application/json',
					'User-Agent': 'dossier-sandbox',
					'Accept-Encoding': 'identity',
					...headers,
				},
				body: Buffer.from(body),
				redirect: 'manual',
				signal: controller.signal,
			});
			const beginning = await readBeginning(answer);
			return { status: answer.status, body: beginning, error: null, ms: elapsed() };
		} catch (error) {
			const reason = isLate
				? `No answer within ${this.#timeoutMs / 1000} seconds.`
				: findCause(error);
			return { status: null, body: null, error: reason, ms: elapsed() };
		} finally {
			clearTimeout(timer);
			this.#open.delete(controller);
		}
	}

	/** Aborts the requests that are in flight. */
	close(): void {
		for (const controller of this.#open) controller.abort();
	}
}

/** The reason that `fetch` hides in the cause of its error. A host whose addresses all refuse gives a code without a message. */
function findCause(error: unknown): string {
	const cause = types.isNativeError(error) ? (error.cause ?? error) : error;
	if (!types.isNativeError(cause)) return String(cause);
	if (cause.message !== '') return cause.message;
	return 'code' in cause ? String(cause.code) : 'The request failed.';
}

/** Reads the beginning of an answer's body. If it breaks off or takes too long, the part that came is enough. */
async function readBeginning({ body }: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	const stream: AsyncIterable<Uint8Array> | Uint8Array[] = body ?? [];
	try {
		for await (const chunk of stream) {
			chunks.push(chunk);
			size += chunk.length;
			if (size >= keptBytes) break;
		}
	} catch {
		// The part that came is enough.
	}
	return Buffer.concat(chunks).subarray(0, keptBytes).toString();
}
