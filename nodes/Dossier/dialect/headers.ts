import type { IDataObject } from 'n8n-workflow';
import type { Dialect } from './schema';

type Value = IDataObject[string];
type Unit = NonNullable<NonNullable<Dialect['rateLimit']>['resetUnit']>;

/** A time in the unit that this package reads without doubt: seconds from now or since 1970, or a date. */
function toSeconds(value: Value, unit: Unit | undefined): Value {
	const isMilliseconds = unit === 'milliseconds' || unit === 'epochMilliseconds';
	return isMilliseconds && Number.isFinite(Number(value)) ? String(Number(value) / 1000) : value;
}

/** The headers of an answer with those about the rate limit under this package's names and units. */
export function readRateLimitHeaders({ rateLimit }: Dialect, headers: IDataObject): IDataObject {
	if (!rateLimit) return headers;
	const { limit, reset, resetUnit, retryAfter, retryAfterUnit } = rateLimit;
	const find = (name: string | undefined, usual: string) => headers[name?.toLowerCase() ?? usual];
	const ends = toSeconds(find(reset, 'x-ratelimit-reset'), resetUnit);
	const isDate = resetUnit === 'date' && typeof ends === 'string';
	const read: IDataObject = {
		'x-ratelimit-limit': find(limit, 'x-ratelimit-limit'),
		'x-ratelimit-reset': isDate ? String(Date.parse(ends) / 1000) : ends,
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
