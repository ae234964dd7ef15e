import type { RateReport } from '../../dialect/headers';

/** After more good answers in a row that say that nothing remains, the number is not believed. */
const MOST_ZEROS = 3;

/** Headers tell the end of a window in whole seconds: two answers of one window may differ by so many ms. */
const RESET_ROUNDING = 1_000;

/** How much each answer counts in the mean by which the remaining requests fall. */
const WEIGHT = 0.2;

/** The window of a service by what it says: how many requests remain, and perhaps until when. */
export class ReportedWindow {
	/** What the last answer said. */
	private said?: { at: number; remaining: number; resetAt?: number };
	/** How many good answers in a row have said that nothing remains. */
	private zeros = 0;
	/** By how much the remaining requests fall with each answer, in the mean: more than 1 if others send, too. */
	private fall = 1;

	/** When it ends or has ended, if the service says so. */
	get resetAt(): number | undefined {
		return this.said?.resetAt;
	}

	/** How many requests remain, less those under way; `undefined` if the service does not say so, or the window is over. */
	countLeft(now: number, inFlight: number): number | undefined {
		const { remaining, resetAt = Infinity } = this.said ?? {};
		return remaining === undefined || resetAt <= now ? undefined : remaining - inFlight;
	}

	/** As many, less the share that others are going to use. */
	countShare(now: number, inFlight: number): number | undefined {
		const left = this.countLeft(now, inFlight);
		if (left === undefined || inFlight === 0) return left;
		return (left + inFlight) / Math.max(1, this.fall) - inFlight;
	}

	/**
	 * Learns from an answer.
	 *
	 * @returns whether it is the first one of a further window
	 */
	note(sentAt: number, isRefused: boolean, report: RateReport, now: number): boolean {
		if (report.remaining === undefined) return false;
		const last = this.said;
		const resetAt = report.resetIn === undefined ? undefined : now + report.resetIn;
		const lastEnd = last?.resetAt ?? Infinity;
		const isNext = sentAt >= lastEnd || (resetAt ?? 0) > lastEnd + RESET_ROUNDING;
		// Requests overtake each other: of those under way together in one window, the lowest number holds.
		const most = last && sentAt < last.at && !isNext ? last.remaining : Infinity;
		const remaining = Math.min(most, Math.floor(report.remaining));
		if (last && !isNext && !isRefused) {
			const fall = Math.max(0, last.remaining - remaining);
			this.fall += WEIGHT * (fall - this.fall);
		}
		this.zeros = remaining === 0 && !isRefused ? this.zeros + 1 : 0;
		this.said = this.zeros > MOST_ZEROS ? undefined : { at: now, remaining, resetAt };
		return isNext;
	}

	/** Forgets that nothing remained, because a request was accepted that was sent later. */
	noteAccepted(sentAt: number): void {
		if (this.said?.remaining === 0 && sentAt >= this.said.at) this.said = undefined;
	}
}
