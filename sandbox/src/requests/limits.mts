import { ServiceError } from '../contract/service-error.mts';
import { hour, minute } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import { planLimits } from '../accounts/caller.mts';
import type { Limits, Plan } from '../accounts/caller.mts';
import type { Switches } from '../contract/switches.mts';

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
		const now = this.#clock.now();
		const states = this.#listWindows(organizationId, plan).map(({ window, limit }) => ({
			window,
			limit,
			remaining: limit - window.used(now),
		}));
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

	/** How much of each window an organization has used, without counting anything; nothing if limits are off. */
	describe(organizationId: string, plan: Plan) {
		const now = this.#clock.now();
		return this.#listWindows(organizationId, plan).map(({ name, window, limit }) => ({
			name,
			limit,
			used: Math.min(limit, window.used(now)),
			resetAt: window.resetAt(now),
		}));
	}

	#listWindows(organizationId: string, plan: Plan) {
		if (this.rule === 'off') return [];
		const { perMinute, perHour } = this.rule === 'plan' ? planLimits[plan] : this.rule;
		const windows = this.#findWindows(organizationId);
		return [
			{ name: 'minute', window: windows.minute, limit: perMinute },
			{ name: 'hour', window: windows.hour, limit: perHour },
		];
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
		const slides = kind === 'sliding';
		const made = { minute: new Window(minute, slides), hour: new Window(hour, slides) };
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

/** Counts the requests of a minute or an hour: of the clock's current one, or, if it slides, of the one that has just passed. */
class Window {
	readonly #length: number;
	readonly #slides: boolean;
	/** When each request that counts came, the oldest first. */
	readonly #times: number[] = [];

	constructor(length: number, slides: boolean) {
		this.#length = length;
		this.#slides = slides;
	}

	/** How many requests count at this time. */
	used(now: number): number {
		const start = this.#slides ? now - this.#length + 1 : now - (now % this.#length);
		const last = this.#slides ? now : start + this.#length - 1;
		// After the clock was moved back, requests may lie in the future. They do not count.
		while ((this.#times.at(-1) ?? last) > last) this.#times.pop();
		while ((this.#times[0] ?? start) < start) this.#times.shift();
		return this.#times.length;
	}

	add(now: number): void {
		this.#times.push(now);
	}

	/** When the window resets, or when the oldest request of a sliding window no longer counts. */
	resetAt(now: number): number {
		const start = this.#slides ? (this.#times[0] ?? now) : now - (now % this.#length);
		return start + this.#length;
	}
}
