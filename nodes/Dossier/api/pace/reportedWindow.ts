import type { RateReport } from '../../dialect/headers';

/** After more good answers in a row that say that nothing remains, the number is not believed. */
const MOST_ZEROS = 3;

/** Headers tell the end of a window in whole seconds: two answers of one window may differ by so many ms. */
const RESET_ROUNDING = 1_000;

/** The window of a service by what it says: how many requests remain, and perhaps until when. */
export class ReportedWindow {
	/** What the last answer said. */
	private said?: { at: number; remaining: number; resetAt?: number };
	/** How many times in a row nothing was said to remain, and yet the next request was accepted, and nothing remained again. */
	private zeros = 0;
	/** Whether others use the limit, too: the service has refused a request although enough remained. */
	isShared = false;

	/** When it ends or has ended, if the service says so. */
	get resetAt(): number | undefined {
		return this.said?.resetAt;
	}

	/** How many requests remain by the last answer; `undefined` if the service does not say so, or the window is over. */
	findRemaining(now: number): number | undefined {
		const { remaining, resetAt = Infinity } = this.said ?? {};
		return resetAt > now ? remaining : undefined;
	}

	/**
	 * Learns from an answer.
	 *
	 * @returns whether it is the first one of a further window
	 */
	note(sentAt: number, isRefused: boolean, report: RateReport, now: number): boolean {
		if (isRefused && (this.findRemaining(now) ?? 0) >= 1) this.isShared = true;
		if (report.remaining === undefined) return false;
		const last = this.said;
		const resetAt = report.resetIn === undefined ? undefined : now + report.resetIn;
		const lastEnd = last?.resetAt ?? Infinity;
		const isNext = sentAt >= lastEnd || (resetAt ?? 0) > lastEnd + RESET_ROUNDING;
		// Requests overtake each other: of those under way together in one window, the lowest number holds.
		const most = last && sentAt < last.at && !isNext ? last.remaining : Infinity;
		const remaining = Math.min(most, Math.floor(report.remaining));
		if (remaining > 0 || isRefused) this.zeros = 0;
		else if (sentAt >= (last?.at ?? 0)) this.zeros++;
		this.said = this.zeros > MOST_ZEROS ? undefined : { at: now, remaining, resetAt };
		return isNext;
	}

	/** Forgets that nothing remained, because a request was accepted that was sent later. */
	noteAccepted(sentAt: number): void {
		if (this.said?.remaining === 0 && sentAt >= this.said.at) this.said = undefined;
	}
}
