import type { IDataObject } from 'n8n-workflow';
import { pause, wallClock } from '../clock';
import type { Clock } from '../clock';
import { RateHeaderReader } from './rateHeaders';
import type { RateReport } from './rateHeaders';
import type { Dialect } from '../../dialect/schema';
import { closeGate, delayByService, openGate, updateWindow, widenGate } from './gate';
import type { Delay, Gate, ReportedWindow } from './gate';
import { delayByWindow, forecast, keepLastHour } from './limits';
import type { Window } from './limits';
import { Problem } from '../../problems/problem';
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
interface Admission extends Pick<Patience, 'credential' | 'rateLimit'> {
	sentAt: number;
	/** The gate that it has passed. */
	gate: Gate;
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
	/** When they were sent in the last hour, oldest first; without those that were refused. */
	sent: number[];
	/** How long the queue has waited for the limit, in ms. */
	waited: number;
}

/**
 * Keeps the requests of all executions for one organization within the limits of the service: no minute and no hour has more
 * requests than the plan allows. If the service says how many remain and until when, that holds instead, because others may
 * share the limit; if it says only how many, no more are under way at once. The numbers of Custom always hold.
 *
 * After a refusal all requests wait, and one tries (`gate.ts`).
 */
export class Pacer {
	readonly clock: Clock;
	private readonly headers = new RateHeaderReader();
	private gate = openGate();
	private reported?: ReportedWindow;
	/** When requests were sent in the last hour, oldest first; without those that were refused. */
	private readonly sent: number[] = [];
	/** By credential. Few: one n8n has few credentials for one organization. */
	private readonly callers = new Map<string, PacedCaller>();
	/** Each wakes a request that waits; called when an answer comes. */
	private readonly wakers: Array<() => void> = [];

	constructor(clock: Clock = wallClock) {
		this.clock = clock;
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
		const begun = this.clock.now();
		const { credential, rateLimit, signal, askedAt = begun } = patience;
		const caller = this.callers.get(credential) ?? { queue: new Slots(1), sent: [], waited: 0 };
		this.callers.set(credential, caller);
		const { waited: before } = caller;
		const measureWait = () => Math.min(caller.waited - before, this.clock.now() - begun);
		this.findDelay(patience, caller, askedAt);
		return await caller.queue.use(async () => {
			for (;;) {
				const { wait, isAwaited } = this.findDelay(patience, caller, askedAt);
				if (wait === 0) break;
				const from = this.clock.now();
				if (!isAwaited) patience.onWait?.(from - measureWait(), from + wait);
				await this.rest(wait, signal);
				if (!isAwaited) caller.waited += this.clock.now() - from;
			}
			if (signal?.aborted) throw new Problem('CANCELLED', {});
			const now = this.clock.now();
			for (const sent of [this.sent, caller.sent]) sent.push(now);
			this.gate.underWay++;
			this.gate.lastSentAt = now;
			const [waited, isPaced] = [measureWait(), now > begun];
			return { sentAt: now, gate: this.gate, credential, rateLimit, askedAt, waited, isPaced };
		}, signal);
	}

	/** How long it takes until this many more requests are sent, if the plan alone decides, in ms; 0 without a limit. */
	forecast({ windows, credential }: Pick<Patience, 'windows' | 'credential'>, requests: number) {
		const own = this.callers.get(credential)?.sent ?? [];
		const sentIn = ({ chosen }: Window) => (chosen ? own : this.sent);
		return forecast(windows, sentIn, requests, this.clock.now());
	}

	/** Waits until an answer comes, but at most for a time in ms. */
	private async rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
		const answer = new Promise<void>((resolve) => this.wakers.push(resolve));
		// A longer pause would outlive the answer.
		const longest = Math.min(ms, this.clock.longestSleep);
		await Promise.race([answer, pause(this.clock, longest, signal)]);
	}

	/**
	 * How long until one more request fits; throws if the service would accept none for longer than the request may wait.
	 */
	private findDelay(
		{ windows, longestWait }: Patience,
		caller: PacedCaller,
		askedAt: number,
	): Delay {
		const now = this.clock.now();
		const { gate, reported } = this;
		for (const sent of [this.sent, caller.sent]) keepLastHour(sent, now);
		const deadline = Math.max(askedAt, gate.closedSince ?? now) + longestWait;
		// Nobody knows when the service opens again: the request tries before it is given up.
		if (!gate.isTold && deadline > now) gate.opensAt = Math.min(gate.opensAt, deadline);
		const counted = windows
			.filter(({ chosen }) => chosen ?? reported?.endsAt === undefined)
			.map((window) => delayByWindow(window, window.chosen ? caller.sent : this.sent, now));
		const service = delayByService(gate, reported, now);
		const wait = Math.max(service.wait, ...counted);
		const isAwaited = service.isAwaited && wait === service.wait;
		if (wait === 0 || isAwaited || now + wait <= deadline) return { wait, isAwaited };
		const until = new Date(now + wait).toISOString();
		const by = service.wait < wait ? 'credential' : 'service';
		throw new Problem('RATE_LIMIT_WAIT_TOO_LONG', { until, by });
	}

	/**
	 * Learns from the headers of an answer; without an answer, only ends the request.
	 *
	 * @returns what the answer says about the rate limit
	 */
	leave({ gate, sentAt, credential, rateLimit }: Admission, answer?: PacedAnswer): RateReport {
		const now = this.clock.now();
		const report = answer ? this.headers.read(rateLimit, answer.headers, now) : {};
		gate.underWay--;
		if (answer) {
			const isRefused = answer.statusCode === 429;
			this.reported = updateWindow(this.reported, report, now);
			if (isRefused) this.forgetSent(credential, sentAt);
			// What passed an earlier gate says nothing about the time since.
			if (gate === this.gate && isRefused) this.gate = closeGate(gate, report, now);
			else if (gate === this.gate) widenGate(gate);
		}
		for (const wake of this.wakers.splice(0)) wake();
		return report;
	}

	/** Uncounts a request that was refused: it has used nothing of the limit. */
	private forgetSent(credential: string, sentAt: number): void {
		for (const sent of [this.sent, this.callers.get(credential)?.sent ?? []]) {
			const at = sent.lastIndexOf(sentAt);
			if (at >= 0) sent.splice(at, 1);
		}
	}
}
