import type { IDataObject } from 'n8n-workflow';
import type { Value } from './paths';
import type { Dialect } from './schema';

type Unit = NonNullable<NonNullable<Dialect['rateLimit']>['resetUnit']>;

/** Seconds of a time in milliseconds; a time in another unit as it is. */
function toSeconds(value: Value, unit: Unit | undefined): Value {
	const isMilliseconds = unit === 'milliseconds' || unit === 'epochMilliseconds';
	return isMilliseconds && Number.isFinite(Number(value)) ? String(Number(value) / 1000) : value;
}

const parseDate = (value: Value) => (typeof value === 'string' ? Date.parse(value) : NaN);

/**
 * The end of a window in seconds since 1970, by the service's clock; as it is if no unit is known. The size of a time
 * from now does not tell its unit, so it must not be left to a guess.
 */
function toEpoch(value: Value, unit: Unit | undefined, date: Value): Value {
	const time = toSeconds(value, unit);
	if (value === undefined || unit === undefined || unit.startsWith('epoch')) return time;
	if (unit === 'date') return String(parseDate(value) / 1000);
	const now = parseDate(date);
	return String((Number.isNaN(now) ? Date.now() : now) / 1000 + Number(time));
}

/** The headers of an answer with those about the rate limit under this package's names and units. */
export function readRateLimitHeaders({ rateLimit }: Dialect, headers: IDataObject): IDataObject {
	if (!rateLimit) return headers;
	const { limit, reset, resetUnit, retryAfter, retryAfterUnit } = rateLimit;
	const find = (name: string | undefined, usual: string) => headers[name?.toLowerCase() ?? usual];
	const read: IDataObject = {
		'x-ratelimit-limit': find(limit, 'x-ratelimit-limit'),
		'x-ratelimit-reset': toEpoch(find(reset, 'x-ratelimit-reset'), resetUnit, headers.date),
		'retry-after': toSeconds(find(retryAfter, 'retry-after'), retryAfterUnit),
	};
	const found = Object.entries(read).filter(([, value]) => value !== undefined);
	return { ...headers, ...Object.fromEntries(found) };
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
