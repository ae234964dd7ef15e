import type { Switches } from '../contract/switches.mts';
import type { Clock } from '../platform/clock.mts';
import { attemptDelivery } from './attempt.mts';
import type { AttemptResult, Deliveries } from './deliveries.mts';
import type { WebhookFaults } from './faults.mts';
import { WebhookQueue } from './queue.mts';
import type { WebhookSender } from './sender.mts';
import type { Webhooks } from './webhooks.mts';
import { Part } from '../platform/part.mts';

/** How long results are collected before they are written together, in milliseconds. */
const batchDelay = 5;
/** How long to wait after a failed write, such as on a full disk, in milliseconds. */
const retryDelay = 1000;
/** How many queues are kept. */
const mostQueues = 1000;

interface DispatcherParts {
	deliveries: Deliveries;
	webhooks: Webhooks;
	webhookFaults: WebhookFaults;
	sender: WebhookSender;
	clock: Clock;
	switches: Switches;
}

/** Sends every delivery as soon as it is due by the service's clock. */
export class Dispatcher extends Part<DispatcherParts> {
	/** By webhook. Above `mostQueues`, those with nothing to do are forgotten. */
	readonly #queues = new Map<number, WebhookQueue>();
	readonly #woken = new Set<number>();
	#results: AttemptResult[] = [];
	#idleListeners: (() => void)[] = [];
	#cancel: (() => void) | undefined;
	/** When the next attempt is scheduled, in milliseconds since 1970. */
	#nextDue = Infinity;
	#isRunning = false;

	constructor(parts: DispatcherParts) {
		super(parts);
		parts.deliveries.onDue = (webhook) => this.#wake(webhook);
	}

	/** Continues with what the database holds. */
	start(): void {
		this.#isRunning = true;
		this.#wakeDue();
	}

	/**
	 * Starts nothing more and leaves the database alone, so that it can be exchanged. A delivery in flight counts as not sent, and is sent
	 * again after `start`.
	 */
	stop(): void {
		this.#writeResults();
		this.#results = [];
		this.#isRunning = false;
		for (const queue of this.#queues.values()) queue.close();
		this.#queues.clear();
		this.#woken.clear();
		this.#cancel?.();
		this.#tellIdleListeners();
	}

	/** Stops for good, and aborts what is in flight. */
	close(): void {
		this.stop();
		this.parts.sender.close();
	}

	/** Resolves when nothing is due and nothing in flight, or after a time in milliseconds. Gives whether it is idle. */
	async idle(timeoutMs: number): Promise<boolean> {
		const until = performance.now() + timeoutMs;
		while (this.#isRunning && !this.#isIdle()) {
			const left = until - performance.now();
			if (left <= 0) return false;
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, left);
				this.#idleListeners.push(() => {
					clearTimeout(timer);
					resolve();
				});
			});
		}
		return this.#isRunning;
	}

	#isIdle(): boolean {
		return (
			this.#woken.size === 0 &&
			[...this.#queues.values()].every(({ isIdle }) => isIdle) &&
			this.parts.deliveries.webhooksWithDue().length === 0
		);
	}

	#tellIdleListeners(): void {
		for (const tell of this.#idleListeners.splice(0)) tell();
	}

	/** Wakes a webhook's queue after the current transaction commits. */
	#wake(webhook: number): void {
		if (!this.#isRunning) return;
		if (this.#woken.size === 0) setImmediate(() => this.#wakeQueues());
		this.#woken.add(webhook);
	}

	#wakeQueues(): void {
		const woken = [...this.#woken];
		this.#woken.clear();
		for (const webhook of woken) this.#findQueue(webhook).wake();
		this.#tellIdleListeners();
	}

	/** Wakes every webhook that has something due, and schedules what is due next. */
	#wakeDue(): void {
		const { deliveries } = this.parts;
		for (const webhook of deliveries.webhooksWithDue()) this.#wake(webhook);
		this.#nextDue = Infinity;
		this.#schedule(deliveries.nextDue() ?? Infinity);
	}

	#schedule(dueAt: number): void {
		if (dueAt >= this.#nextDue) return;
		this.#cancel?.();
		this.#nextDue = dueAt;
		this.#cancel = this.parts.clock.schedule(dueAt, () => this.#wakeDue());
	}

	#findQueue(webhook: number): WebhookQueue {
		const known = this.#queues.get(webhook);
		if (known) return known;
		const { deliveries, webhookFaults, webhooks, clock } = this.parts;
		const queue = new WebhookQueue({
			readDue: (limit) => deliveries.due(webhook, limit),
			selectFaults: ({ webhookId, kind }, isDelayed) =>
				webhookFaults.select(webhookId, kind, isDelayed),
			attempt: async (delivery, injected) => {
				const receiver = webhooks.findReceiver(webhook);
				return receiver ? await attemptDelivery(delivery, receiver, injected, this.parts) : [];
			},
			finish: (results) => this.#collect(results),
			now: () => clock.now(),
		});
		for (const [other, { isIdle, hasDelayed }] of this.#queues) {
			if (this.#queues.size < mostQueues) break;
			if (isIdle && !hasDelayed) this.#queues.delete(other);
		}
		this.#queues.set(webhook, queue);
		return queue;
	}

	#collect(results: AttemptResult[]): void {
		if (this.#results.length === 0) setTimeout(() => this.#writeResults(), batchDelay);
		this.#results.push(...results);
	}

	#writeResults(): void {
		const results = this.#results;
		if (results.length === 0) return;
		try {
			this.parts.deliveries.settle(results);
		} catch (error) {
			console.error('Results of deliveries could not be stored. Retrying.', error);
			setTimeout(() => this.#writeResults(), retryDelay).unref();
			return;
		}
		this.#results = [];
		for (const { delivery, next } of results) {
			this.#queues.get(delivery.webhook)?.confirm(delivery.id);
			if (typeof next === 'object') this.#schedule(next.dueAt);
			// Somebody may have asked for the delivery again while it was in flight.
			this.#wake(delivery.webhook);
		}
	}
}
