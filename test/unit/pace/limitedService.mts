/** A service with the rate limit of a plan, and clients that send to it, on a virtual clock. */
import type { IDataObject } from 'n8n-workflow';
import { CallScope, sendUntilAnswered } from '../../../nodes/Dossier/api/send/attempts';
import type { Clock } from '../../../nodes/Dossier/api/clock';
import { endpoints } from '../../../nodes/Dossier/api/endpoints';
import type { Window } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { isProblem } from '../../../nodes/Dossier/problems/problem';

/** What the headers of the service say about its limit. */
export type LimitHeaders = 'nothing' | 'remaining' | 'all';

/** How a service limits. Fixed windows begin at multiples of their length. */
export interface Rule {
	kind: 'fixed' | 'sliding';
	windows: Window[];
}

/** The index of the first time that is not before `begin`, in a sorted list. */
function findFirstSince(times: number[], begin: number): number {
	let [low, high] = [0, times.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((times[middle] ?? Infinity) < begin) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Accepts and refuses requests by a rule. */
export class Limiter {
	private readonly rule: Rule;
	/** When requests were accepted, oldest first. */
	private readonly accepted: number[] = [];

	constructor(rule: Rule) {
		this.rule = rule;
	}

	/** How many requests fit into a window now, and in how many ms more do. */
	private inspect({ limit, length }: Window, now: number) {
		const isFixed = this.rule.kind === 'fixed';
		const begin = isFixed ? now - (now % length) : now - length;
		const first = findFirstSince(this.accepted, begin);
		const oldest = this.accepted[first] ?? now;
		const remaining = limit - (this.accepted.length - first);
		return { limit, remaining, endsIn: (isFixed ? begin : oldest) + length - now };
	}

	/** The window with the fewest remaining requests; the longer one if both have as many. */
	private findTightest(now: number) {
		const states = this.rule.windows.map((window) => this.inspect(window, now));
		return states.reduce((a, b) => (b.remaining <= a.remaining ? b : a));
	}

	/** How long until one more request fits, in ms. */
	measureWait(now: number): number {
		const full = this.rule.windows
			.map((window) => this.inspect(window, now))
			.filter(({ remaining }) => remaining < 1);
		// A request leaves a sliding window just after its length.
		return full.length ? Math.max(...full.map(({ endsIn }) => endsIn)) + 0.01 : 0;
	}

	/** Whether it accepts a request now. */
	take(now: number): boolean {
		if (this.measureWait(now) > 0) return false;
		this.accepted.push(now);
		return true;
	}

	/** The headers of an answer. `X-RateLimit-Reset` is when the window ends, or the oldest request leaves it. */
	headers(shown: LimitHeaders, isRefused: boolean, now: number): Record<string, string> {
		const { limit, remaining, endsIn } = this.findTightest(now);
		const headers: Record<string, string> = { date: new Date(now).toUTCString() };
		if (shown === 'nothing') return headers;
		headers['x-ratelimit-remaining'] = String(remaining);
		if (shown === 'remaining') return headers;
		headers['x-ratelimit-limit'] = String(limit);
		headers['x-ratelimit-reset'] = String(Math.ceil((now + endsIn) / 1000));
		if (isRefused) headers['retry-after'] = String(Math.ceil(this.measureWait(now) / 1000));
		return headers;
	}
}

/** How many calls of one run are under way at once. */
export const CONCURRENCY = 16;

interface Run {
	clock: Clock;
	pacer?: Pacer;
	/** The longest that one call may wait, in ms. */
	longestWait?: number;
	warn?: (message: string) => void;
}

/** Sends calls as one run of the node does. Gives how many it gave up because they would have waited too long. */
export async function sendCalls(
	amount: number,
	send: () => Promise<{ statusCode: number; headers: IDataObject }>,
	{ clock, pacer = new Pacer([], clock), longestWait = 90_000, warn = () => {} }: Run,
): Promise<number> {
	const policy = { concurrency: CONCURRENCY, longestWait, timeout: 1_000 };
	const context = {
		...endpoints['documents.upload'],
		hasIdempotencyKey: false,
		connection: { root: 'https://api.example', warn },
		policy,
		pacer,
		scope: new CallScope(policy),
	};
	let lost = 0;
	let next = 0;
	const runners = Array.from({ length: CONCURRENCY }, async () => {
		while (next++ < amount) {
			await sendUntilAnswered(context, send, async () => await Promise.resolve()).catch(
				(error: unknown) => {
					if (!isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG')) throw error;
					lost++;
				},
			);
		}
	});
	await Promise.all(runners);
	return lost;
}
