import { SendLog } from './sendLog';

/** The shortest window that the service publishes, in ms: refusals teach how much fits into it. */
const WINDOW = 60_000;

/** What is left of the limit after a refusal. */
const DECREASE = 0.9;

/** By how much the limit grows at first after a window without a refusal; each further such window doubles it. */
const INCREASE = 0.02;

/**
 * A first limit is learned from so many refusals in a row, or from so many in a window if they are that share of its
 * requests and the service gave no reason to wait: fewer may have another cause.
 */
const CERTAIN = { inARow: 3, inAWindow: 5, share: 0.1 };

/** A limit that met no refusal for so long is forgotten, in ms: others may have used up the service's limit then. */
const MEMORY = 3_600_000;

/** A request that the service refused. */
interface Refusal {
	sentAt: number;
	/** How often the service has refused since it last accepted a request; those that were sent at once count once. */
	inARow: number;
	/** Whether it is the first of those that were sent at once, and has no header that says how long to wait. */
	isUnexplained: boolean;
}

/**
 * Learns from refusals how many requests the service takes in a minute, if it does not say so: multiplicative decrease
 * with each refusal, additive increase with each minute without one. No minute, wherever it begins, sees more requests
 * than the limit, which suits sliding and fixed windows alike.
 */
export class LearnedLimit {
	private limit = Infinity;
	/** The limit that was refused last: growth slows down on its way to it. */
	private ceiling = Infinity;
	private increase = INCREASE;
	private changedAt = 0;
	/** When a request last had to wait for the limit. */
	private reachedAt = -Infinity;
	private readonly sent = new SendLog();
	private readonly unexplained = new SendLog();

	/**
	 * How long until one more request fits, in ms. While the limit is in the way, requests follow each other at equal
	 * distances, so that one that is refused all the same waits for the next, and not for a whole window.
	 */
	delay(now: number): number {
		if (this.limit === Infinity) return 0;
		const edge = this.sent.nthLast(Math.floor(this.limit)) ?? -Infinity;
		const isBusy = now - this.reachedAt < WINDOW;
		const last = (isBusy ? this.sent.nthLast(1) : undefined) ?? -Infinity;
		const wait = Math.max(0, edge + WINDOW - now, last + WINDOW / this.limit - now);
		if (wait > 0) this.reachedAt = now;
		return wait;
	}

	noteSent(now: number): void {
		this.sent.forgetBefore(now - WINDOW);
		this.sent.add(now);
		if (this.limit === Infinity || now - this.changedAt < WINDOW) return;
		if (now - this.changedAt > MEMORY) this.limit = Infinity;
		else if (this.reachedAt >= this.changedAt) this.grow(now);
	}

	noteRefused({ sentAt, inARow, isUnexplained }: Refusal, now: number): void {
		this.sent.remove(sentAt);
		this.sent.forgetBefore(now - WINDOW);
		if (isUnexplained) this.unexplained.add(now);
		this.unexplained.forgetBefore(now - WINDOW);
		const isNews = this.limit === Infinity ? this.isCertain(inARow) : inARow === 1;
		// Requests that left before the limit changed tell nothing about the new one.
		if (!isNews || sentAt < this.changedAt || this.sent.length === 0) return;
		this.ceiling = Math.min(this.limit, this.sent.length);
		this.limit = Math.max(1, this.ceiling * DECREASE);
		this.increase = INCREASE;
		this.changedAt = now;
	}

	private isCertain(inARow: number): boolean {
		const { length } = this.unexplained;
		const isFrequent = length >= CERTAIN.inAWindow && length > this.sent.length * CERTAIN.share;
		return inARow >= CERTAIN.inARow || isFrequent;
	}

	private grow(now: number): void {
		const wasBelow = this.limit < this.ceiling;
		const grown = this.limit + Math.max(1, this.limit * this.increase);
		this.limit = wasBelow ? Math.min(grown, this.ceiling) : grown;
		// Beyond what was refused last, the service may have far more room than before.
		this.increase = wasBelow && this.limit === this.ceiling ? INCREASE : this.increase * 2;
		this.changedAt = now;
	}
}
