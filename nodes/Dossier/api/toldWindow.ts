/** What the service last said of its tighter window. */
export interface ToldWindow {
	remaining: number;
	/** When the window ends, by this machine's clock; unknown if the service does not say. */
	resetAt?: number;
	/** The limit of the window, which tells the minute's from the hour's. */
	limit?: number;
}

/** Answers of one window give the same end, but for the second that headers are rounded to; in ms. */
const SAME_WINDOW = 2_000;

/** Answers come in any order: within a window the lowest count and the earliest end are nearest to the truth. */
export function mergeTold(told: ToldWindow | undefined, next: ToldWindow): ToldWindow {
	if (told?.resetAt === undefined || next.resetAt === undefined) return next;
	if (Math.abs(told.resetAt - next.resetAt) > SAME_WINDOW) {
		return next.resetAt > told.resetAt ? next : told;
	}
	return {
		...next,
		remaining: Math.min(told.remaining, next.remaining),
		resetAt: Math.min(told.resetAt, next.resetAt),
	};
}
