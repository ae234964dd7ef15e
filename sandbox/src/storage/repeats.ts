import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { brokenRule } from '../api-error.ts';
import { parseObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { integer, text } from './database.ts';
import type { Database } from './database.ts';

const kept = 24 * 60 * 60_000;

/** A successful answer. */
export interface KeptAnswer {
	status: number;
	body: JsonObject;
}

/** Says who sent a request with which key, and what it asks for. */
export interface Request {
	dataset: number;
	/** The caller's `Idempotency-Key`. */
	key: string;
	/** Method, path and content: equal where two requests ask for the same. */
	content: string;
}

/**
 * Requests that came with an `Idempotency-Key`. The answer to one that succeeded is kept for 24 hours; one that was refused
 * has changed nothing and may come again.
 */
export class Repeats {
	readonly #database: Database;
	readonly #clock: Clock;
	readonly #running = new Map<string, Promise<void>>();

	constructor(database: Database, clock: Clock) {
		this.#database = database;
		this.#clock = clock;
	}

	/**
	 * Begins a request: gives the first answer where it came before, or else a function that has to be told how it went. Waits
	 * while a request with the same key is under way. Throws 422 where the key came with another request.
	 */
	async begin(request: Request): Promise<KeptAnswer | ((answer?: KeptAnswer) => void)> {
		const name = `${request.dataset} ${request.key}`;
		for (let other = this.#running.get(name); other; other = this.#running.get(name)) await other;
		const answer = this.#find(request);
		if (answer) return answer;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#running.set(name, promise);
		return (first) => {
			try {
				if (first) this.#keep(request, first);
			} finally {
				this.#running.delete(name);
				resolve();
			}
		};
	}

	#find({ dataset, key, content }: Request): KeptAnswer | undefined {
		const row = this.#database.get(
			'SELECT * FROM kept_answers WHERE dataset = ? AND key = ? AND until > ?',
			[dataset, key, this.#clock.now()],
		);
		if (!row) return undefined;
		if (text(row.content) !== hash('sha256', content)) {
			throw brokenRule(
				'Idempotency-Key',
				'reused',
				'This Idempotency-Key came with another request before. Use a new one for each request.',
			);
		}
		return { status: integer(row.status), body: parseObject(text(row.body)) };
	}

	#keep({ dataset, key, content }: Request, { status, body }: KeptAnswer): void {
		const now = this.#clock.now();
		this.#database.transaction(() => {
			this.#database.run('DELETE FROM kept_answers WHERE until <= ?', [now]);
			this.#database.run(
				`INSERT INTO kept_answers (dataset, key, content, status, body, until) VALUES (?, ?, ?, ?, ?, ?)`,
				[dataset, key, hash('sha256', content), status, JSON.stringify(body), now + kept],
			);
		});
	}
}
