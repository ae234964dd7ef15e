/** What the service last said about its tighter window. */
export interface ReportedWindow {
	remaining: number;
	/** When the window ends, by this machine's clock; unknown if the service does not say. */
	resetAt?: number;
	/** The limit of the window, which shows whether it is the minute's or the hour's. */
	limit?: number;
}

/** How far the ends of one window may differ between answers, in ms: headers are rounded to seconds. */
const SAME_WINDOW = 2_000;

/** Merges two reports. Answers come in any order, so within one window the lowest count and the earliest end hold. */
export function mergeReports(
	last: ReportedWindow | undefined,
	next: ReportedWindow,
): ReportedWindow {
	if (last?.resetAt === undefined || next.resetAt === undefined) return next;
	if (Math.abs(last.resetAt - next.resetAt) > SAME_WINDOW) {
		return next.resetAt > last.resetAt ? next : last;
	}
	return {
		...next,
		remaining: Math.min(last.remaining, next.remaining),
		resetAt: Math.min(last.resetAt, next.resetAt),
	};
}
