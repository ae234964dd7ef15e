import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from './endpoints';
import { isProblem, Problem } from './problem';

/** What is retried, in the terms of undici's RetryHandler. */
export const RETRY = {
	/** How often a call is repeated. Repetitions after 429 do not count: the longest wait limits them. */
	maxRetries: 3,
	/** The upper bound of the first pause, in ms. The factor raises it for each further pause, up to `maxTimeout`. */
	minTimeout: 1_000,
	timeoutFactor: 2,
	maxTimeout: 30_000,
	/** Idempotent methods. */
	methods: ['GET', 'PUT', 'DELETE'],
	statusCodes: [500, 502, 503, 504],
	/** Connections that broke, or were silent for too long, when the service may have had the whole request. */
	errorCodes: [
		'ECONNRESET',
		'ECONNABORTED',
		'ETIMEDOUT',
		'ERR_STREAM_PREMATURE_CLOSE',
		// axios: the answer ends in the middle.
		'ERR_BAD_RESPONSE',
	],
	/**
	 * Connections that never opened, or that the service closed while the request was being written, as it may close a
	 * reused connection (EPIPE). The service cannot have the whole request.
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

/** The status of a service that has not begun the work. */
const UNAVAILABLE = 503;

/** The result of one attempt: an answer, or a failed connection. */
type AttemptResult = { statusCode: number; headers: IDataObject } | Problem;

const readNetworkCode = (problem: Problem) =>
	(isProblem(problem, 'CONNECTION_FAILED') && problem.facts.networkCode) || '';

/**
 * Whether it is safe to repeat a call. POST and PATCH, which could do their work twice, are repeated only if the service
 * cannot have the whole request, or if it recognises the request by an idempotency key. 429 is not decided here:
 * a call is always repeated after it.
 */
export function isRetryable(
	{ method }: Endpoint,
	result: AttemptResult,
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
export function mayBeDone(result: AttemptResult): boolean {
	if (result instanceof Problem) return RETRY.errorCodes.includes(readNetworkCode(result));
	return RETRY.statusCodes.includes(result.statusCode) && result.statusCode !== UNAVAILABLE;
}

/** Whether the service may have more to do than it bears. */
export function isOverload(result: AttemptResult): boolean {
	if (result instanceof Problem) return true;
	return result.statusCode === 429 || RETRY.statusCodes.includes(result.statusCode);
}

/** Exponential back-off with full jitter, in ms; `attempt` counts from 1. */
export function backoff(attempt: number, longest = RETRY.maxTimeout): number {
	const { minTimeout, timeoutFactor } = RETRY;
	return Math.random() * Math.min(longest, minTimeout * timeoutFactor ** (attempt - 1));
}
