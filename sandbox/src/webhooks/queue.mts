import type { AttemptResult, DueDelivery } from './deliveries.mts';
import type { DeliveryFaults } from './faults.mts';

/** How many requests to one webhook may be in flight. */
const concurrency = 8;
/** How many deliveries are read ahead. */
const readAhead = 200;
/** How long a delivery that a fault reorders waits for the next one, in milliseconds of the machine's clock. */
const longestHold = 1000;

/** The parts that a queue needs. */
interface WebhookQueueParts {
	/** Gives what is due for the webhook, the longest due first. */
	readDue(limit: number): DueDelivery[];
	/** Gives the faults of the next attempt. `isDelayed`: whether a fault has delayed the delivery already. */
	selectFaults(delivery: DueDelivery, isDelayed: boolean): DeliveryFaults;
	/** Tries a delivery once. Gives nothing if its webhook is gone. */
	attempt(delivery: DueDelivery, faults: DeliveryFaults): Promise<AttemptResult[]>;
	/** Takes results to be written. `confirm` has to be called for each of them. */
	finish(results: AttemptResult[]): void;
	now(): number;
}

/** The deliveries to one webhook. Each webhook has its own queue, so that a slow receiver delays no other. */
export class WebhookQueue {
	readonly #parts: WebhookQueueParts;
	/** Read from the database and not started. */
	#waiting: DueDelivery[] = [];
	/** Started, and the result not written: the database still has these as due. */
	readonly #started = new Set<string>();
	/** Delayed by a fault, which must not delay them again. */
	readonly #delayed = new Set<string>();
	#inFlight = 0;
	#mayHaveMore = false;
	#isClosed = false;
	#release: (() => void) | undefined;

	constructor(parts: WebhookQueueParts) {
		this.#parts = parts;
	}

	/** Reads what is due, and starts it. */
	wake(): void {
		this.#mayHaveMore = true;
		this.#fill();
	}

	/** Whether nothing is in flight or waiting. */
	get isIdle(): boolean {
		return this.#started.size === 0 && this.#waiting.length === 0 && !this.#mayHaveMore;
	}

	/** Whether deliveries were delayed, which must be remembered. */
	get hasDelayed(): boolean {
		return this.#delayed.size > 0;
	}

	/** Starts nothing more, and discards the results of what is in flight. */
	close(): void {
		this.#isClosed = true;
		this.#release?.();
	}

	/** Tells the queue that the result of a delivery is in the database. */
	confirm(id: string): void {
		this.#started.delete(id);
	}

	#fill(): void {
		while (!this.#isClosed && this.#inFlight < concurrency) {
			if (this.#waiting.length === 0 && this.#mayHaveMore) this.#read();
			const next = this.#waiting.shift();
			if (!next) break;
			this.#started.add(next.id);
			this.#inFlight += 1;
			void this.#deliver(next).then(() => {
				this.#inFlight -= 1;
				this.#fill();
			});
		}
	}

	#read(): void {
		const limit = readAhead + this.#started.size;
		const rows = this.#parts.readDue(limit);
		this.#mayHaveMore = rows.length === limit;
		this.#waiting = rows.filter(({ id }) => !this.#started.has(id));
	}

	async #deliver(delivery: DueDelivery): Promise<void> {
		const { id } = delivery;
		const faults = this.#parts.selectFaults(delivery, this.#delayed.delete(id));
		if (faults.delayMs > 0) {
			this.#delayed.add(id);
			const dueAt = this.#parts.now() + faults.delayMs;
			this.#parts.finish([{ delivery, next: { dueAt }, gone: false }]);
			return;
		}
		const isHeld = faults.kinds.has('reorder') && !this.#release;
		if (isHeld) await this.#hold();
		if (this.#isClosed) return;
		const results = await this.#parts.attempt(delivery, faults);
		if (results.length === 0) this.#started.delete(id);
		if (!this.#isClosed) this.#parts.finish(results);
		if (!isHeld) this.#release?.();
	}

	/** Waits until another delivery has been sent, or long enough to see that there is none. */
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
