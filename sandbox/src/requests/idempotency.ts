import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { validationError } from '../contract/service-error.ts';
import { parseObject } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { bytes, integer, text } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import type { Secret } from '../platform/secret.ts';

const kept = 24 * 60 * 60_000;
/** How long an answer may stay beyond that, so that many are removed at once, in milliseconds. */
const collecting = 60_000;

/** The longest that a timer of Node can wait. */
const longestTimer = 2 ** 31 - 1;

/** A successful answer. */
export interface StoredResponse {
	status: number;
	body: JsonObject;
}

/** Says who sent a request with which key, and what it asks for. */
export interface KeyedRequest {
	dataset: number;
	/** The caller's `Idempotency-Key`. */
	key: string;
	/** Method, path and content: equal where two requests ask for the same. */
	content: string;
}

/**
 * Requests that came with an `Idempotency-Key`. The answer to one that succeeded is kept for 24 hours; one that was refused
 * has changed nothing and may come again. Answers are encrypted, since the one to an invitation holds its token.
 */
export class IdempotencyStore {
	readonly #database: Database;
	readonly #secret: Secret;
	readonly #clock: Clock;
	readonly #stopListening: () => void;
	readonly #running = new Map<string, Promise<void>>();
	#timer: NodeJS.Timeout | undefined;

	constructor(database: Database, secret: Secret, clock: Clock) {
		this.#database = database;
		this.#secret = secret;
		this.#clock = clock;
		this.#stopListening = clock.onMove(() => this.#forget());
		this.#forget();
	}

	close(): void {
		this.#stopListening();
		clearTimeout(this.#timer);
	}

	/**
	 * Begins a request: gives the first answer where it came before, or else a function that has to be told how it went. Waits
	 * while a request with the same key is under way. Throws 422 where the key came with another request.
	 */
	async begin(
		request: KeyedRequest,
	): Promise<StoredResponse | ((answer?: StoredResponse) => void)> {
		const name = `${request.dataset} ${request.key}`;
		for (let other = this.#running.get(name); other; other = this.#running.get(name)) await other;
		const answer = this.#find(request);
		if (answer) return answer;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#running.set(name, promise);
		return (first) => {
			try {
				if (first) this.#keep(request, first);
			} catch (error) {
				// As on a full disk. The request itself is done: to answer that it failed would have it sent, and done, again.
				console.error('The answer to a request with an Idempotency-Key was not kept.', error);
			} finally {
				this.#running.delete(name);
				resolve();
			}
		};
	}

	#find(request: KeyedRequest): StoredResponse | undefined {
		const { dataset, key, content } = request;
		const row = this.#database.get(
			'SELECT * FROM kept_answers WHERE dataset = ? AND key = ? AND until > ?',
			[dataset, key, this.#clock.now()],
		);
		if (!row) return undefined;
		if (text(row.content) !== hash('sha256', content)) {
			throw validationError(
				'Idempotency-Key',
				'reused',
				'This Idempotency-Key came with another request before. Use a new one for each request.',
			);
		}
		return { status: integer(row.status), body: this.#unsealed(request, bytes(row.body)) };
	}

	#keep(request: KeyedRequest, { status, body }: StoredResponse): void {
		const { dataset, key, content } = request;
		const sealed = this.#secret.seal(JSON.stringify(body), ownerOf(request));
		// One that has expired under this key may still be there.
		this.#database.run(
			`REPLACE INTO kept_answers (dataset, key, content, status, body, until) VALUES (?, ?, ?, ?, ?, ?)`,
			[dataset, key, hash('sha256', content), status, sealed, this.#clock.now() + kept],
		);
		if (!this.#timer) this.#forget();
	}

	#unsealed(request: KeyedRequest, sealed: Uint8Array): JsonObject {
		return parseObject(this.#secret.unseal(sealed, ownerOf(request)));
	}

	/** Removes what has expired, and waits for what expires next. */
	#forget(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const now = this.#clock.now();
		try {
			this.#database.run('DELETE FROM kept_answers WHERE until <= ?', [now]);
		} catch (error) {
			console.error('Answers that have expired could not be removed. Trying again.', error);
		}
		const row = this.#database.get('SELECT min(until) AS next FROM kept_answers', []);
		if (typeof row?.next !== 'number') return;
		const wait = Math.max(collecting, row.next - now);
		this.#timer = setTimeout(() => this.#forget(), Math.min(wait, longestTimer));
		this.#timer.unref();
	}
}

/** What an answer is encrypted for: it opens under no other key. */
function ownerOf({ dataset, key }: KeyedRequest): string {
	return `${dataset} ${key}`;
}
