import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from './endpoints';
import { isProblem, Problem } from './problem';

/** What is retried, in the terms of undici's RetryHandler. */
export const RETRY = {
	/** How often a call is sent again. 429 does not count: the longest wait bounds it. */
	maxRetries: 3,
	/** The longest first pause, in ms; each further one is longer by the factor, up to the longest. */
	minTimeout: 1_000,
	timeoutFactor: 2,
	maxTimeout: 30_000,
	/** Methods that do the same when they are done twice. */
	methods: ['GET', 'PUT', 'DELETE'],
	statusCodes: [500, 502, 503, 504],
	/** Connections that broke when the service may have had the whole request, or that were silent for too long. */
	errorCodes: [
		'ECONNRESET',
		'ECONNABORTED',
		'ETIMEDOUT',
		'ERR_STREAM_PREMATURE_CLOSE',
		// axios: the answer ends in the middle.
		'ERR_BAD_RESPONSE',
	],
	/**
	 * Connections that never opened, or that the service closed while the request was still being written, as a kept one
	 * may be at the moment it is used again (EPIPE): the service cannot have seen the whole request.
	 */
	unsentErrorCodes: [
		'ECONNREFUSED',
		'ENOTFOUND',
		'EAI_AGAIN',
		'EHOSTUNREACH',
		'ENETUNREACH',
		'EPIPE',
	],
};

/** The status of a service that has not begun the work: it is unavailable. */
const UNAVAILABLE = 503;

/** What came of one try: an answer, or a connection that broke. */
type TryResult = { statusCode: number; headers: IDataObject } | Problem;

const readNetworkCode = (problem: Problem) =>
	(isProblem(problem, 'CONNECTION_FAILED') && problem.facts.networkCode) || '';

/**
 * Whether a call may be sent again, if tries and budget allow. What could be done twice is not: POST and PATCH are sent
 * again only if the request cannot have reached the service, or if it carries a key by which the service recognises it
 * . 429 is not decided here: it is always sent again, after its wait.
 */
export function isRetryable(
	{ method }: Endpoint,
	result: TryResult,
	isRecognised: boolean,
): boolean {
	const isRepeatable = isRecognised || RETRY.methods.includes(method);
	if (!(result instanceof Problem)) {
		return isRepeatable && RETRY.statusCodes.includes(result.statusCode);
	}
	const code = readNetworkCode(result);
	if (RETRY.unsentErrorCodes.includes(code)) return true;
	return isRepeatable && RETRY.errorCodes.includes(code);
}

/** Whether the service may have done what it was asked for, although the call failed. */
export function mayBeDone(result: TryResult): boolean {
	if (result instanceof Problem) return RETRY.errorCodes.includes(readNetworkCode(result));
	return RETRY.statusCodes.includes(result.statusCode) && result.statusCode !== UNAVAILABLE;
}

/** Whether the service may have more to do than it bears. */
export function isOverload(result: TryResult): boolean {
	if (result instanceof Problem) return true;
	return result.statusCode === 429 || RETRY.statusCodes.includes(result.statusCode);
}

/** Exponential back-off with full jitter, in ms; `attempt` counts from 1. */
export function backoff(attempt: number, longest = RETRY.maxTimeout): number {
	const { minTimeout, timeoutFactor } = RETRY;
	return Math.random() * Math.min(longest, minTimeout * timeoutFactor ** (attempt - 1));
}
