import { ServiceError } from '../contract/service-error.ts';
import { hour, minute } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import { planLimits } from '../accounts/caller.ts';
import type { Limits, Plan } from '../accounts/caller.ts';
import type { Switches } from '../dialect/switches.ts';

/** How many organizations are counted at once. */
const mostCounted = 10_000;

/** `plan`: what each plan allows; `off`: nothing is counted and no header is sent; or the same limits for all organizations. */
export type LimitRule = 'plan' | 'off' | Limits;

/** The state of the window that has the fewest requests left, after this one was counted. */
export interface Quota {
	/** Requests that the window allows in all. */
	limit: number;
	remaining: number;
	/** When the window resets, in milliseconds since 1970. */
	resetAt: number;
	/** If the request is refused: milliseconds until the next one can be accepted. */
	refusedFor?: number;
}

interface Window {
	/** How many requests count at this time. */
	used(now: number): number;
	add(now: number): void;
	/** When the window resets, or when the oldest request of a sliding window no longer counts. */
	resetAt(now: number): number;
}

/** The rate limits of every organization: a window of a minute and one of an hour. */
export class RateLimits {
	rule: LimitRule;
	readonly #clock: Clock;
	readonly #switches: Switches;
	/** By organization. Above `mostCounted`, the one that came first is forgotten. */
	readonly #windows = new Map<string, { minute: Window; hour: Window }>();

	constructor(rule: LimitRule, clock: Clock, switches: Switches) {
		this.rule = rule;
		this.#clock = clock;
		this.#switches = switches;
	}

	/** Counts a request of an organization, unless it has none left. Gives nothing if limits are off. */
	take(organizationId: string, plan: Plan): Quota | undefined {
		if (this.rule === 'off') return undefined;
		const { perMinute, perHour } = this.rule === 'plan' ? planLimits[plan] : this.rule;
		const now = this.#clock.now();
		const windows = this.#findWindows(organizationId);
		const states = [
			{ window: windows.minute, limit: perMinute },
			{ window: windows.hour, limit: perHour },
		].map(({ window, limit }) => ({ window, limit, remaining: limit - window.used(now) }));
		const full = states.filter(({ remaining }) => remaining <= 0);
		if (full.length === 0) {
			for (const state of states) {
				state.window.add(now);
				state.remaining -= 1;
			}
		}
		const quotas = states.map(({ window, limit, remaining }) => ({
			limit,
			remaining: Math.max(0, remaining),
			resetAt: window.resetAt(now),
		}));
		// If both have the same number left, the longer one decides.
		const [tighter] = quotas.sort((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt);
		if (!tighter || full.length === 0) return tighter;
		const refusedFor = Math.max(...full.map(({ window }) => window.resetAt(now) - now));
		return { ...tighter, refusedFor };
	}

	/** Resets the counts of everybody, or of one organization. */
	clear(organizationId?: string): void {
		if (organizationId === undefined) this.#windows.clear();
		for (const kind of ['fixed', 'sliding']) this.#windows.delete(`${kind} ${organizationId}`);
	}

	#findWindows(organizationId: string): { minute: Window; hour: Window } {
		const kind = this.#switches.rateLimitWindows;
		const key = `${kind} ${organizationId}`;
		const known = this.#windows.get(key);
		if (known) return known;
		const Kind = kind === 'fixed' ? FixedWindow : SlidingWindow;
		const made = { minute: new Kind(minute), hour: new Kind(hour) };
		const [oldest = ''] = this.#windows.keys();
		if (this.#windows.size >= mostCounted) this.#windows.delete(oldest);
		this.#windows.set(key, made);
		return made;
	}
}

/** Throws 429 `RATE_LIMIT_EXCEEDED` for a request that the rate limit refuses. */
export function assertQuota({ refusedFor, limit }: Quota): void {
	if (refusedFor === undefined) return;
	const seconds = Math.max(1, Math.ceil(refusedFor / 1000));
	throw new ServiceError(
		'RATE_LIMIT_EXCEEDED',
		`The rate limit of ${limit} requests is used up. Try again in ${seconds} second(s).`,
		[],
		seconds,
	);
}

/** Resets at every full minute or hour of the clock. */
class FixedWindow implements Window {
	readonly #length: number;
	#start = 0;
	#used = 0;

	constructor(length: number) {
		this.#length = length;
	}

	used(now: number): number {
		const start = now - (now % this.#length);
		if (start !== this.#start) {
			this.#start = start;
			this.#used = 0;
		}
		return this.#used;
	}

	add(): void {
		this.#used += 1;
	}

	resetAt(): number {
		return this.#start + this.#length;
	}
}

/** Counts what came in the last minute or hour. */
class SlidingWindow implements Window {
	readonly #length: number;
	#times: number[] = [];
	#oldest = 0;

	constructor(length: number) {
		this.#length = length;
	}

	used(now: number): number {
		// After the clock was moved back, requests may lie in the future. They do not count.
		if ((this.#times.at(-1) ?? 0) > now) this.#times = this.#times.filter((time) => time <= now);
		while ((this.#times[this.#oldest] ?? now) <= now - this.#length) this.#oldest += 1;
		if (this.#oldest > 1000) {
			this.#times = this.#times.slice(this.#oldest);
			this.#oldest = 0;
		}
		return this.#times.length - this.#oldest;
	}

	add(now: number): void {
		this.#times.push(now);
	}

	resetAt(now: number): number {
		return (this.#times[this.#oldest] ?? now) + this.#length;
	}
}
