import type { Endpoint } from './endpoints';
import { isProblem } from './problem';
import type { Problem } from './problem';

/** How often a call is sent at most, unless the rate limit is what holds it up. */
const TRIES = 4;

const PASSING = [500, 502, 503, 504];

/**
 * Connections that never opened, or that were closed while the request was still being written, as a kept one may be
 * at the moment it is used again (EPIPE): the service cannot have seen the whole request.
 */
const NEVER_ARRIVED = [
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EPIPE',
];

/** Failures of this side, which trying again does not mend. */
const OURS = ['CANCELLED', 'FILE_GONE', 'STORAGE_FULL'];

/** What came of one try: an answer with its status, or a connection that broke. */
export type Outcome = { statusCode: number } | Problem;

/**
 * Whether a call may be sent once more. What could be done twice is never repeated: POST and PATCH only where the
 * request cannot have reached the service, or where it carries a key by which the service knows it again.
 * 429 is not decided here: it always is repeated, after its wait.
 */
export function mayRetry(
	{ method }: Endpoint,
	outcome: Outcome,
	attempt: number,
	recognised: boolean,
): boolean {
	if (attempt >= TRIES) return false;
	const repeatable = recognised || ['GET', 'PUT', 'DELETE'].includes(method);
	if (!isProblem(outcome)) return repeatable && PASSING.includes(outcome.statusCode);
	const network = isProblem(outcome, 'CONNECTION_FAILED') ? outcome.facts.networkCode : undefined;
	if (network && NEVER_ARRIVED.includes(network)) return true;
	return repeatable && !OURS.includes(outcome.code);
}
