import type { IDataObject } from 'n8n-workflow';
import { LONGEST_SLEEP, pause, wallClock } from './clock';
import type { Clock } from './clock';
import { LearnedLimit } from './learnedLimit';
import { HOUR } from './limits';
import type { Window } from './limits';
import { Problem } from './problem';
import { RateHeaders } from './rateHeaders';
import { backoff } from './retry';
import { SendLog } from './sendLog';
import { Slots } from './slots';
import { mergeReports } from './reportedWindow';
import type { ReportedWindow } from './reportedWindow';

/** The limits of a caller, and how long it waits for them. */
export interface Patience {
	/** The rate limits that are chosen in the credential. */
	windows: Window[];
	/** Names the credential: a custom limit counts the requests of its credential alone. */
	credential: string;
	/** The longest wait for the rate limit, in ms. */
	longestWait: number;
	signal?: AbortSignal;
}

/** A request that may be sent. The caller gives it to `leave` together with the answer. */
interface Admission {
	sentAt: number;
	/** How long it waited, in ms. */
	waited: number;
	/** Whether it, or a request before it in the queue, waited for a limit. */
	isPaced: boolean;
}

/** If the service does not say when its window ends, the last requests of the window are spread over this time, in ms. */
const UNKNOWN_WINDOW = 60_000;

/** The share of the window's requests that is spread. */
const LAST_REQUESTS = 0.1;

/** The longest back-off of the gate, in ms: only the hour's window keeps the gate closed for so long. */
const LONGEST_BACKOFF = 600_000;

/** After a refusal, requests are sent one by one at this interval, in ms, until one is accepted. */
const PROBE_INTERVAL = 1_000;

/** While the answer to an earlier request may shorten the wait, the wait is computed again at this interval, in ms. */
const ANSWER_POLL = 50;

/** After this many refusals in a row, the wait that the service names is not enough: back-off applies too. */
const TRUSTED = 3;

/**
 * Keeps the requests of all executions for one organization within the limits of the service. What the service says
 * about its windows overrides the pacer's own count, because others may share the limit. If the service says nothing, no
 * span as long as a window has more requests than the window allows; so the limit holds for fixed and for sliding
 * windows. Custom limits of a credential and the learned limit always apply.
 */
export class Pacer {
	private readonly clock: Clock;
	private readonly headers = new RateHeaders();
	private readonly learned = new LearnedLimit();
	private readonly sent = new SendLog();
	/** What each credential with chosen windows has sent. */
	private readonly sentBy = new Map<string, SendLog>();
	/** When a window of the service last ended, by its length. Requests before that moment no longer count. */
	private readonly ended = new Map<number, number>();
	private readonly queues = new Map<string, Slots>();
	/** How often a request had to wait. */
	private pauses = 0;
	private inFlight = 0;
	private lastSentAt = -Infinity;
	private reported?: ReportedWindow;
	/** The largest number of remaining requests that the service has reported. */
	private mostRemaining = 0;
	/** After a 429, no request is sent before this moment. */
	private gate = 0;
	/** How many refusals followed the last accepted request; requests that were sent at once count as one. */
	private refusals = 0;

	constructor(clock: Clock = wallClock) {
		this.clock = clock;
	}

	/**
	 * Waits until one more request fits. Each `enter` is followed by one `leave`.
	 *
	 * @throws Problem if the wait would be longer than allowed, with the moment when the request would fit, and if the
	 * execution is cancelled
	 */
	async enter(patience: Patience): Promise<Admission> {
		const { pauses } = this;
		const begun = this.clock.now();
		this.check(patience, begun);
		return await this.queue(patience).use(async () => {
			const sentAt = await this.admit(patience, begun);
			return { sentAt, waited: sentAt - begun, isPaced: this.pauses > pauses };
		}, patience.signal);
	}

	/** The queue of a credential: its requests are admitted one by one, in their order. */
	private queue({ credential }: Patience): Slots {
		const queue = this.queues.get(credential) ?? new Slots(1);
		this.queues.set(credential, queue);
		return queue;
	}

	private async admit(patience: Patience, begun: number): Promise<number> {
		for (let wait = this.check(patience, begun); wait > 0; wait = this.check(patience, begun)) {
			this.pauses++;
			await pause(this.clock, Math.min(wait, LONGEST_SLEEP), patience.signal);
		}
		if (patience.signal?.aborted) throw new Problem('CANCELLED', {});
		return this.noteSent(patience);
	}

	/** How long until one more request fits, in ms; throws if the whole wait would be longer than allowed. */
	private check(patience: Patience, begun: number): number {
		const wait = this.delay(patience);
		const now = this.clock.now();
		if (wait === 0 || now + wait - begun <= patience.longestWait) return wait;
		throw new Problem('RATE_LIMIT_WAIT_TOO_LONG', { until: new Date(now + wait).toISOString() });
	}

	private noteSent({ windows, credential }: Patience): number {
		const now = this.clock.now();
		const logs = [this.sent];
		if (windows.some(({ chosen }) => chosen)) logs.push(this.ownLog(credential));
		for (const log of logs) {
			log.forgetBefore(now - HOUR);
			log.add(now);
		}
		this.learned.noteSent(now);
		this.lastSentAt = now;
		this.inFlight++;
		return now;
	}

	private ownLog(credential: string): SendLog {
		const log = this.sentBy.get(credential) ?? new SendLog();
		this.sentBy.set(credential, log);
		return log;
	}

	/** Learns from the headers of an answer; without an answer, only ends the request. */
	leave({ sentAt }: Admission, answer?: { statusCode: number; headers: IDataObject }): void {
		this.inFlight--;
		if (!answer) return;
		const now = this.clock.now();
		const { remaining, limit, resetIn } = this.headers.read(answer.headers, now);
		const isRefused = answer.statusCode === 429;
		if (isRefused) this.close(sentAt, answer.headers);
		// The answer to a request that was sent before the gate closed says nothing about the time since.
		else if (sentAt >= this.gate) this.refusals = 0;
		if (remaining === undefined) return;
		this.mostRemaining = Math.max(this.mostRemaining, remaining);
		const resetAt = resetIn === undefined ? undefined : now + resetIn;
		// How many requests remain when the gate opens is unknown.
		if (isRefused && resetAt === undefined && this.gate > now) this.reported = undefined;
		else this.reported = mergeReports(this.reported, { remaining, resetAt, limit });
	}

	/**
	 * Closes the gate for all requests after a 429: for as long as the service says, and with exponential back-off if it
	 * does not say, or if it goes on refusing after the time it named, as when others use the same limit.
	 */
	private close(sentAt: number, headers: IDataObject): void {
		const now = this.clock.now();
		// A request that was sent before the gate opened was refused together with the one that closed it.
		const isNew = sentAt >= this.gate;
		if (isNew) this.refusals++;
		const wait = this.headers.readWait(headers, now);
		const isTrusted = wait !== undefined && this.refusals <= TRUSTED;
		const own = isTrusted ? 0 : backoff(this.refusals, LONGEST_BACKOFF);
		this.gate = Math.max(this.gate, now + Math.max(wait ?? 0, own));
		const isUnexplained = isNew && wait === undefined;
		this.learned.noteRefused({ sentAt, inARow: this.refusals, isUnexplained }, now);
	}

	/** How long until one more request fits, in ms. */
	private delay({ windows, credential }: Patience): number {
		const now = this.clock.now();
		if (this.gate > now) return this.gate - now;
		if (this.reported?.resetAt !== undefined && this.reported.resetAt <= now)
			this.endWindow(windows);
		const isProbing = this.refusals > 0 && this.lastSentAt >= this.gate;
		const untilProbe = isProbing ? this.lastSentAt + PROBE_INTERVAL - now : 0;
		const isReported = this.reported?.resetAt !== undefined;
		const counted = windows
			.filter(({ chosen }) => chosen ?? !isReported)
			.map((window) =>
				this.countedDelay(window, window.chosen ? this.ownLog(credential) : this.sent),
			);
		// The answer to the last probe may end the wait at any moment.
		const probe = Math.min(untilProbe, ANSWER_POLL);
		return Math.max(0, probe, this.learned.delay(now), this.reportedDelay(now), ...counted);
	}

	/** How long to wait by what the service said about its window, in ms. */
	private reportedDelay(now: number): number {
		if (!this.reported) return 0;
		const { remaining, resetAt } = this.reported;
		const left = remaining - this.inFlight;
		if (left > (resetAt === undefined ? this.mostRemaining * LAST_REQUESTS : 0)) return 0;
		// A number that never counts down says nothing about the limit.
		if (resetAt === undefined && this.mostRemaining === 0) return 0;
		const untilRoom =
			resetAt === undefined
				? this.lastSentAt + UNKNOWN_WINDOW / (Math.max(0, left) + 1) - now
				: resetAt - now;
		// The service may have counted the requests in flight already: their answers will tell.
		return left <= 0 && this.inFlight > 0 ? Math.min(ANSWER_POLL, untilRoom) : untilRoom;
	}

	/** Ends the window that the service reported, and every shorter one with it. */
	private endWindow(windows: Window[]): void {
		const { resetAt = 0, limit } = this.reported ?? {};
		this.reported = undefined;
		const shortest = Math.min(...windows.map(({ length }) => length));
		const over = windows.find((window) => window.limit === limit)?.length ?? shortest;
		for (const { length } of windows) if (length <= over) this.ended.set(length, resetAt);
	}

	private countedDelay({ limit, length, chosen }: Window, sent: SendLog): number {
		const edge = sent.nthLast(limit);
		if (edge === undefined || (!chosen && edge < (this.ended.get(length) ?? 0))) return 0;
		return edge + length - this.clock.now();
	}
}
