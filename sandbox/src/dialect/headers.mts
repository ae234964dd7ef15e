import type { Dialect, DialectPart } from './dialect.mts';

type RateHeaders = Record<string, string | number>;

/** The headers about the rate limit under the service's names and in its units. `now`: milliseconds since 1970. */
export function writeRateHeaders(
	given: RateHeaders,
	rateLimit: NonNullable<Dialect['rateLimit']>,
	now: number,
): RateHeaders {
	const {
		'X-RateLimit-Limit': limit,
		'X-RateLimit-Reset': reset,
		'Retry-After': wait,
		...headers
	} = given;
	const { resetUnit = 'epochSeconds', retryAfterUnit = 'seconds' } = rateLimit;
	if (limit !== undefined) headers[rateLimit.limit ?? 'X-RateLimit-Limit'] = limit;
	if (reset !== undefined) {
		const at = Number(reset) * 1000;
		headers[rateLimit.reset ?? 'X-RateLimit-Reset'] = writeMoment(at, resetUnit, now);
	}
	if (wait !== undefined) {
		const at = now + Number(wait) * 1000;
		headers[rateLimit.retryAfter ?? 'Retry-After'] = writeMoment(at, retryAfterUnit, now);
	}
	return headers;
}

/** A moment, in milliseconds since 1970, as a header has it. */
function writeMoment(
	at: number,
	unit: NonNullable<DialectPart<'rateLimit'>['resetUnit']>,
	now: number,
): string | number {
	switch (unit) {
		case 'seconds':
			return Math.ceil((at - now) / 1000);
		case 'milliseconds':
			return Math.ceil(at - now);
		case 'epochSeconds':
			return Math.ceil(at / 1000);
		case 'epochMilliseconds':
			return at;
		case 'date':
			return new Date(at).toUTCString();
	}
}
