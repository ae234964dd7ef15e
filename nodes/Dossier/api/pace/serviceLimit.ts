import { LONGEST_WINDOW } from '../../dialect/headers';
import type { RateReport } from '../../dialect/headers';
import { ReportedWindow } from './reportedWindow';

/** So many requests and windows have to be accepted before one more than the size is risked. */
const EXPLORATION = { requests: 20, windows: 2 };

/**
 * After a refusal the service is tried again after so large a share of the time since the cycle began, but at least and at most so
 * many ms.
 */
const REOPENING = { beforeMeasured: 0.3, afterMeasured: 0.12, least: 50, most: 900_000 };

/** An answer is awaited for so long before another request is sent in spite of it, in ms. */
const PATIENCE = 3_000;

/** A pause that ends a cycle as long as no span is measured, and the longest cycle that a wait after a refusal goes by, in ms. */
const LONG_PAUSE = 60_000;

/** So many windows in a row may be used up by others. */
const MOST_MISSED = 10;

/** So many requests are remembered. */
const MEMORY = 10_000;

/** A request as it was sent. */
export interface Sent {
	sentAt: number;
	/** How often the service had closed before. */
	epoch: number;
	/** Whether it is one more than the size. */
	isExtra: boolean;
}

/** While nothing is sent except a request that tries. */
interface Closed {
	/** When one tries. */
	openAt: number;
	/** How long after the last one that tried too early, in ms; 0 if none has. Once one has, the time of the opening is known. */
	step: number;
	/** Whether the refusal may have had another cause than a limit: one tries at once. */
	isDoubted: boolean;
}

/**
 * The limit of a service, by what it says and by what it accepts.
 *
 * 1. If the service says how many requests remain, so many may be under way, or half as many if others use the limit, too.
 *    If it also says until when, the next ones follow then.
 * 2. Otherwise no span of `span` ms has more than `size` requests, which suits fixed windows, sliding windows and token buckets.
 *    Nothing is limited until the service refuses a request or says that nothing remains.
 * 3. Then it is closed until it accepts a request that tries. The requests since it last opened were one cycle: their number is
 *    the size, and the time from the first of them to the one that tried is the span. A refusal that came too early is doubted:
 *    one request tries at once, and if it is accepted, nothing is learned and the cycle goes on.
 * 4. The first request of each cycle goes alone. Each one that is accepted doubles how many may be under way.
 * 5. Once in two cycles and in twenty requests, one more than the size is sent, and the others wait for its answer. If it is
 *    accepted, the size grows, and the next one follows.
 *
 * The DefaultRateLimiter of the AWS SDKs is the model: what was really accepted is measured, and grows again within seconds.
 */
export class ServiceLimit {
	private size = Infinity;
	private span = 0;
	/** When requests were sent that were not refused, oldest first. */
	private sent: number[] = [];
	/** When the cycle began. */
	private from = -Infinity;
	/** When the request was sent that tries whether the next cycle has begun. */
	private triedAt?: number;
	private closed?: Closed;
	/** Since when no request was accepted; or since a window began which others have used up, if it says so. */
	closedSince?: number;
	/** How many windows in a row others have used up. */
	private missed = 0;
	/** How often the service has closed. Requests that were sent before say nothing about the time after. */
	private epoch = 0;
	private inFlight = 0;
	private mostInFlight = Infinity;
	/** When a request was last sent or held back. */
	private activeAt = -Infinity;
	/** How many refusals may be risked by sending one more than the size, one at a time. */
	private credit = 1;
	/** Whether one more than the size is under way. */
	private isExploring = false;
	private readonly window = new ReportedWindow();

	/** Whether the service itself says what remains, and until when. */
	get isTold(): boolean {
		return this.window.resetAt !== undefined;
	}

	/** How long until one more request fits, in ms; if it is awaited, the answer to another request may end the wait. */
	delay(now: number): { wait: number; isAwaited?: boolean } {
		if (this.closed && this.closed.openAt > now) return { wait: this.closed.openAt - now };
		const lastSentAt = this.sent[this.sent.length - 1] ?? -Infinity;
		const awaited = { wait: Math.max(0, lastSentAt + PATIENCE - now), isAwaited: true };
		if (this.inFlight >= this.mostInFlight) return awaited;
		if (this.closed) return { wait: 0 };
		const remaining = this.window.findRemaining(now);
		if (remaining === undefined) {
			const wait = this.credit >= 1 || this.isReset(now) ? 0 : this.untilSlot(now);
			return wait > 0 && this.isExploring ? awaited : { wait };
		}
		const most = this.window.isShared && this.inFlight > 0 ? remaining / 2 : remaining;
		if (most - this.inFlight >= 1) return { wait: 0 };
		// What others may take is no reason to wait for the end of the window: the next answer says what remains.
		if (remaining - this.inFlight >= 1) return awaited;
		const { resetAt } = this.window;
		if (resetAt !== undefined) return { wait: resetAt - now };
		if (this.inFlight > 0) return awaited;
		const wait = this.expectOpening(now);
		this.close(now + wait);
		return { wait };
	}

	/** Whether a window is over by what the service says, and none was begun since. */
	private isReset(now: number): boolean {
		const { resetAt = Infinity } = this.window;
		return resetAt <= now && (this.triedAt ?? this.from) < resetAt;
	}

	/** How long until the span has room for one more request, in ms. */
	private untilSlot(now: number): number {
		const edge = this.sent[this.sent.length - this.size] ?? -Infinity;
		return Math.max(0, edge + this.span - now);
	}

	/** Whether the cycle has at least so many requests. */
	private hasUsed(amount: number): boolean {
		return (this.sent[this.sent.length - Math.ceil(amount)] ?? -Infinity) >= this.from;
	}

	/** How long a service that has just closed is expected to be closed, in ms. */
	private expectOpening(now: number): number {
		const left = this.from + this.span - now;
		return left > 0 ? left : REOPENING.least;
	}

	noteSent(now: number): Sent {
		const isSilent = this.window.findRemaining(now) === undefined;
		const isExtra = !this.closed && isSilent && this.untilSlot(now) > 0;
		const isReset = this.isReset(now);
		if (now - this.activeAt > (this.span || LONG_PAUSE) && !isReset) {
			this.triedAt = this.closed = undefined;
			this.from = now;
		} else if (isExtra) this.credit--;
		else if (
			(this.closed && !this.closed.isDoubted) ||
			isReset ||
			(isSilent && this.triedAt === undefined && this.hasUsed(this.size))
		) {
			this.triedAt = now;
			this.mostInFlight = 1;
		}
		this.isExploring ||= isExtra;
		this.sent.push(now);
		if (this.sent.length > MEMORY) this.sent.shift();
		this.activeAt = now;
		this.inFlight++;
		return { sentAt: now, epoch: this.epoch, isExtra };
	}

	/** Learns from an answer; without one (`isRefused` is undefined), the request only ends. */
	noteAnswer(sent: Sent, isRefused: boolean | undefined, report: RateReport, now: number): void {
		const told = report.retryAfter ?? report.resetIn ?? 0;
		if (isRefused) {
			const at = this.sent.lastIndexOf(sent.sentAt);
			if (at >= 0) this.sent.splice(at, 1);
		}
		if (sent.epoch !== this.epoch) return;
		this.inFlight--;
		if (sent.isExtra) this.isExploring = false;
		if (isRefused === undefined) return;
		const isNext = this.window.note(sent.sentAt, isRefused, report, now);
		if (isNext && isRefused && this.missed++ < MOST_MISSED) this.closedSince = now;
		if (isRefused) this.noteRefused(sent, told, now);
		else this.noteAccepted(sent);
	}

	private noteAccepted({ sentAt, isExtra }: Sent): void {
		this.closedSince = undefined;
		this.missed = 0;
		this.window.noteAccepted(sentAt);
		this.mostInFlight *= 2;
		const calm = Math.max(EXPLORATION.requests, EXPLORATION.windows * this.size);
		this.credit = isExtra ? 1 : Math.min(1, this.credit + 1 / calm);
		if (isExtra) this.size++;
		if (this.closed?.isDoubted) this.closed = undefined;
		if (this.triedAt !== undefined && sentAt >= this.triedAt) this.measure(this.triedAt);
	}

	/** Learns the size and span from a cycle that is over, because the service has opened again. */
	private measure(openedAt: number): void {
		const { closed, span, from } = this;
		const used = this.sent.filter((at) => at >= from && at < openedAt);
		if (closed) this.size = Math.max(1, used.length);
		const length = Math.min(openedAt - from, LONGEST_WINDOW);
		this.span = closed?.step || span === 0 ? length : Math.min(span, length);
		this.from = openedAt;
		this.triedAt = this.closed = undefined;
	}

	/** @param told how long the service asks to wait, in ms; 0 says nothing */
	private noteRefused({ sentAt }: Sent, told: number, now: number): void {
		this.closedSince ??= now;
		if (this.triedAt !== undefined) {
			const length = now - Math.max(this.from, this.closedSince - LONG_PAUSE);
			const share = this.span > 0 ? REOPENING.afterMeasured : REOPENING.beforeMeasured;
			const lastSentAt = this.sent[this.sent.length - 1] ?? -Infinity;
			// It was left alone until the plan, or what the service said, let it expect an opening: that cannot be far.
			const isExpected = this.span === 0 && sentAt - lastSentAt > length / 2;
			const last = this.closed?.step || (isExpected ? 0 : Infinity);
			const next = Math.max(REOPENING.least, Math.min(2 * last, share * length));
			const step = Math.min(next, REOPENING.most);
			this.close(now + Math.max(told, step), step);
		} else {
			const isFew = !this.hasUsed(this.size / 2);
			const isDoubted = isFew && !this.closed?.isDoubted && !told;
			const wait = isDoubted ? 0 : told || this.expectOpening(now);
			this.close(now + wait, 0, isDoubted);
		}
	}

	private close(openAt: number, step = 0, isDoubted = false): void {
		this.closed = { openAt, step, isDoubted };
		this.triedAt = undefined;
		this.activeAt = openAt;
		this.epoch++;
		this.inFlight = 0;
		this.isExploring = false;
		this.mostInFlight = 1;
	}
}
