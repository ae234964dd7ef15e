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

/** Epochs of our time in seconds and in milliseconds lie above these; a time from now lies below. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e12;

/** Headers are rounded to whole seconds, so a window that ends now may seem to be over, in ms. */
const ROUNDING = 2_000;

function parseNumber(value: unknown): number | undefined {
	const text = toText(value)?.trim();
	return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** A date of HTTP in ms; NaN for other text, of which Date.parse would make a date too. */
const parseDate = (value: unknown) => {
	const text = toText(value) ?? '';
	return /[a-z].*\d{4}/i.test(text) ? Date.parse(text) : NaN;
};

/** The service's clock by its answer, which need not be this machine's; in ms. */
function readServiceTime(headers: IDataObject, now: number): number {
	const date = parseDate(headers.date);
	return Number.isNaN(date) ? now : date;
}

/** How far away a moment is that an epoch names, in ms; `undefined` if the number is not an epoch. */
function readEpoch(value: number, headers: IDataObject, now: number): number | undefined {
	if (value < LEAST_EPOCH_SECONDS) return undefined;
	return (value < LEAST_EPOCH_MS ? value * 1000 : value) - readServiceTime(headers, now);
}

/**
 * Reads the headers about the rate limit of one service. `X-RateLimit-Reset` comes as epoch seconds, as epoch
 * milliseconds, as seconds or as milliseconds from now: the unit is the one that makes the value plausible.
 */
export class RateHeaders {
	/** Whether the service gave a time from now that is too long for seconds. */
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

	/** A reset that no window can have is not believed. */
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
