import type { Clock } from '../platform/clock.ts';
import type { Deliveries, AttemptResult } from './deliveries.ts';
import type { Webhooks } from './webhooks.ts';
import type { Switches } from '../contract/switches.ts';
import { attempt } from './attempt.ts';
import type { WebhookFaults } from './faults.ts';
import { WebhookQueue } from './queue.ts';
import type { WebhookSender } from './sender.ts';

/** How long outcomes are collected before they are written together, in milliseconds. */
const collecting = 5;
/** How long until what could not be written is written again, as when the disk was full, in milliseconds. */
const writingAgain = 1000;
/** The longest that a timer of Node can wait. */
const longestTimer = 2 ** 31 - 1;

export interface DispatcherParts {
	deliveries: Deliveries;
	webhooks: Webhooks;
	faults: WebhookFaults;
	post: WebhookSender;
	clock: Clock;
	switches: Switches;
}

/** Sends what is due as soon as it is due by the service's clock. */
export class Dispatcher {
	readonly #parts: DispatcherParts;
	readonly #stopListening: () => void;
	readonly #lanes = new Map<number, WebhookQueue>();
	readonly #woken = new Set<number>();
	#outcomes: AttemptResult[] = [];
	#waiting: (() => void)[] = [];
	#timer: NodeJS.Timeout | undefined;
	/** What the timer waits for, in milliseconds since 1970. */
	#dueAt = Infinity;
	#running = false;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
		parts.deliveries.onDue((webhook) => this.#wake(webhook));
		this.#stopListening = parts.clock.onMove(() => this.#look());
	}

	/** Goes on with what the database holds. */
	start(): void {
		this.#running = true;
		this.#look();
	}

	/**
	 * Begins nothing more and leaves the database alone, so that it can be exchanged. What is under way counts as not sent, and is sent
	 * again after `start`.
	 */
	stop(): void {
		this.#write();
		this.#outcomes = [];
		this.#running = false;
		for (const lane of this.#lanes.values()) lane.end();
		this.#lanes.clear();
		this.#woken.clear();
		clearTimeout(this.#timer);
		this.#tellWaiting();
	}

	/** Stops for good, and breaks off what is under way. */
	close(): void {
		this.stop();
		this.#stopListening();
		this.#parts.post.close();
	}

	/** Resolves when nothing is due and nothing under way, or after a time in milliseconds. Gives whether it is so. */
	async idle(timeoutMs: number): Promise<boolean> {
		const until = performance.now() + timeoutMs;
		while (this.#running && !this.#isIdle()) {
			const left = until - performance.now();
			if (left <= 0) return false;
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, left);
				this.#waiting.push(() => {
					clearTimeout(timer);
					resolve();
				});
			});
		}
		return this.#running;
	}

	#isIdle(): boolean {
		return (
			this.#woken.size === 0 &&
			[...this.#lanes.values()].every(({ idle }) => idle) &&
			this.#parts.deliveries.webhooksWithDue().length === 0
		);
	}

	#tellWaiting(): void {
		for (const tell of this.#waiting.splice(0)) tell();
	}

	/** Has a webhook's lane look for what is due, once the transaction is over in which this is said. */
	#wake(webhook: number): void {
		if (!this.#running) return;
		if (this.#woken.size === 0) setImmediate(() => this.#wakeLanes());
		this.#woken.add(webhook);
	}

	#wakeLanes(): void {
		const woken = [...this.#woken];
		this.#woken.clear();
		for (const webhook of woken) this.#laneOf(webhook).wake();
		this.#tellWaiting();
	}

	/** Wakes every webhook that has something due, and waits for what is due next. */
	#look(): void {
		if (!this.#running) return;
		for (const webhook of this.#parts.deliveries.webhooksWithDue()) this.#wake(webhook);
		this.#dueAt = Infinity;
		clearTimeout(this.#timer);
		this.#lookAt(this.#parts.deliveries.nextDue() ?? Infinity);
	}

	#lookAt(dueAt: number): void {
		if (dueAt >= this.#dueAt) return;
		this.#dueAt = dueAt;
		clearTimeout(this.#timer);
		const wait = Math.max(0, dueAt - this.#parts.clock.now());
		this.#timer = setTimeout(() => this.#look(), Math.min(wait, longestTimer));
		this.#timer.unref();
	}

	#laneOf(webhook: number): WebhookQueue {
		const known = this.#lanes.get(webhook);
		if (known) return known;
		const { deliveries, faults, webhooks, clock } = this.#parts;
		const lane = new WebhookQueue({
			due: (limit) => deliveries.due(webhook, limit),
			strike: ({ webhookId, kind }, delayed) => faults.select(webhookId, kind, delayed),
			attempt: async (delivery, strike) => {
				const receiver = webhooks.findReceiver(webhook);
				return receiver ? await attempt(delivery, receiver, strike, this.#parts) : [];
			},
			finished: (outcomes) => this.#collect(outcomes),
			now: () => clock.now(),
		});
		this.#lanes.set(webhook, lane);
		return lane;
	}

	#collect(outcomes: AttemptResult[]): void {
		if (this.#outcomes.length === 0) setTimeout(() => this.#write(), collecting);
		this.#outcomes.push(...outcomes);
	}

	#write(): void {
		const outcomes = this.#outcomes;
		if (outcomes.length === 0) return;
		try {
			this.#parts.deliveries.settle(outcomes);
		} catch (error) {
			console.error('What came of deliveries could not be written. Trying again.', error);
			setTimeout(() => this.#write(), writingAgain).unref();
			return;
		}
		this.#outcomes = [];
		for (const { delivery, next } of outcomes) {
			this.#lanes.get(delivery.webhook)?.written(delivery.id);
			if (typeof next === 'object') this.#lookAt(next.dueAt);
			// It may have been asked for again while it was under way.
			this.#wake(delivery.webhook);
		}
	}
}
