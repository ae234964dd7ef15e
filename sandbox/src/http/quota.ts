import { ServiceError } from '../contract/service-error.ts';
import type { Quota } from '../requests/limits.ts';
import type { Headers } from '../operations/call.ts';

/** What an answer says about the rate limit. */
export function formatQuota({ limit, remaining, resetAt }: Quota): Headers {
	return {
		'X-RateLimit-Remaining': remaining,
		'X-RateLimit-Limit': limit,
		'X-RateLimit-Reset': Math.ceil(resetAt / 1000),
	};
}

/** Throws 429 `RATE_LIMIT_EXCEEDED` for a request that was not admitted. */
export function assertQuota({ refusedFor, limit }: Quota): void {
	if (refusedFor === undefined) return;
	const seconds = Math.max(1, Math.ceil(refusedFor / 1000));
	throw new ServiceError(
		'RATE_LIMIT_EXCEEDED',
		`The rate limit of ${limit} requests is used up. Try again in ${seconds} second(s).`,
		[],
		seconds,
	);
}
