import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { Problem } from './problem';
import { toText } from './values';

/** Time as the pacer sees it, in milliseconds; tests bring their own. */
export interface Clock {
	now(): number;
	sleep(ms: number): Promise<void>;
}

export const wallClock: Clock = { now: () => Date.now(), sleep };

/** How many requests fit into how many milliseconds. */
export interface Window {
	limit: number;
	length: number;
	/** Chosen by the owner of the credential, and so kept to even where the service allows more. */
	chosen?: boolean;
}

/** What bounds the waiting of one execution. */
export interface Patience {
	/** The longest wait for the rate limit, in ms, for one call. */
	longestWait: number;
	signal?: AbortSignal;
}

/** A cancelled execution notices it within this time, in ms. */
const NOTICE = 250;

/** Waits, and ends at once with an error where the execution is cancelled meanwhile. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined) {
	const end = clock.now() + ms;
	for (;;) {
		if (signal?.aborted) throw new Problem('CANCELLED', {});
		const left = end - clock.now();
		if (left <= 0) return;
		await clock.sleep(Math.min(left, NOTICE));
	}
}

const numberOf = (value: unknown) => {
	const text = toText(value);
	return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
};

/** The service's clock by its answer, which need not be this machine's; in ms. */
function theirNow(headers: IDataObject, now: number): number {
	const date = Date.parse(toText(headers.date) ?? '');
	return Number.isNaN(date) ? now : date;
}

/** How long until the window ends, in ms; `undefined` where the service does not say. */
function resetOf(headers: IDataObject, now: number): number | undefined {
	const reset = numberOf(headers['x-ratelimit-reset']);
	return reset === undefined ? undefined : Math.max(0, reset * 1000 - theirNow(headers, now));
}

/**
 * How long a refused request shall wait by the headers of its answer, in ms: `Retry-After` in seconds or as a date,
 * else the end of the window; `undefined` where there is neither.
 */
export function waitOf(headers: IDataObject, now: number): number | undefined {
	const after = toText(headers['retry-after']);
	const seconds = numberOf(after);
	if (seconds !== undefined) return seconds * 1000;
	const date = Date.parse(after ?? '');
	if (!Number.isNaN(date)) return Math.max(0, date - theirNow(headers, now));
	return resetOf(headers, now);
}

/** What the service last said of its tighter window. */
interface Told {
	remaining: number;
	/** When the window ends, by this machine's clock. */
	resetAt: number;
	/** The limit of the window, which tells the minute's from the hour's; unknown where the service does not say. */
	limit?: number;
}

/** Answers of one window give the same end, but for the second that headers are rounded to; in ms. */
const SAME_WINDOW = 2_000;

/**
 * Keeps the requests of all executions with one credential within the limits of the plan. What the service says of its
 * windows goes before what is counted here, since others may share the limit; where it says nothing, no stretch of time
 * as long as a window sees more requests than the window holds, which suits fixed and sliding windows alike.
 * Limits that somebody chose, to leave room for others, are kept to in any case.
 */
export class Pacer {
	private windows: Window[];
	private readonly clock: Clock;
	/** When each request was sent, oldest first; no more than the largest limit of them. */
	private readonly sent: number[] = [];
	/** The windows of the service that are known to have ended: what was sent before counts no more. By length. */
	private readonly ended = new Map<number, number>();
	private inFlight = 0;
	private told?: Told;
	/** Nobody sends before this moment: the service answered 429. */
	private gate = 0;

	constructor(windows: Window[], clock: Clock = wallClock) {
		this.windows = windows;
		this.clock = clock;
	}

	/** Takes over the limits of the credential, which may change while n8n runs; none: nothing is held back but by 429. */
	limitTo(windows: Window[]): void {
		this.windows = windows;
	}

	/**
	 * Waits until one more request fits, and tells how long that took, in ms. Each `enter` is followed by one `leave`.
	 *
	 * @throws Problem if that takes longer than the longest wait, with the moment from which on it fits, and if the
	 * execution is cancelled
	 */
	async enter({ longestWait, signal }: Patience): Promise<number> {
		const begun = this.clock.now();
		for (let wait = this.delay(); wait > 0; wait = this.delay()) {
			if (this.clock.now() + wait - begun > longestWait) throw this.tooLong(wait);
			await pause(this.clock, Math.min(wait, NOTICE), signal);
		}
		if (signal?.aborted) throw new Problem('CANCELLED', {});
		this.sent.push(this.clock.now());
		if (this.sent.length > Math.max(0, ...this.windows.map(({ limit }) => limit)))
			this.sent.shift();
		this.inFlight++;
		return this.clock.now() - begun;
	}

	/** Takes note of an answer by its headers, or of a request that got none. */
	leave(headers: IDataObject = {}): void {
		this.inFlight--;
		const remaining = numberOf(headers['x-ratelimit-remaining']);
		const wait = resetOf(headers, this.clock.now());
		if (remaining === undefined || wait === undefined) return;
		const next: Told = {
			remaining,
			resetAt: this.clock.now() + wait,
			limit: numberOf(headers['x-ratelimit-limit']),
		};
		this.told = this.told ? merge(this.told, next) : next;
	}

	/**
	 * Everybody waits, because the service answered 429. Without a word of how long, longer from time to time; so too
	 * where its word proves wrong again and again, as when others use the same limit.
	 *
	 * @param refusals how often the same request was refused by now
	 */
	close(headers: IDataObject, refusals: number): void {
		const now = this.clock.now();
		const told = waitOf(headers, now);
		const own = told === undefined || refusals > TRUSTED ? backoff(refusals) : 0;
		this.gate = Math.max(this.gate, now + Math.max(told ?? 0, own));
	}

	/** How long until one more request fits, in ms. */
	private delay(): number {
		const now = this.clock.now();
		if (this.gate > now) return this.gate - now;
		if (this.windows.length === 0) return 0;
		if (this.told && this.told.resetAt <= now) this.endWindow(this.told);
		if (!this.told) return Math.max(...this.windows.map((window) => this.countedDelay(window)));
		const chosen = this.windows.filter((window) => window.chosen);
		const own = Math.max(0, ...chosen.map((window) => this.countedDelay(window)));
		if (this.told.remaining - this.inFlight > 0) return own;
		const untilReset = this.told.resetAt - now;
		// Requests on their way may be counted already: their answers will tell.
		return Math.max(own, this.inFlight > 0 ? Math.min(NOTICE, untilReset) : untilReset);
	}

	/** A window that the service named is over, and every shorter one with it. */
	private endWindow({ resetAt, limit }: Told): void {
		this.told = undefined;
		const shortest = Math.min(...this.windows.map(({ length }) => length));
		const over = this.windows.find((window) => window.limit === limit)?.length ?? shortest;
		for (const { length } of this.windows) if (length <= over) this.ended.set(length, resetAt);
	}

	private countedDelay({ limit, length }: Window): number {
		const now = this.clock.now();
		const edge = this.sent[this.sent.length - limit];
		if (edge === undefined || edge < (this.ended.get(length) ?? 0)) return 0;
		return edge + length - now;
	}

	private tooLong(wait: number): Problem {
		const until = new Date(this.clock.now() + wait).toISOString();
		return new Problem('RATE_LIMIT_WAIT_TOO_LONG', { until });
	}
}

/** Answers come in any order: within a window the lowest count and the earliest end are nearest to the truth. */
function merge(told: Told, next: Told): Told {
	if (Math.abs(told.resetAt - next.resetAt) > SAME_WINDOW) {
		return next.resetAt > told.resetAt ? next : told;
	}
	return {
		...next,
		remaining: Math.min(told.remaining, next.remaining),
		resetAt: Math.min(told.resetAt, next.resetAt),
	};
}

/** How often the wait that a refusal names is taken at its word. */
const TRUSTED = 3;

const FIRST_BACKOFF = 500;
const LONGEST_BACKOFF = 30_000;

/** Exponential back-off with full jitter, in ms; `attempt` counts from 1. */
export function backoff(attempt: number): number {
	return Math.random() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** attempt);
}
