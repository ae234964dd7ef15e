import type { IDataObject } from 'n8n-workflow';
import { pause, wallClock } from '../clock';
import type { Clock } from '../clock';
import { LONGEST_WINDOW, RateHeaderReader } from '../../dialect/headers';
import type { RateReport } from '../../dialect/headers';
import type { Dialect } from '../../dialect/schema';
import type { Window } from './limits';
import { Problem } from '../../problems/problem';
import { ServiceLimit } from './serviceLimit';
import type { Sent } from './serviceLimit';
import { Slots } from './slots';

/** The limits of a caller, and how long it waits for them. */
export interface Patience {
	/** The rate limits that are chosen in the credential. */
	windows: Window[];
	/** Names the credential: a custom limit counts the requests of its credential alone. */
	credential: string;
	/** The names and units of the headers about the rate limit. */
	rateLimit?: Dialect['rateLimit'];
	/** How long a request waits, at most, while the service accepts none, in ms. */
	longestWait: number;
	/** When the request asked first, if it was refused before. */
	askedAt?: number;
	/** Called before each pause, with the time when the wait began and when it will end, in ms since 1970. */
	onWait?: (from: number, until: number) => void;
	signal?: AbortSignal;
}

/** A request that may be sent. The caller gives it to `leave` together with the answer. */
interface Admission extends Sent, Pick<Patience, 'rateLimit'> {
	/** When it, or the request that was refused before it, asked to be sent. */
	askedAt: number;
	/** How long it waited for the limit, in ms. */
	waited: number;
	/** Whether it, or a request before it in the queue, waited. */
	isPaced: boolean;
}

/** The beginning of an answer. */
export interface PacedAnswer {
	statusCode: number;
	headers: IDataObject;
}

/** The statuses of a service that may be overloaded. */
export const OVERLOADED = [500, 502, 503, 504];

/** The requests of one credential. */
interface PacedCaller {
	/** They are admitted one by one, in their order. */
	queue: Slots;
	/** When they were sent, oldest first. */
	sent: number[];
	/** How long the queue has waited for answers to other requests, in ms: that is no wait for the limit. */
	awaited: number;
}

/**
 * Keeps the requests of all executions for one organization within the limits of the service. What the service says
 * about its window overrides the count of the plan's windows, because others may share the limit. If the service says
 * nothing, no minute and no hour has more requests than the plan allows, whenever it begins: that satisfies fixed and sliding
 * windows. Custom limits of a credential always apply, and so does the measured limit.
 */
export class Pacer {
	readonly clock: Clock;
	private readonly headers = new RateHeaderReader();
	private readonly limit = new ServiceLimit();
	/** When requests were sent in the last hour, oldest first. */
	private sent: number[] = [];
	/** By credential. Few: one n8n has few credentials for one organization. */
	private readonly callers = new Map<string, PacedCaller>();
	/** Each wakes a request that waits; called when an answer comes. */
	private readonly wakers: Array<() => void> = [];
	/** How far the machine's clock was set back, in ms. */
	private setBack = 0;
	private latest = -Infinity;

	constructor(clock: Clock = wallClock) {
		this.clock = clock;
	}

	/** A time that never goes back. */
	private now(): number {
		const now = this.clock.now() + this.setBack;
		if (now < this.latest) this.setBack += this.latest - now;
		this.latest = Math.max(now, this.latest);
		return this.latest;
	}

	/**
	 * Makes one attempt of a call: waits for a slot and until it fits, and learns from the answer.
	 *
	 * @param send makes the attempt, and gives its answer or why there is none
	 * @returns what `send` gave, when the call asked first, and how long the answer asks to wait, in ms
	 */
	async attempt<R extends PacedAnswer>(
		slots: Slots,
		patience: Patience,
		send: (admission: Admission) => Promise<R | Problem>,
	): Promise<{ outcome: R | Problem; askedAt: number; retryAfter: number }> {
		const attempt = async () => {
			const admission = await this.enter(patience);
			const outcome = await send(admission);
			const answer = outcome instanceof Problem ? undefined : outcome;
			const { retryAfter = 0 } = this.leave(admission, answer);
			return { outcome, answer, retryAfter, ...admission };
		};
		return await slots.use(attempt, patience.signal, ({ answer, isPaced }) => {
			if (!answer || OVERLOADED.includes(answer.statusCode)) return 'overloaded';
			return isPaced || answer.statusCode === 429 ? 'paced' : 'none';
		});
	}

	/**
	 * Waits until one more request fits. Each `enter` is followed by one `leave`.
	 *
	 * @throws Problem if the wait would be longer than allowed (with the time when the request would fit), or if the execution is
	 * cancelled
	 */
	async enter(patience: Patience): Promise<Admission> {
		const { credential, rateLimit, signal, askedAt = this.now() } = patience;
		const caller = this.callers.get(credential) ?? { queue: new Slots(1), sent: [], awaited: 0 };
		this.callers.set(credential, caller);
		const begun = this.now();
		const entered = begun - caller.awaited;
		this.check(patience, caller, askedAt);
		return await caller.queue.use(async () => {
			for (;;) {
				const { wait, isAwaited } = this.check(patience, caller, askedAt);
				if (wait === 0) break;
				const from = this.now();
				if (!isAwaited) patience.onWait?.(entered + caller.awaited, from + wait);
				const answer = new Promise<void>((resolve) => this.wakers.push(resolve));
				const { clock } = this;
				await Promise.race([answer, pause(clock, Math.min(wait, clock.longestSleep), signal)]);
				if (isAwaited) caller.awaited += this.now() - from;
			}
			if (signal?.aborted) throw new Problem('CANCELLED', {});
			const now = this.now();
			for (const sent of [this.sent, caller.sent]) {
				while ((sent[0] ?? now) < now - LONGEST_WINDOW) sent.shift();
				sent.push(now);
			}
			const waited = now - caller.awaited - entered;
			return { ...this.limit.noteSent(now), rateLimit, askedAt, waited, isPaced: now > begun };
		}, signal);
	}

	/**
	 * How long until one more request fits; throws if the service would accept none for longer than the request may wait.
	 */
	private check(
		{ windows, longestWait }: Patience,
		caller: PacedCaller,
		askedAt: number,
	): ReturnType<ServiceLimit['delay']> {
		const now = this.now();
		const counted = windows
			.filter(({ chosen }) => chosen ?? !this.limit.isTold)
			.map(({ limit, length, chosen }) => {
				const sent = chosen ? caller.sent : this.sent;
				return (sent[sent.length - limit] ?? -Infinity) + length - now;
			});
		const own = this.limit.delay(now);
		const wait = Math.max(own.wait, 0, ...counted);
		const isAwaited = own.isAwaited && wait === own.wait;
		const waited = now - Math.max(askedAt, this.limit.closedSince ?? now);
		if (wait === 0 || isAwaited || waited + wait <= longestWait) return { wait, isAwaited };
		const until = new Date(this.clock.now() + wait).toISOString();
		const by = own.wait < wait ? 'credential' : 'service';
		throw new Problem('RATE_LIMIT_WAIT_TOO_LONG', { until, by });
	}

	/**
	 * Learns from the headers of an answer; without an answer, only ends the request.
	 *
	 * @returns what the answer says about the rate limit
	 */
	leave(admission: Admission, answer?: PacedAnswer): RateReport {
		const now = this.now();
		const report = answer ? this.headers.read(admission.rateLimit, answer.headers, now) : {};
		this.limit.noteAnswer(admission, answer && answer.statusCode === 429, report, now);
		for (const wake of this.wakers.splice(0)) wake();
		return report;
	}
}
