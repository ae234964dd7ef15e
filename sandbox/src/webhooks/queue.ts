import type { DueDelivery, AttemptResult } from './deliveries.ts';
import type { DeliveryFaults } from './faults.ts';

/** How many requests to one webhook may be under way. */
const width = 8;
/** How many deliveries are read ahead. */
const ahead = 200;
/** How long a delivery that was to come after the next one waits for it, in milliseconds of the machine's clock. */
const longestHold = 1000;

/** What a lane works with. */
export interface WebhookQueueParts {
	/** What is due for the lane's webhook, the longest first. */
	due(limit: number): DueDelivery[];
	/** What strikes the next try of a delivery, which a fault put off already or not. */
	strike(delivery: DueDelivery, delayed: boolean): DeliveryFaults;
	/** Tries a delivery once; gives nothing where its webhook is gone. */
	attempt(delivery: DueDelivery, strike: DeliveryFaults): Promise<AttemptResult[]>;
	/** Takes outcomes to where they are written. The lane has to be told when that is done. */
	finished(outcomes: AttemptResult[]): void;
	now(): number;
}

/** The deliveries to one webhook. Each webhook has a lane of its own, so that a slow receiver makes nobody else wait. */
export class WebhookQueue {
	readonly #parts: WebhookQueueParts;
	/** Read from the database and not yet begun. */
	#queue: DueDelivery[] = [];
	/** Begun, and the outcome not yet written: these are still in the database as due. */
	readonly #begun = new Set<string>();
	/** Put off by a fault: not to be put off again. */
	readonly #delayed = new Set<string>();
	#underWay = 0;
	#mayHaveMore = false;
	#ended = false;
	#release: (() => void) | undefined;

	constructor(parts: WebhookQueueParts) {
		this.#parts = parts;
	}

	/** Has the lane look for what is due. */
	wake(): void {
		this.#mayHaveMore = true;
		this.#go();
	}

	/** Whether nothing is under way and nothing is left of what was seen. */
	get idle(): boolean {
		return this.#begun.size === 0 && this.#queue.length === 0 && !this.#mayHaveMore;
	}

	/** Begins nothing more, and tells nobody any more what comes of what is under way. */
	end(): void {
		this.#ended = true;
		this.#release?.();
	}

	/** Says that the outcome of a delivery is in the database. */
	written(id: string): void {
		this.#begun.delete(id);
	}

	#go(): void {
		while (!this.#ended && this.#underWay < width) {
			if (this.#queue.length === 0 && this.#mayHaveMore) this.#read();
			const next = this.#queue.shift();
			if (!next) break;
			this.#begun.add(next.id);
			this.#underWay += 1;
			void this.#deliver(next).then(() => {
				this.#underWay -= 1;
				this.#go();
			});
		}
	}

	#read(): void {
		const limit = ahead + this.#begun.size;
		const rows = this.#parts.due(limit);
		this.#mayHaveMore = rows.length === limit;
		this.#queue = rows.filter(({ id }) => !this.#begun.has(id));
	}

	async #deliver(delivery: DueDelivery): Promise<void> {
		const { id } = delivery;
		const strike = this.#parts.strike(delivery, this.#delayed.delete(id));
		if (strike.delayMs > 0) {
			this.#delayed.add(id);
			const dueAt = this.#parts.now() + strike.delayMs;
			this.#parts.finished([{ delivery, next: { dueAt }, gone: false }]);
			return;
		}
		const held = strike.kinds.has('reorder') && !this.#release;
		if (held) await this.#hold();
		if (this.#ended) return;
		const outcomes = await this.#parts.attempt(delivery, strike);
		if (outcomes.length === 0) this.#begun.delete(id);
		if (!this.#ended) this.#parts.finished(outcomes);
		if (!held) this.#release?.();
	}

	/** Waits until another delivery has been sent, or long enough to see that none comes. */
	async #hold(): Promise<void> {
		await new Promise<void>((resolve) => {
			const timer = setTimeout(() => this.#release?.(), longestHold);
			this.#release = () => {
				clearTimeout(timer);
				this.#release = undefined;
				resolve();
			};
		});
	}
}
