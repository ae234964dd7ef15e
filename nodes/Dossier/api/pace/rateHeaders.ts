import type { IDataObject } from 'n8n-workflow';

/** What an answer says about the rate limit. Times are in ms from now. */
export interface RateReport {
	/** How many more requests fit into the window. */
	remaining?: number;
	/** How long until the window ends; `undefined` if that is unknown, or longer than any window. */
	resetIn?: number;
	/** How long the service asks to wait, at most as long as the longest window. */
	retryAfter?: number;
}

/** The longest window of the service, in ms. No header makes anybody wait longer. */
const LONGEST_WINDOW = 3_600_000;

/** Larger numbers are seconds, and milliseconds, since 1970; smaller ones are seconds from now. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e12;

/** The largest error of the end of a window, in ms: its header and `Date` both have whole seconds. */
export const ROUNDING = 2_000;

/** The header with the end of the window: as chosen, or as other services write it. */
const RESET = /^(x-)?rate-?limit-reset(-after)?$/;

const parseNumber = (value: unknown) =>
	/^\s*\d+(\.\d+)?\s*$/.test(String(value)) ? Number(value) : undefined;

/** A date of HTTP in ms since 1970; NaN for any other text, even if Date.parse accepts it. */
const parseDate = (value: unknown) =>
	typeof value === 'string' && /[a-z].*\d{4}/i.test(value) ? Date.parse(value) : NaN;

/** How long until a time, in ms; NaN if it is unreadable. The size of a number tells its unit. */
function readMoment(value: unknown, now: number): number {
	const time = parseNumber(value);
	if (time === undefined) return parseDate(value) - now;
	if (time >= LEAST_EPOCH_MS) return time - now;
	return time >= LEAST_EPOCH_SECONDS ? time * 1000 - now : time * 1000;
}

/**
 * Reads the headers about the rate limit. Times are seconds from now, seconds or milliseconds since 1970, or a date
 * (RFC 9110).
 *
 * @param now by the clock of this machine, in ms since 1970, for an answer without `Date`
 */
export function readRateHeaders(headers: IDataObject, now: number): RateReport {
	const date = parseDate(headers.date);
	// Headers count from when the answer was sent, by the clock of the service.
	const serviceNow = Number.isNaN(date) ? now : date;
	const wait = readMoment(headers['retry-after'], serviceNow);
	const end = Object.keys(headers).find((name) => RESET.test(name)) ?? '';
	const resetIn = readMoment(headers[end], serviceNow);
	const isPossible = resetIn >= -ROUNDING && resetIn <= LONGEST_WINDOW + ROUNDING;
	return {
		remaining: parseNumber(headers['x-ratelimit-remaining']),
		resetIn: isPossible ? Math.max(0, resetIn) : undefined,
		retryAfter: Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST_WINDOW),
	};
}
