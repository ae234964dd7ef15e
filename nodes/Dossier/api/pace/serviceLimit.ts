import type { RateReport } from '../../dialect/headers';

/** The share of accepted requests that may be spent on finding out whether the service accepts more. */
const EXPLORATION = 0.03;

/** After a refusal the service is tried again after so large a share of the time since the cycle began, but at least so many ms. */
const RETRY = { beforeMeasured: 0.3, afterMeasured: 0.12, least: 50 };

/** An answer is awaited for so long before another request is sent in spite of it, in ms. */
const PATIENCE = 3_000;

/** A pause that ends a cycle as long as no span is measured, and the longest cycle that a wait after a refusal goes by, in ms. */
const LONG_PAUSE = 60_000;

/** After so many good answers in a row that said that nothing remains, the number is not believed. */
const MOST_CONTRADICTIONS = 2;

/** Headers tell the end of a window in whole seconds: two answers of one window may differ by so many ms. */
const RESET_ROUNDING = 2_000;

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

/** The requests from one opening of the service to the next: when the first was sent, and how many were not refused. */
interface Cycle {
	from: number;
	used: number;
}

/** While nothing is sent except a request that tries. */
interface Closed {
	/** When one tries. */
	openAt: number;
	/** Whether one has tried too early, so that the time of the opening is known. */
	isLate: boolean;
	/** Whether the refusal may have had another cause than a limit: one tries at once. */
	isDoubted: boolean;
}

/**
 * The limit of a service, by what it says and by what it accepts.
 *
 * 1. If the service says how many requests remain, so many are sent, less those under way. If it also says until when, the
 *    next ones follow then.
 * 2. Otherwise no span of `span` ms has more than `size` requests, which suits fixed windows, sliding windows and token buckets.
 *    Nothing is limited until the service refuses a request or says that nothing remains.
 * 3. Then it is closed until it accepts a request that tries. The requests since it last opened were one cycle: their number is
 *    the size, and the time from the first of them to the one that tried is the span. A refusal that came too early is doubted:
 *    one request tries at once, and if it is accepted, nothing is learned and the cycle goes on.
 * 4. The first request of each cycle goes alone. Each one that is accepted doubles how many may be under way.
 * 5. For about every thirtieth request, one more than the size is sent. If it is accepted, the size grows.
 *
 * The DefaultRateLimiter of the AWS SDKs is the model: what was really accepted is measured, and grows again within seconds.
 */
export class ServiceLimit {
	private size = Infinity;
	private span = 0;
	/** When requests were sent that were not refused, oldest first. */
	private sent: number[] = [];
	private cycle: Cycle = { from: -Infinity, used: 0 };
	/** The cycle before, until the first request of this one is accepted. */
	private before?: Cycle;
	private closed?: Closed;
	/** Since when no request was accepted. */
	private closedSince?: number;
	/** How often the service has closed. Requests that were sent before say nothing about the time after. */
	private epoch = 0;
	private inFlight = 0;
	private mostInFlight = Infinity;
	private lastSentAt = -Infinity;
	/** When a request was last sent, answered or held back. */
	private activeAt = -Infinity;
	/** How many refusals may be risked by sending one more than the size. */
	private credit = 1;
	/** Whether one more than the size is under way. */
	private isExploring = false;
	/** What the last answer said about the window. */
	private said?: { at: number; remaining: number; resetAt?: number };
	private contradictions = 0;

	/** Whether the service itself says what remains, and until when. */
	get isTold(): boolean {
		return this.said?.resetAt !== undefined && this.contradictions <= MOST_CONTRADICTIONS;
	}

	/** How long until one more request fits, in ms. An answer may shorten it. */
	delay(now: number): number {
		if (this.closed && this.closed.openAt > now) return this.closed.openAt - now;
		const patience = Math.max(0, this.lastSentAt + PATIENCE - now);
		if (this.inFlight >= this.mostInFlight) return patience;
		if (this.closed) return 0;
		const room = this.countRoom(now);
		const mayExplore = !this.isExploring && !this.before && this.credit >= 1;
		if (room === undefined) return mayExplore ? 0 : this.untilSlot(now);
		if (room > 0) return 0;
		const resetAt = this.said?.resetAt;
		if (resetAt !== undefined) return resetAt - now;
		if (this.inFlight > 0) return patience;
		const wait = this.expectOpening(now);
		this.close(now + wait);
		return wait;
	}

	/** How many more requests fit, by what the service says about a window that is not over. */
	private countRoom(now: number): number | undefined {
		if (!this.said || this.contradictions > MOST_CONTRADICTIONS) return undefined;
		const { remaining, resetAt = Infinity } = this.said;
		return resetAt > now ? remaining - this.inFlight : undefined;
	}

	/** How long until the span has room for one more request, in ms. */
	private untilSlot(now: number): number {
		const edge = this.sent[this.sent.length - this.size] ?? -Infinity;
		return Math.max(0, edge + this.span - now);
	}

	/** How long a service that has just closed is expected to be closed, in ms. */
	private expectOpening(now: number): number {
		const left = this.cycle.from + this.span - now;
		return left > 0 ? left : Math.max(RETRY.least, this.span / this.size);
	}

	noteSent(now: number): Sent {
		const isIdle = now - this.activeAt > (this.span || LONG_PAUSE);
		const room = this.countRoom(now);
		const isExtra = !this.closed && room === undefined && this.untilSlot(now) > 0;
		const resetAt = this.said?.resetAt ?? Infinity;
		const isReset = resetAt <= now && this.cycle.from < resetAt;
		const isFull = room === undefined && this.cycle.used >= this.size && !this.before;
		if (isIdle && !isReset) {
			this.before = this.closed = undefined;
			this.cycle = { from: now, used: 0 };
		} else if (isExtra) this.isExploring = true;
		else if ((this.closed && !this.closed.isDoubted) || isReset || isFull) {
			this.before ??= this.cycle;
			this.cycle = { from: now, used: 0 };
			this.mostInFlight = 1;
		}
		this.cycle.used++;
		this.sent.push(now);
		if (this.sent.length > 2 * MEMORY) this.sent = this.sent.slice(-MEMORY);
		this.lastSentAt = this.activeAt = now;
		this.inFlight++;
		return { sentAt: now, epoch: this.epoch, isExtra };
	}

	/** Learns from an answer; without one (`isRefused` is undefined), the request only ends. */
	noteAnswer(sent: Sent, isRefused: boolean | undefined, report: RateReport, now: number): void {
		this.activeAt = Math.max(this.activeAt, now);
		const told = report.retryAfter ?? report.resetIn ?? 0;
		if (isRefused) this.forget(sent);
		if (sent.epoch !== this.epoch) {
			const { closed } = this;
			if (isRefused && told && closed) {
				this.close(Math.max(closed.openAt, now + told), closed.isLate);
			}
			return;
		}
		this.inFlight--;
		if (isRefused === undefined) return;
		this.noteReport(sent, isRefused, report, now);
		if (isRefused) this.noteRefused(sent, told, now);
		else this.noteAccepted(sent);
	}

	/** Takes a request that was refused out of the counts. */
	private forget({ sentAt }: Sent): void {
		const at = this.sent.lastIndexOf(sentAt);
		if (at >= 0) this.sent.splice(at, 1);
		if (sentAt >= this.cycle.from) this.cycle.used--;
		else if (this.before && sentAt >= this.before.from) this.before.used--;
	}

	private noteReport({ sentAt }: Sent, isRefused: boolean, report: RateReport, now: number): void {
		if (report.remaining === undefined) return;
		const last = this.said;
		const resetAt = report.resetIn === undefined ? undefined : now + report.resetIn;
		// Requests overtake each other: of those under way together in one window, the lowest number holds.
		const isNext = (resetAt ?? 0) > (last?.resetAt ?? Infinity) + RESET_ROUNDING;
		const most = last && sentAt < last.at && !isNext ? last.remaining : Infinity;
		const remaining = Math.min(most, Math.floor(report.remaining));
		const isContradiction = !isRefused && remaining === 0 && last?.remaining === 0;
		this.contradictions = isContradiction ? this.contradictions + 1 : 0;
		this.said = { at: now, remaining, resetAt };
	}

	private noteAccepted({ sentAt, isExtra }: Sent): void {
		this.closedSince = undefined;
		// It said only in a refusal that nothing remains, and accepts a request that was sent later.
		if (this.said?.remaining === 0 && sentAt > this.said.at) this.said = undefined;
		this.credit = Math.min(2, this.credit + EXPLORATION);
		this.mostInFlight *= 2;
		if (isExtra) {
			this.isExploring = false;
			this.size++;
		}
		if (this.closed?.isDoubted) this.closed = undefined;
		if (this.before && sentAt >= this.cycle.from) this.measure(this.before, sentAt);
	}

	/** Learns the size and span from a cycle that is over, because the service has opened again. */
	private measure({ from, used }: Cycle, openedAt: number): void {
		const { closed, span } = this;
		if (closed) this.size = Math.max(1, used);
		const length = openedAt - from;
		this.span = closed?.isLate || span === 0 ? length : Math.min(span, length);
		this.before = this.closed = undefined;
	}

	/** @param told how long the service asks to wait, in ms; 0 says nothing */
	private noteRefused({ isExtra }: Sent, told: number, now: number): void {
		if (!isExtra) this.closedSince ??= now;
		if (isExtra) {
			this.isExploring = false;
			this.credit = Math.max(-1, this.credit - 1);
			if (told) this.close(now + told);
		} else if (this.before) {
			const share = this.span > 0 ? RETRY.afterMeasured : RETRY.beforeMeasured;
			const cycle = Math.min(now - this.before.from, LONG_PAUSE);
			const length = Math.max(now - (this.closedSince ?? now), cycle);
			this.close(now + Math.max(told, RETRY.least, share * length), true);
		} else {
			const isFew = this.cycle.used < this.size / 2;
			const isDoubted = isFew && !this.closed?.isDoubted && !told;
			const own = isFew ? RETRY.least : this.expectOpening(now);
			this.close(now + (isDoubted ? 0 : told || own), false, isDoubted);
		}
	}

	private close(openAt: number, isLate = false, isDoubted = false): void {
		this.closed = { openAt, isLate, isDoubted };
		this.cycle = this.before ?? this.cycle;
		this.before = undefined;
		this.isExploring = false;
		this.activeAt = openAt;
		this.epoch++;
		this.inFlight = 0;
		this.mostInFlight = 1;
	}
}
