import type { IncomingMessage } from 'node:http';
import type { Caller } from '../accounts/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { redact, redactHeader } from '../platform/redaction.ts';

const entriesKept = 500;
const bodyBytesKept = 4096;

/** The beginning of a body, as text, and how long all of it was. */
export interface RecordedBody {
	text: string;
	bytes: number;
	/** Whether `text` is only the beginning. */
	cut: boolean;
}

/** A request and its answer, without secrets. */
export interface JournalEntry {
	/** Counts up from 1. */
	n: number;
	request_id: string;
	/** ISO 8601, of the sandbox's clock. */
	time: string;
	duration_ms: number | null;
	/** The operation's name in the contract, null where no operation took the request. */
	operation: string | null;
	method: string;
	/** With the query. */
	url: string;
	caller: { kind: Caller['kind']; organization_id: string | null } | null;
	/** Whether a fault hit it. */
	fault: boolean;
	/** Null while it is not answered, and where the connection broke before. */
	status: number | null;
	request: { headers: [string, string][]; body: RecordedBody };
	answer: { headers: [string, string][]; body: RecordedBody };
}

/** The latest requests of the service with their answers. What is kept is bounded, in number and in size. */
export class Journal {
	readonly #clock: Clock;
	#entries: JournalRecording[] = [];
	#n = 0;
	readonly #listeners = new Set<(n: number) => void>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Begins an entry. */
	open(
		incoming: IncomingMessage,
		requestId: string,
		operation: string | undefined,
	): JournalRecording {
		this.#n += 1;
		const recording = new JournalRecording(
			this.#n,
			incoming,
			requestId,
			operation,
			this.#clock.iso(),
		);
		this.#entries.push(recording);
		// Dropping half of them at once is cheaper than one at a time.
		if (this.#entries.length >= entriesKept * 2) this.#entries = this.#entries.slice(-entriesKept);
		return recording;
	}

	/** Ends an entry, and tells who listens. */
	close(recording: JournalRecording): void {
		recording.end();
		for (const listener of this.#listeners) listener(recording.n);
	}

	/** The latest entries with a number above `after`, the newest first. */
	list({ after = 0, limit = 100 }: { after?: number; limit?: number } = {}): JournalEntry[] {
		return this.#entries
			.slice(-Math.min(limit, entriesKept))
			.filter(({ n }) => n > after)
			.map((recording) => recording.shown())
			.reverse();
	}

	clear(): void {
		this.#entries = [];
	}

	/** Has `listener` called with the number of each entry that ends, until the function that this gives is called. */
	onEntry(listener: (n: number) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}
}

/** The beginning of a body that passes by. */
class BodyRecorder {
	readonly #kept: Buffer[] = [];
	#room = bodyBytesKept;
	#bytes = 0;

	take(bytes: Uint8Array): void {
		this.#bytes += bytes.length;
		if (this.#room <= 0) return;
		// A copy: the piece itself would hold on to all that it is a part of.
		const kept = Buffer.from(bytes.subarray(0, this.#room));
		this.#kept.push(kept);
		this.#room -= kept.length;
	}

	/** Counts bytes that are not kept. */
	count(bytes: number): void {
		this.#bytes += bytes;
	}

	seen(): RecordedBody {
		const kept = Buffer.concat(this.#kept);
		const text = redact(kept.toString('utf8'));
		return { text, bytes: this.#bytes, cut: kept.length < this.#bytes };
	}
}

/** One entry while it is made. Secrets are taken out when it is looked at, which is rarer than requests are. */
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
	readonly #time: string;
	readonly #began = performance.now();
	#duration: number | null = null;

	constructor(
		n: number,
		{ method, url, rawHeaders }: IncomingMessage,
		requestId: string,
		operation: string | undefined,
		time: string,
	) {
		this.n = n;
		this.#incoming = { method, url, rawHeaders };
		this.#requestId = requestId;
		this.#operation = operation;
		this.#time = time;
	}

	end(): void {
		this.#duration = Math.round((performance.now() - this.#began) * 100) / 100;
	}

	shown(): JournalEntry {
		const { method = '', url = '', rawHeaders } = this.#incoming;
		const { caller } = this;
		const sent = rawHeaders.flatMap((name, at): [string, string][] =>
			at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
		);
		const organization = caller && 'organizationId' in caller ? caller.organizationId : null;
		return {
			n: this.n,
			request_id: this.#requestId,
			time: this.#time,
			duration_ms: this.#duration,
			operation: this.#operation ?? null,
			method,
			url: redact(url),
			caller: caller ? { kind: caller.kind, organization_id: organization } : null,
			fault: this.fault,
			status: this.status,
			request: { headers: withoutSecrets(sent), body: this.request.seen() },
			answer: { headers: withoutSecrets(this.answerHeaders), body: this.answer.seen() },
		};
	}
}

function withoutSecrets(headers: [string, string][]): [string, string][] {
	return headers.map(([name, value]) => [name, redactHeader(name, value)]);
}
