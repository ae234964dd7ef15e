/** A service that limits requests as a plan says, and clients that send to it, by a clock that is moved. */
import type { IDataObject } from 'n8n-workflow';
import { CallScope, sendUntilAnswered } from '../../../nodes/Dossier/api/send/attempts';
import type { Clock } from '../../../nodes/Dossier/api/clock';
import { endpoints } from '../../../nodes/Dossier/api/endpoints';
import type { Window } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { isProblem } from '../../../nodes/Dossier/problems/problem';

/** What the service says about its limit: nothing but the status, or some of the usual headers. */
export type Says = 'nothing' | 'remaining' | 'all';

/** How a service limits. Fixed windows begin at multiples of their length. */
export interface Rule {
	kind: 'fixed' | 'sliding';
	windows: Window[];
}

/** The index of the first moment that is not before another. */
function findFirst(moments: number[], begin: number): number {
	let [low, high] = [0, moments.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((moments[middle] ?? Infinity) < begin) low = middle + 1;
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

	/** How many requests fit into a window now, and in how many ms the next ones do. */
	private look({ limit, length }: Window, now: number) {
		const isFixed = this.rule.kind === 'fixed';
		const begin = isFixed ? now - (now % length) : now - length;
		const first = findFirst(this.accepted, begin);
		const oldest = this.accepted[first] ?? now;
		const remaining = limit - (this.accepted.length - first);
		return { limit, remaining, endsIn: (isFixed ? begin : oldest) + length - now };
	}

	/** The window with the fewest remaining requests; the longer one if both have as many. */
	private tightest(now: number) {
		const looks = this.rule.windows.map((window) => this.look(window, now));
		return looks.reduce((a, b) => (b.remaining <= a.remaining ? b : a));
	}

	/** How long until one more request fits, in ms. */
	wait(now: number): number {
		const full = this.rule.windows
			.map((window) => this.look(window, now))
			.filter(({ remaining }) => remaining < 1);
		// A request leaves a sliding window just after its length.
		return full.length ? Math.max(...full.map(({ endsIn }) => endsIn)) + 0.01 : 0;
	}

	/** Whether it accepts a request now. */
	take(now: number): boolean {
		if (this.wait(now) > 0) return false;
		this.accepted.push(now);
		return true;
	}

	/** The headers of an answer. `X-RateLimit-Reset` is when the window ends, or the oldest request leaves it. */
	headers(says: Says, isRefused: boolean, now: number): Record<string, string> {
		const { limit, remaining, endsIn } = this.tightest(now);
		const headers: Record<string, string> = { date: new Date(now).toUTCString() };
		if (says === 'nothing') return headers;
		headers['x-ratelimit-remaining'] = String(remaining);
		if (says === 'remaining') return headers;
		headers['x-ratelimit-limit'] = String(limit);
		headers['x-ratelimit-reset'] = String(Math.ceil((now + endsIn) / 1000));
		if (isRefused) headers['retry-after'] = String(Math.ceil(this.wait(now) / 1000));
		return headers;
	}
}

/** How many calls of one run are under way at once. */
export const CONCURRENCY = 16;

interface Run {
	clock: Clock;
	pacer?: Pacer;
	/** Of each call, in ms. */
	longestWait?: number;
	warn?: (message: string) => void;
}

/** Sends calls as one run of the node does; gives how many were given up because they would have waited too long. */
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
