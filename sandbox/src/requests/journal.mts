import type { IncomingMessage } from 'node:http';
import type { Caller } from '../accounts/caller.mts';
import type { Clock } from '../platform/clock.mts';

const entriesKept = 500;
const bodyBytesKept = 4096;

/** The beginning of a body. */
interface JournalBody {
	text: string;
	/** The length of the whole body. */
	bytes: number;
	/** Whether the text is only the beginning. */
	cut: boolean;
}

/** The headers and the body of a request or an answer. */
interface JournalPart {
	headers: [name: string, value: string][];
	body: JournalBody;
}

/** A request and its answer, without secrets. */
export interface JournalEntry {
	/** Counts up from 1. */
	n: number;
	request_id: string;
	time: string;
	/** Null until the answer has been sent. */
	duration_ms: number | null;
	/** Null if no operation has this address. */
	operation: string | null;
	method: string;
	url: string;
	caller: { kind: string; organization_id: string | null } | null;
	/** Whether a fault struck it. */
	fault: boolean;
	/** Null until it is answered. */
	status: number | null;
	request: JournalPart;
	answer: JournalPart;
}

/** The latest requests of the service with their answers, limited in number and in size. */
export class Journal {
	/** The journal calls it with each entry that has ended. */
	onEnd: ((entry: JournalEntry) => void) | undefined;
	readonly #clock: Clock;
	#entries: JournalRecording[] = [];
	#n = 0;
	#hasForgotten = false;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Begins an entry; `JournalRecording.end` ends it. */
	open(
		incoming: IncomingMessage,
		requestId: string,
		operation: string | undefined,
	): JournalRecording {
		this.#n += 1;
		const time = this.#clock.iso();
		const recording = new JournalRecording(this.#n, incoming, requestId, operation, time, () =>
			this.onEnd?.(recording.describe()),
		);
		this.#entries.push(recording);
		// Dropping half of them at once is cheaper than one at a time.
		if (this.#entries.length >= entriesKept * 2) {
			this.#entries = this.#entries.slice(-entriesKept);
			this.#hasForgotten = true;
		}
		return recording;
	}

	/** The latest entries; with `after`, the first ones after this number. The newest comes first. */
	list({
		after,
		limit = 100,
	}: { after?: number | undefined; limit?: number } = {}): JournalEntry[] {
		const kept = this.#entries.slice(-entriesKept);
		const page =
			after === undefined ? kept.slice(-limit) : kept.filter(({ n }) => n > after).slice(0, limit);
		return page.map((recording) => recording.describe()).reverse();
	}

	/** When the latest requests came, and how they were answered; the oldest first. */
	listOutcomes(): { time: string; status: number | null }[] {
		return this.#entries.map(({ time, status }) => ({ time, status }));
	}

	/** Whether every request since the journal was cleared is listed. */
	get isComplete(): boolean {
		return !this.#hasForgotten && this.#entries.length <= entriesKept;
	}

	clear(): void {
		this.#entries = [];
		this.#hasForgotten = false;
	}
}

/** Keeps the beginning of a body while it is read or sent. */
class BodyRecorder {
	readonly #kept: Buffer[] = [];
	#room = bodyBytesKept;
	#bytes = 0;

	take(bytes: Uint8Array): void {
		this.#bytes += bytes.length;
		if (this.#room <= 0) return;
		// A copy: the chunk would keep the whole buffer that it is a part of in memory.
		const kept = Buffer.from(bytes.subarray(0, this.#room));
		this.#kept.push(kept);
		this.#room -= kept.length;
	}

	/** Counts bytes that are not kept. */
	count(bytes: number): void {
		this.#bytes += bytes;
	}

	describe(): JournalBody {
		const kept = Buffer.concat(this.#kept);
		const text = redact(kept.toString('utf8'));
		return { text, bytes: this.#bytes, cut: kept.length < this.#bytes };
	}
}

/** One entry while it is recorded. Secrets are redacted when somebody reads it, which is rarer than requests are. */
export class JournalRecording {
	readonly n: number;
	readonly request = new BodyRecorder();
	readonly answer = new BodyRecorder();
	caller: Caller | undefined;
	fault = false;
	status: number | null = null;
	answerHeaders: [string, string][] = [];
	readonly #incoming: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;
	readonly #requestId: string;
	readonly #operation: string | undefined;
	readonly time: string;
	readonly #startedAt = performance.now();
	readonly #onEnd: () => void;
	#duration: number | null = null;

	constructor(
		n: number,
		{ method, url, rawHeaders }: IncomingMessage,
		requestId: string,
		operation: string | undefined,
		time: string,
		onEnd: () => void,
	) {
		this.n = n;
		this.#onEnd = onEnd;
		this.#incoming = { method, url, rawHeaders };
		this.#requestId = requestId;
		this.#operation = operation;
		this.time = time;
	}

	/** Ends the entry, whose duration is now known. */
	end(): void {
		this.#duration = Math.round((performance.now() - this.#startedAt) * 100) / 100;
		this.#onEnd();
	}

	describe(): JournalEntry {
		const { method = '', url = '', rawHeaders } = this.#incoming;
		const { caller } = this;
		// Node.js lists names and values in turn.
		const headers = rawHeaders.flatMap((name, at): [string, string][] =>
			at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
		);
		const organization = caller && 'organizationId' in caller ? caller.organizationId : null;
		return {
			n: this.n,
			request_id: this.#requestId,
			time: this.time,
			duration_ms: this.#duration,
			operation: this.#operation ?? null,
			method,
			url: redact(url),
			caller: caller ? { kind: caller.kind, organization_id: organization } : null,
			fault: this.fault,
			status: this.status,
			request: { headers: redactHeaders(headers), body: this.request.describe() },
			answer: { headers: redactHeaders(this.answerHeaders), body: this.answer.describe() },
		};
	}
}

function redactHeaders(headers: [string, string][]): [string, string][] {
	return headers.map(([name, value]) => [name, redactHeader(name, value)]);
}

/** The code in an error object, which may be cut off. */
export function readErrorCode(text: string): string | undefined {
	return /^\s*\{\s*"error"\s*:\s*\{[^]*?"code"\s*:\s*"([A-Z_]+)"/.exec(text)?.[1];
}

const tokens = /\b(sk_live|sk_test|whsec|ct|ot|ps)_[\w+/=-]{12,}/g;
const secretFields =
	/"(access_token|token|x-upload-token|secret|previous_secret|password|api_key|authorization|invite_url|url_signed|data_url|link)"(\s*:\s*)"(?:[^"\\]|\\.)*("|$)/gi;
/** All digits, unlike the codes of errors, which are words. */
const signInCodes = /"(code|otp)"(\s*:\s*)"?\d{4,10}"?/gi;
const secretParameters = /([?&](?:token|signature|code|secret|key|access_token)=)[^&"'\s\\]+/gi;
const signedPath = /(\/signed\/)[^"'\s\\]+/g;

/**
 * Redacts keys, tokens, secrets and codes in a text, whether it is JSON (even cut off), a header or an address. The kind of a key and
 * its last four characters stay, so that a person can tell two keys apart.
 */
function redact(text: string): string {
	return text
		.replaceAll(tokens, (key, kind: string) => `${kind}_…${key.slice(-4)}`)
		.replaceAll(secretFields, '"$1"$2"…"')
		.replaceAll(signInCodes, '"$1"$2"…"')
		.replaceAll(secretParameters, '$1…')
		.replaceAll(signedPath, '$1…');
}

const secretHeaders = new Set([
	'authorization',
	'proxy-authorization',
	'cookie',
	'set-cookie',
	'x-upload-token',
]);

/** Redacts the value of a header. The scheme of an authorization stays. */
function redactHeader(name: string, value: string): string {
	const shown = redact(value);
	if (!secretHeaders.has(name.toLowerCase()) || shown !== value) return shown;
	const scheme = /^(Bearer|Basic) /i.exec(value)?.[0] ?? '';
	return `${scheme}…`;
}
