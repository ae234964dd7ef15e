import { hash } from 'node:crypto';
import { validationError } from '../contract/service-error.mts';
import { integer, text } from '../database/database.mts';
import type { Database } from '../database/database.mts';
import { day } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import { parseObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { Part } from '../platform/part.mts';

/** How long a response is kept. */
const timeToLive = day;

/** The response to a request that succeeded. */
export interface StoredResponse {
	status: number;
	body: JsonObject;
}

/** Identifies a request that came with an `Idempotency-Key`. */
export interface KeyedRequest {
	dataset: number;
	/** The caller's `Idempotency-Key`. */
	key: string;
	/** Method, path and content: equal if two requests ask for the same. */
	content: string;
}

interface IdempotencyParts {
	database: Database;
	clock: Clock;
}

/**
 * Requests that came with an `Idempotency-Key`. The response to a request that succeeded is kept for 24 hours; one that was
 * refused has changed nothing and may come again.
 */
export class IdempotencyStore extends Part<IdempotencyParts> {
	readonly #inFlight = new Map<string, Promise<void>>();

	/** Removes the responses that have expired. */
	removeExpired(): void {
		const { database, clock } = this.parts;
		database.run('DELETE FROM stored_responses WHERE expires_at <= ?', [clock.now()]);
	}

	/**
	 * Begins a request. Gives the stored response if the request came before, or else a function to be called when it ends, with its
	 * response if it succeeded. Waits while a request with the same key is in flight. Throws 422 if the key came with another request.
	 */
	async begin(
		request: KeyedRequest,
	): Promise<StoredResponse | ((response?: StoredResponse) => void)> {
		const name = `${request.dataset} ${request.key}`;
		for (let other = this.#inFlight.get(name); other; other = this.#inFlight.get(name)) await other;
		const stored = this.#find(request);
		if (stored) return stored;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#inFlight.set(name, promise);
		return (response) => {
			try {
				if (response) this.#store(request, response);
			} catch (error) {
				// For example on a full disk. The work is done, so an error would only make the caller repeat the request.
				console.error('The response to a request with an Idempotency-Key was not stored.', error);
			} finally {
				this.#inFlight.delete(name);
				resolve();
			}
		};
	}

	#find(request: KeyedRequest): StoredResponse | undefined {
		const { dataset, key, content } = request;
		const row = this.parts.database.get(
			'SELECT * FROM stored_responses WHERE dataset = ? AND key = ? AND expires_at > ?',
			[dataset, key, this.parts.clock.now()],
		);
		if (!row) return undefined;
		if (text(row.content) !== hash('sha256', content)) {
			throw validationError(
				'Idempotency-Key',
				'reused',
				'This Idempotency-Key came with another request before. Use a new one for each request.',
			);
		}
		return { status: integer(row.status), body: parseObject(text(row.body)) };
	}

	#store(request: KeyedRequest, { status, body }: StoredResponse): void {
		const { dataset, key, content } = request;
		this.removeExpired();
		const expiresAt = this.parts.clock.now() + timeToLive;
		this.parts.database.run(
			`INSERT INTO stored_responses (dataset, key, content, status, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			[dataset, key, hash('sha256', content), status, JSON.stringify(body), expiresAt],
		);
	}
}
