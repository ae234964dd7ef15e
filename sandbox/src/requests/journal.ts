import type { IncomingMessage } from 'node:http';
import type { Holder } from '../accounts/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { masked, maskedHeader } from '../platform/redaction.ts';

const entriesKept = 500;
const bodyBytesKept = 4096;

/** The beginning of a body, as text, and how long all of it was. */
export interface SeenBody {
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
	caller: { kind: Holder['kind']; organization_id: string | null } | null;
	/** Whether a fault hit it. */
	fault: boolean;
	/** Null while it is not answered, and where the connection broke before. */
	status: number | null;
	request: { headers: [string, string][]; body: SeenBody };
	answer: { headers: [string, string][]; body: SeenBody };
}

/** The latest requests of the service with their answers. What is kept is bounded, in number and in size. */
export class Journal {
	readonly #clock: Clock;
	#entries: Recording[] = [];
	#n = 0;
	readonly #listeners = new Set<(n: number) => void>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Begins an entry. */
	open(incoming: IncomingMessage, requestId: string, operation: string | undefined): Recording {
		this.#n += 1;
		const recording = new Recording(this.#n, incoming, requestId, operation, this.#clock.iso());
		this.#entries.push(recording);
		// Dropping half of them at once is cheaper than one at a time.
		if (this.#entries.length >= entriesKept * 2) this.#entries = this.#entries.slice(-entriesKept);
		return recording;
	}

	/** Ends an entry, and tells who listens. */
	close(recording: Recording): void {
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
class Passing {
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

	seen(): SeenBody {
		const kept = Buffer.concat(this.#kept);
		const text = masked(kept.toString('utf8'));
		return { text, bytes: this.#bytes, cut: kept.length < this.#bytes };
	}
}

/** One entry while it is made. Secrets are taken out when it is looked at, which is rarer than requests are. */
export class Recording {
	readonly n: number;
	readonly request = new Passing();
	readonly answer = new Passing();
	holder: Holder | undefined;
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
		const { holder } = this;
		const sent = rawHeaders.flatMap((name, at): [string, string][] =>
			at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
		);
		const organization = holder && 'organizationId' in holder ? holder.organizationId : null;
		return {
			n: this.n,
			request_id: this.#requestId,
			time: this.#time,
			duration_ms: this.#duration,
			operation: this.#operation ?? null,
			method,
			url: masked(url),
			caller: holder ? { kind: holder.kind, organization_id: organization } : null,
			fault: this.fault,
			status: this.status,
			request: { headers: withoutSecrets(sent), body: this.request.seen() },
			answer: { headers: withoutSecrets(this.answerHeaders), body: this.answer.seen() },
		};
	}
}

function withoutSecrets(headers: [string, string][]): [string, string][] {
	return headers.map(([name, value]) => [name, maskedHeader(name, value)]);
}
