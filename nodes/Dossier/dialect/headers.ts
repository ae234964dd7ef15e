import type { IDataObject } from 'n8n-workflow';
import type { Value } from './paths';
import type { Dialect } from './schema';

type RateLimit = Dialect['rateLimit'];
type Unit = NonNullable<RateLimit>['resetUnit'];

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

/** The unit of a time that no dialect names. The size of the number tells it. */
function guessUnit(value: number): Unit {
	if (value >= LEAST_EPOCH_MS) return 'epochMilliseconds';
	return value >= LEAST_EPOCH_SECONDS ? 'epochSeconds' : 'seconds';
}

/** How far away a time is, in ms, by the service's clock; NaN if it is unreadable. */
function readMoment(value: unknown, unit: Unit, serviceNow: number): number {
	const time = parseNumber(value);
	if (time === undefined || unit === 'date') {
		return unit === undefined || unit === 'date' ? parseDate(value) - serviceNow : NaN;
	}
	const ms = unit?.toLowerCase().endsWith('milliseconds') ? time : time * 1000;
	return unit?.startsWith('epoch') ? ms - serviceNow : ms;
}

/**
 * Reads the headers about the rate limit of one service. `Retry-After` is in seconds or a date (RFC 9110), and for
 * some services a time since 1970. `X-RateLimit-Reset` is in seconds or milliseconds, since 1970 or from now.
 */
export class RateHeaderReader {
	/** Whether the service has sent a time from now that would be longer than any window if it were in seconds. */
	private countsMilliseconds = false;
	/** How far the service's clock is ahead, in ms. Its `Date` has whole seconds, so the largest difference is the best. */
	private ahead = -Infinity;

	/** @param rateLimit the names and units in the dialect */
	read(rateLimit: RateLimit, headers: IDataObject, now: number): RateReport {
		const find = (name: string | undefined, usual: string) => headers[name?.toLowerCase() ?? usual];
		const serviceNow = now + this.readAhead(headers, now);
		const asked = find(rateLimit?.retryAfter, 'retry-after');
		const wait = readMoment(
			asked,
			rateLimit?.retryAfterUnit ?? this.unit(asked, false),
			serviceNow,
		);
		const end = find(rateLimit?.reset, 'x-ratelimit-reset');
		const resetIn = readMoment(end, rateLimit?.resetUnit ?? this.unit(end, true), serviceNow);
		const isPossible = resetIn >= -ROUNDING && resetIn <= LONGEST_WINDOW + ROUNDING;
		return {
			remaining: parseNumber(headers['x-ratelimit-remaining']),
			limit: parseNumber(find(rateLimit?.limit, 'x-ratelimit-limit')),
			resetIn: isPossible ? Math.max(0, resetIn) : undefined,
			retryAfter: Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST_WINDOW),
		};
	}

	private readAhead(headers: IDataObject, now: number): number {
		const ahead = parseDate(headers.date) - now;
		if (Number.isNaN(ahead)) return 0;
		const isSameClock = Math.abs(ahead - this.ahead) <= ROUNDING;
		this.ahead = isSameClock ? Math.max(ahead, this.ahead) : ahead;
		return this.ahead;
	}

	private unit(value: unknown, isReset: boolean): Unit {
		const time = parseNumber(value);
		if (time === undefined) return undefined;
		const unit = guessUnit(time);
		if (!isReset || unit !== 'seconds') return unit;
		if (time * 1000 > LONGEST_WINDOW + ROUNDING) this.countsMilliseconds = true;
		return this.countsMilliseconds ? 'milliseconds' : unit;
	}
}

/** The headers that name the tenant and the business unit of a customer. */
export function writeWorkspaceHeaders(
	{ workspace }: Dialect,
	{ tenantId, businessUnitId }: { tenantId?: Value; businessUnitId?: Value },
): IDataObject {
	return {
		[workspace?.tenantHeader ?? 'X-Tenant-ID']: tenantId,
		[workspace?.businessUnitHeader ?? 'X-Business-Unit-ID']: businessUnitId,
	};
}
