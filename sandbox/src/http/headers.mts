import type { IncomingHttpHeaders } from 'node:http';
import type { Switches } from '../contract/switches.mts';
import type { Headers } from '../operations/call.mts';
import type { Quota } from '../requests/limits.mts';

/** The headers that the contract gives to every answer: the request's id, and the rate limit if one was counted. */
export function formatContractHeaders(requestId: string, quota: Quota | undefined): Headers {
	return {
		'X-Request-Id': requestId,
		...(quota && {
			'X-RateLimit-Remaining': quota.remaining,
			'X-RateLimit-Limit': quota.limit,
			'X-RateLimit-Reset': Math.ceil(quota.resetAt / 1000),
		}),
	};
}

/** The headers of an answer as the switches have them. `now`: milliseconds since 1970. */
export function applyHeaderSwitches(
	given: Headers,
	{ requestId, rateLimitHeaders }: Switches,
	now: number,
): Headers {
	const headers = { ...given };
	if (requestId !== 'header') delete headers['X-Request-Id'];
	if (rateLimitHeaders === 'all') return headers;
	delete headers['X-RateLimit-Limit'];
	delete headers['X-RateLimit-Reset'];
	if (rateLimitHeaders === 'none') delete headers['X-RateLimit-Remaining'];
	const { 'Retry-After': wait, ...rest } = headers;
	if (wait === undefined || rateLimitHeaders !== 'dated') return rest;
	return { ...rest, 'Retry-After': new Date(now + Number(wait) * 1000).toUTCString() };
}

/** Pages of this machine, such as a front end in development. */
const loopbackOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The headers by which a page of another origin may read an answer with all its headers (CORS). Without them, which is so for every origin that is neither
 * this machine's nor in `allowed`, the browser keeps the answer from the page. `*` allows every origin.
 */
export function formatCorsHeaders(
	{ origin }: IncomingHttpHeaders,
	allowed: string[],
	answer: Headers,
): Headers {
	if (origin === undefined) return {};
	if (!loopbackOrigin.test(origin) && !allowed.includes(origin) && !allowed.includes('*')) {
		return { Vary: 'Origin' };
	}
	return {
		'Access-Control-Allow-Origin': origin,
		'Access-Control-Expose-Headers': Object.keys(answer).join(', '),
		Vary: 'Origin',
	};
}

/** The headers that allow a page of another origin to send a request; nothing if a request is not a preflight of CORS. */
export function formatPreflightHeaders(given: IncomingHttpHeaders): Headers | undefined {
	const method = given['access-control-request-method'];
	if (given.origin === undefined || method === undefined) return undefined;
	const wanted = given['access-control-request-headers'];
	return {
		'Access-Control-Allow-Methods': method,
		...(wanted !== undefined && { 'Access-Control-Allow-Headers': wanted }),
		'Access-Control-Max-Age': 600,
	};
}
