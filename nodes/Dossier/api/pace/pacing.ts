import type { IDataObject } from 'n8n-workflow';
import { pause, wallClock } from '../clock';
import type { Clock } from '../clock';
import { Problem } from '../../problems/problem';
import { closeGate, createGate, delayByService, openGate, passGate, updateWindow } from './gate';
import type { Delay, Gate, ReportedWindow } from './gate';
import { delayByWindow, forecast, keepLastHour } from './limits';
import type { Window } from './limits';
import { readRateHeaders } from './rateHeaders';
import type { RateReport } from './rateHeaders';
import { Slots } from './slots';

/** How long a request waits for the rate limit. */
export interface Patience {
	/** How long it waits, at most, while the service accepts none, in ms. */
	longestWait: number;
	/** When it asked first, if it was refused before. */
	askedAt?: number;
	/** Called before each pause, with the time when the wait began and when it will end, in ms since 1970. */
	onWait?: (from: number, until: number) => void;
	signal?: AbortSignal;
}

/** A request that may be sent. The caller gives it to `leave` together with the answer. */
interface Admission {
	sentAt: number;
	/** The gate that it has passed. */
	gate: Gate;
	/** When it, or the request that was refused before it, asked to be sent. */
	askedAt: number;
	/** How long it waited for the limit, in ms. */
	waited: number;
}

/** The beginning of an answer. */
export interface PacedAnswer {
	statusCode: number;
	headers: IDataObject;
}

/**
 * Keeps the requests of all executions within the limits of the service: no minute and no hour has more requests than the plan
 * allows. If the service says how many remain and until when, that holds instead, because others may share the limit; if it says
 * only how many, no more are under way at once. The numbers of Custom always hold.
 *
 * After a refusal all requests wait, and one tries (`gate.ts`).
 */
export class Pacer {
	private gate = createGate();
	private reported?: ReportedWindow;
	/** How many requests are not answered yet. */
	private underWay = 0;
	/** Requests are admitted one by one, in their order. */
	private readonly queue = new Slots(1);
	/** How long the queue has waited for the limit, in ms. */
	private waited = 0;
	/** When requests were sent in the last hour, oldest first; without those that were refused. */
	private readonly sent: number[] = [];
	/** Wakes the first request of the queue, if it waits. */
	private wake = () => {};

	/** @param windows the rate limits that are chosen in the credential */
	constructor(
		private readonly windows: Window[] = [],
		readonly clock: Clock = wallClock,
	) {}

	/**
	 * Waits until one more request fits. Each `enter` is followed by one `leave`.
	 *
	 * @throws Problem if the wait would be longer than allowed (with the time when the request would fit), or if the execution is
	 * cancelled
	 */
	async enter(patience: Patience): Promise<Admission> {
		const begun = this.clock.now();
		const { waited: before } = this;
		const { longestWait, askedAt = begun, onWait, signal } = patience;
		const measureWait = () => Math.min(this.waited - before, this.clock.now() - begun);
		this.findDelay(longestWait, askedAt);
		return await this.queue.use(async () => {
			for (;;) {
				const { wait, isAwaited } = this.findDelay(longestWait, askedAt);
				if (wait === 0) break;
				const from = this.clock.now();
				if (!isAwaited) onWait?.(from - measureWait(), from + wait);
				await this.rest(wait, signal);
				if (!isAwaited) this.waited += this.clock.now() - from;
			}
			if (signal?.aborted) throw new Problem('CANCELLED', {});
			const now = this.clock.now();
			const { gate } = this;
			passGate(gate, now);
			this.sent.push(now);
			this.underWay++;
			return { sentAt: now, gate, askedAt, waited: measureWait() };
		}, signal);
	}

	/**
	 * Learns from the headers of an answer; without an answer, only ends the request.
	 *
	 * @returns what the answer says about the rate limit
	 */
	leave({ gate, sentAt }: Admission, answer?: PacedAnswer): RateReport {
		const now = this.clock.now();
		const report = answer ? readRateHeaders(answer.headers, now) : {};
		this.underWay--;
		if (answer) {
			const isRefused = answer.statusCode === 429;
			this.reported = updateWindow(this.reported, report, now);
			// What is refused has used nothing of the limit.
			if (isRefused && this.sent.includes(sentAt))
				this.sent.splice(this.sent.lastIndexOf(sentAt), 1);
			// What passed an earlier gate says nothing about the time since.
			if (gate === this.gate && isRefused) this.gate = closeGate(gate, report, now);
			else if (gate === this.gate) openGate(gate);
		}
		this.wake();
		return report;
	}

	/** How long it takes until this many more requests are sent, if the plan alone decides, in ms; 0 without a limit. */
	forecast(requests: number): number {
		return forecast(this.windows, this.sent, requests, this.clock.now());
	}

	/** Waits until an answer comes, but at most for a time in ms. */
	private async rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
		const answer = new Promise<void>((resolve) => (this.wake = resolve));
		// A longer pause would outlive the answer.
		const longest = Math.min(ms, this.clock.longestSleep);
		await Promise.race([answer, pause(this.clock, longest, signal)]);
	}

	/** Forgets a window that is over. If the service told its end, one request finds out what it allows now. */
	private endWindow(now: number): void {
		const { reported, gate } = this;
		if (!reported || reported.endsAt > now) return;
		this.reported = undefined;
		if (!reported.isTold || gate.closedSince !== undefined) return;
		gate.closedSince = now;
		// The answer to one that is under way tells it, too.
		if (this.underWay) passGate(gate, now);
	}

	/** How long until one more request fits; throws if the service would accept none for longer than the request may wait. */
	private findDelay(longestWait: number, askedAt: number): Delay {
		const now = this.clock.now();
		keepLastHour(this.sent, now);
		this.endWindow(now);
		const { gate, reported } = this;
		const deadline = Math.max(askedAt, gate.closedSince ?? now) + longestWait;
		// Nobody knows when the service opens again: the request tries before it is given up.
		if (!gate.isTold && deadline > now) gate.opensAt = Math.min(gate.opensAt, deadline);
		const isTold = gate.closedSince !== undefined || reported?.isTold === true;
		const counted = this.windows
			.filter(({ isCustom }) => isCustom ?? !isTold)
			.map((window) => delayByWindow(window, this.sent, now));
		const service = delayByService(gate, reported, this.underWay, now);
		const wait = Math.max(service.wait, ...counted);
		const isAwaited = service.isAwaited && wait === service.wait;
		if (wait === 0 || isAwaited || now + wait <= deadline) return { wait, isAwaited };
		const until = new Date(now + wait).toISOString();
		const by = service.wait < wait ? 'credential' : 'service';
		throw new Problem('RATE_LIMIT_WAIT_TOO_LONG', { until, by });
	}
}
