import type { IDataObject } from 'n8n-workflow';
import type { Dialect } from '../../dialect/schema';

type RateLimit = Dialect['rateLimit'];

/** What an answer says about the rate limit. Times are in ms from now. */
export interface RateReport {
	/** How many more requests fit into the window. */
	remaining?: number;
	/** How many requests the window holds, which tells the minute's window from the hour's. */
	limit?: number;
	/** How long until the window ends; `undefined` also if no window can be so long. */
	resetIn?: number;
	/** How long the service asks to wait, at most as long as the longest window. */
	retryAfter?: number;
}

/** The longest window of the service, in ms. No header makes anybody wait longer. */
const LONGEST_WINDOW = 3_600_000;

/** Larger numbers are seconds, and milliseconds, since 1970; smaller ones are times from now. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e12;

/** How long a window may seem to be over, in ms, because headers are rounded to whole seconds. */
const ROUNDING = 2_000;

const parseNumber = (value: unknown) =>
	/^\s*\d+(\.\d+)?\s*$/.test(String(value)) ? Number(value) : undefined;

/** A date of HTTP in ms since 1970; NaN for any other text, even if Date.parse accepts it. */
const parseDate = (value: unknown) =>
	typeof value === 'string' && /[a-z].*\d{4}/i.test(value) ? Date.parse(value) : NaN;

/**
 * Reads the headers about the rate limit of one service. `Retry-After` is in seconds or a date (RFC 9110).
 * Both times may also be seconds or milliseconds since 1970, and `X-RateLimit-Reset` seconds or milliseconds from now.
 */
export class RateHeaderReader {
	/** Whether the service has sent a time from now that would be longer than any window if it were in seconds. */
	private countsMilliseconds = false;
	/** How far the service's clock is ahead, in ms. Its `Date` has whole seconds, so the largest difference is the best. */
	private ahead = -Infinity;

	/** @param rateLimit the names in the dialect */
	read(rateLimit: RateLimit, headers: IDataObject, now: number): RateReport {
		const find = (name: string | undefined, usual: string) => headers[name?.toLowerCase() ?? usual];
		const serviceNow = now + this.readAhead(headers, now);
		const wait = this.readMoment(find(rateLimit?.retryAfter, 'retry-after'), serviceNow, false);
		const resetIn = this.readMoment(find(rateLimit?.reset, 'x-ratelimit-reset'), serviceNow, true);
		const isPossible = resetIn >= -ROUNDING && resetIn <= LONGEST_WINDOW + ROUNDING;
		return {
			remaining: parseNumber(headers['x-ratelimit-remaining']),
			limit: parseNumber(find(rateLimit?.limit, 'x-ratelimit-limit')),
			resetIn: isPossible ? Math.max(0, resetIn) : undefined,
			retryAfter: Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST_WINDOW),
		};
	}

	/** How far away a time is, in ms; NaN if it is unreadable. The size of a number tells its unit. */
	private readMoment(value: unknown, serviceNow: number, isReset: boolean): number {
		const time = parseNumber(value);
		if (time === undefined) return parseDate(value) - serviceNow;
		if (time >= LEAST_EPOCH_MS) return time - serviceNow;
		if (time >= LEAST_EPOCH_SECONDS) return time * 1000 - serviceNow;
		if (isReset && time * 1000 > LONGEST_WINDOW + ROUNDING) this.countsMilliseconds = true;
		return isReset && this.countsMilliseconds ? time : time * 1000;
	}

	private readAhead(headers: IDataObject, now: number): number {
		const ahead = parseDate(headers.date) - now;
		if (Number.isNaN(ahead)) return 0;
		const isSameClock = Math.abs(ahead - this.ahead) <= ROUNDING;
		this.ahead = isSameClock ? Math.max(ahead, this.ahead) : ahead;
		return this.ahead;
	}
}
