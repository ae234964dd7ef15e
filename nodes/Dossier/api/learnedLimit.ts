import { SendLog } from './sendLog';

/** The shortest window that the service publishes, in ms. Its limit is learned from refusals. */
const WINDOW = 60_000;

/** The factor by which a refusal lowers the limit. */
const DECREASE = 0.9;

/** By how much the limit grows at first after a window without a refusal; each further such window doubles it. */
const INCREASE = 0.02;

/**
 * How many refusals teach a first limit: so many in a row, or so many in a window that are at least this share of its
 * requests and do not say how long to wait. Fewer refusals may have another cause.
 */
const CERTAIN = { inARow: 3, inAWindow: 5, share: 0.1 };

/** After this time without a refusal, in ms, the limit is forgotten: others may have used up the service's limit then. */
const MEMORY = 3_600_000;

/** A request that the service refused. */
interface Refusal {
	sentAt: number;
	/** How many refusals followed the last accepted request; requests that were sent at once count as one. */
	inARow: number;
	/** Whether its answer does not say how long to wait; false if a request that was sent at the same time counted already. */
	isUnexplained: boolean;
}

/**
 * Learns from refusals how many requests a minute the service accepts, if it does not say so. Each refusal decreases the
 * limit by a factor, and each minute without a refusal increases it. No span of a minute has more requests than the
 * limit, so it holds for sliding and for fixed windows.
 */
export class LearnedLimit {
	private limit = Infinity;
	/** The last limit that was refused. The limit grows in small steps up to it. */
	private ceiling = Infinity;
	private increase = INCREASE;
	private changedAt = 0;
	/** When a request last had to wait for the limit. */
	private reachedAt = -Infinity;
	private readonly sent = new SendLog();
	private readonly unexplained = new SendLog();

	/**
	 * How long until one more request fits, in ms. While requests have to wait for the limit, they are sent at equal
	 * intervals: a refused one then waits for one interval, not for a whole window.
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
		// The answer to a request that was sent before the limit changed says nothing about the new limit.
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
		// If the limit passes the last refused one, the service may accept far more than before.
		this.increase = wasBelow && this.limit === this.ceiling ? INCREASE : this.increase * 2;
		this.changedAt = now;
	}
}
