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
import { mergeTold } from './toldWindow';
import type { ToldWindow } from './toldWindow';

/** Who sends, within which limits, and how long it may wait. */
export interface Patience {
	/** The limits that the credential stands for. */
	windows: Window[];
	/** Names the credential: chosen windows count its requests alone. */
	credential: string;
	/** The longest wait for the rate limit, in ms. */
	longestWait: number;
	signal?: AbortSignal;
}

/** A request that was let in, which `leave` gets back with its answer. */
interface Admission {
	sentAt: number;
	/** How long it waited, in ms. */
	waited: number;
	/** Whether the limits made it wait, or one that was before it. */
	isPaced: boolean;
}

/** If the service does not say when its window ends, its last requests are spread over this time, in ms. */
const UNKNOWN_WINDOW = 60_000;

/** The share of the requests that is spread so. */
const LAST_REQUESTS = 0.1;

/** The longest back-off of the gate, in ms: nothing but the hour's window keeps it closed for so long. */
const LONGEST_BACKOFF = 600_000;

/** After a refusal, one request goes ahead, and others follow at this distance until one is accepted, in ms. */
const PROBE_INTERVAL = 1_000;

/** How often to look whether the answer to a request on its way changes how long to wait, in ms. */
const ANSWER_POLL = 50;

/** How many refusals in a row show that the service's word, or the lack of one, is not enough to go by. */
const TRUSTED = 3;

/**
 * Keeps the requests of all executions that work for one organization within the limits of the service. What the
 * service says of its windows goes before what is counted here, since others may share the limit. If it says nothing,
 * no stretch of time as long as a window sees more requests than the window holds, which suits fixed and sliding
 * windows alike. Limits that somebody chose, to leave room for others, are kept in any case, and so is what
 * refusals taught.
 */
export class Pacer {
	private readonly clock: Clock;
	private readonly headers = new RateHeaders();
	private readonly learned = new LearnedLimit();
	private readonly sent = new SendLog();
	/** What each credential with chosen windows has sent. */
	private readonly sentBy = new Map<string, SendLog>();
	/** The windows of the service that are known to have ended: what was sent before counts no more. By length. */
	private readonly ended = new Map<number, number>();
	private readonly queues = new Map<string, Slots>();
	/** How often a request had to wait. */
	private pauses = 0;
	private inFlight = 0;
	private lastSentAt = -Infinity;
	private told?: ToldWindow;
	/** The most requests that the service ever said remain. */
	private mostRemaining = 0;
	/** Nobody sends before this moment: the service answered 429. */
	private gate = 0;
	/** How often the service refused since it last accepted a request; those that were sent at once count once. */
	private refusals = 0;

	constructor(clock: Clock = wallClock) {
		this.clock = clock;
	}

	/**
	 * Waits until one more request fits. Each `enter` is followed by one `leave`.
	 *
	 * @throws Problem if that takes longer than the longest wait, with the moment from which on it fits, and if the
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

	/** Lets the requests of each credential in one by one, so that none overtakes another that has waited for long. */
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

	/** How long until one more request fits, in ms; throws if that is too long for one that has waited already. */
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

	/** Takes note of an answer by its headers, or of a request that got none. */
	leave({ sentAt }: Admission, answer?: { statusCode: number; headers: IDataObject }): void {
		this.inFlight--;
		if (!answer) return;
		const now = this.clock.now();
		const { remaining, limit, resetIn } = this.headers.read(answer.headers, now);
		const isRefused = answer.statusCode === 429;
		if (isRefused) this.close(sentAt, answer.headers);
		// Requests that left before the gate closed tell nothing about what the service takes since.
		else if (sentAt >= this.gate) this.refusals = 0;
		if (remaining === undefined) return;
		this.mostRemaining = Math.max(this.mostRemaining, remaining);
		const resetAt = resetIn === undefined ? undefined : now + resetIn;
		// The gate opens when Retry-After says so, and what remains then is not known.
		if (isRefused && resetAt === undefined && this.gate > now) this.told = undefined;
		else this.told = mergeTold(this.told, { remaining, resetAt, limit });
	}

	/**
	 * Everybody waits, because the service answered 429: as long as it says; with exponential back-off if it says nothing,
	 * or if its word proves wrong again and again, as when others use the same limit.
	 */
	private close(sentAt: number, headers: IDataObject): void {
		const now = this.clock.now();
		// Requests that left before the gate opened were refused together with the one that closed it.
		const isNew = sentAt >= this.gate;
		if (isNew) this.refusals++;
		const told = this.headers.readWait(headers, now);
		const isTrusted = told !== undefined && this.refusals <= TRUSTED;
		const own = isTrusted ? 0 : backoff(this.refusals, LONGEST_BACKOFF);
		this.gate = Math.max(this.gate, now + Math.max(told ?? 0, own));
		const isUnexplained = isNew && told === undefined;
		this.learned.noteRefused({ sentAt, inARow: this.refusals, isUnexplained }, now);
	}

	/** How long until one more request fits, in ms. */
	private delay({ windows, credential }: Patience): number {
		const now = this.clock.now();
		if (this.gate > now) return this.gate - now;
		if (this.told?.resetAt !== undefined && this.told.resetAt <= now) this.endWindow(windows);
		const isProbing = this.refusals > 0 && this.lastSentAt >= this.gate;
		const untilProbe = isProbing ? this.lastSentAt + PROBE_INTERVAL - now : 0;
		const isTold = this.told?.resetAt !== undefined;
		const counted = windows
			.filter(({ chosen }) => chosen ?? !isTold)
			.map((window) =>
				this.countedDelay(window, window.chosen ? this.ownLog(credential) : this.sent),
			);
		// The answer to the last probe may open the way at any moment.
		const probe = Math.min(untilProbe, ANSWER_POLL);
		return Math.max(0, probe, this.learned.delay(now), this.toldDelay(now), ...counted);
	}

	/** What the service said of its window. */
	private toldDelay(now: number): number {
		if (!this.told) return 0;
		const { remaining, resetAt } = this.told;
		const left = remaining - this.inFlight;
		if (left > (resetAt === undefined ? this.mostRemaining * LAST_REQUESTS : 0)) return 0;
		// A number that never counts down says nothing about the limit.
		if (resetAt === undefined && this.mostRemaining === 0) return 0;
		const untilRoom =
			resetAt === undefined
				? this.lastSentAt + UNKNOWN_WINDOW / (Math.max(0, left) + 1) - now
				: resetAt - now;
		// Requests on their way may be counted already: their answers will tell.
		return left <= 0 && this.inFlight > 0 ? Math.min(ANSWER_POLL, untilRoom) : untilRoom;
	}

	/** A window that the service named is over, and every shorter one with it. */
	private endWindow(windows: Window[]): void {
		const { resetAt = 0, limit } = this.told ?? {};
		this.told = undefined;
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
