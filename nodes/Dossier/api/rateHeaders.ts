import type { IDataObject } from 'n8n-workflow';
import { HOUR } from './limits';
import { toText } from './values';

/** What an answer says about the rate limit. */
interface RateReport {
	/** How many more requests fit into the window. */
	remaining?: number;
	/** How many requests the window holds, which tells the minute's window from the hour's. */
	limit?: number;
	/** How long until the window ends, in ms. */
	resetIn?: number;
}

/** Larger numbers are seconds, and milliseconds, since 1970; smaller ones are times from now. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e12;

/** How long a window may seem to be over, in ms, because headers are rounded to whole seconds. */
const ROUNDING = 2_000;

function parseNumber(value: unknown): number | undefined {
	const text = toText(value)?.trim();
	return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** A date of HTTP in ms since 1970; NaN for any other text, even if Date.parse accepts it. */
const parseDate = (value: unknown) => {
	const text = toText(value) ?? '';
	return /[a-z].*\d{4}/i.test(text) ? Date.parse(text) : NaN;
};

/** The time of the service's clock by its answer, else of this machine's; in ms since 1970. */
function readServiceTime(headers: IDataObject, now: number): number {
	const date = parseDate(headers.date);
	return Number.isNaN(date) ? now : date;
}

/** How far away a moment is, in ms, if the number is a time since 1970; otherwise `undefined`. */
function readEpoch(value: number, headers: IDataObject, now: number): number | undefined {
	if (value < LEAST_EPOCH_SECONDS) return undefined;
	return (value < LEAST_EPOCH_MS ? value * 1000 : value) - readServiceTime(headers, now);
}

/**
 * Reads the headers about the rate limit of one service. Services write `X-RateLimit-Reset` in seconds or milliseconds,
 * since 1970 or from now. If no dialect names the unit, the size of the number tells it.
 */
export class RateHeaders {
	/** Whether the service has sent a time from now that would be longer than any window if it were in seconds. */
	private countsMilliseconds = false;

	read(headers: IDataObject, now: number): RateReport {
		return {
			remaining: parseNumber(headers['x-ratelimit-remaining']),
			limit: parseNumber(headers['x-ratelimit-limit']),
			resetIn: this.readReset(headers, now),
		};
	}

	/**
	 * How long a refused request has to wait, in ms: `Retry-After`, else the end of the window; `undefined` if the answer
	 * has neither. Never longer than the longest window.
	 */
	readWait(headers: IDataObject, now: number): number | undefined {
		return readRetryAfter(headers, now) ?? this.readReset(headers, now);
	}

	/** How long until the window ends, in ms; `undefined` also if no window can be so long. */
	private readReset(headers: IDataObject, now: number): number | undefined {
		const value = parseNumber(headers['x-ratelimit-reset']);
		if (value === undefined) return undefined;
		const wait = readEpoch(value, headers, now) ?? this.readDuration(value);
		return wait < -ROUNDING || wait > HOUR + ROUNDING ? undefined : Math.max(0, wait);
	}

	private readDuration(value: number): number {
		if (value * 1000 > HOUR + ROUNDING) this.countsMilliseconds = true;
		return this.countsMilliseconds ? value : value * 1000;
	}
}

/**
 * `Retry-After` in ms, which is given in seconds or as a date (RFC 9110), and by some services as an epoch. Never
 * longer than the longest window; `undefined` if the header is absent or unreadable.
 */
export function readRetryAfter(headers: IDataObject, now: number): number | undefined {
	const value = parseNumber(headers['retry-after']);
	const wait =
		value === undefined
			? parseDate(headers['retry-after']) - readServiceTime(headers, now)
			: (readEpoch(value, headers, now) ?? value * 1000);
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), HOUR);
}
