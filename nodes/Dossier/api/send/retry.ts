import { backoff } from '../clock';
import type { Endpoint } from '../endpoints';
import { isProblem, Problem } from '../../problems/problem';

/** The requests that are retried, in the terms of undici's RetryHandler. */
export const RETRY = {
	/** How often a call is repeated. Repetitions after 429 do not count: the longest wait limits them. */
	maxRetries: 3,
	/** Idempotent methods. */
	methods: ['GET', 'PUT', 'DELETE'],
	/** The statuses of a service that may be overloaded. */
	statusCodes: [500, 502, 503, 504],
	errorCodes: {
		/** The connection never opened. */
		unopened: ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
		/** The connection broke after it was opened. The last code is of axios: the answer ends in the middle. */
		broken: ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'],
		/** The service was silent for too long. */
		silent: ['ECONNABORTED', 'ETIMEDOUT'],
	},
};

/** The statuses of a service that has not begun the work: it does not have the operation, or is not available. */
const NOT_BEGUN = [501, 503];

/** The result of one attempt: an answer, or a failed connection. */
type AttemptResult = { statusCode: number } | Problem;

/** How far a failed connection came, if sending the request again may help; `undefined` for every other result. */
function findFailure(result: AttemptResult) {
	if (!isProblem(result, 'CONNECTION_FAILED')) return undefined;
	const { networkCode = '', isCutShort } = result.facts;
	const { unopened, broken, silent } = RETRY.errorCodes;
	if (unopened.includes(networkCode) || isCutShort) return 'unsent';
	return broken.includes(networkCode) || silent.includes(networkCode) ? 'unanswered' : undefined;
}

/** Whether a second request of this method may do the work a second time. */
export const isWriting = ({ method }: { method: string }) => ['POST', 'PATCH'].includes(method);

/** The code of Node.js for an answer that is not HTTP begins with it. */
const NOT_HTTP = 'HPE_';

/** Whether the service may have done what it was asked for, although the call failed. */
export function mayBeDone(result: AttemptResult): boolean {
	if (isProblem(result, 'CONNECTION_FAILED') && result.facts.networkCode?.startsWith(NOT_HTTP)) {
		return true;
	}
	if (result instanceof Problem) return findFailure(result) === 'unanswered';
	return result.statusCode >= 500 && !NOT_BEGUN.includes(result.statusCode);
}

/** What a repetition depends on besides the result of the attempt. Times are in ms. */
interface Circumstances {
	method: Endpoint['method'];
	/** Whether the call has a key by which the service recognizes it when it comes again. */
	hasIdempotencyKey: boolean;
	/** How often the call was repeated already. */
	retries: number;
	/** How long the answer asks to wait. */
	retryAfter: number;
	/** How long the call may still wait. */
	longestWait: number;
	budget: RetryBudget;
}

/**
 * Decides whether a call is sent again.
 *
 * @returns how long to wait before, in ms, and what it costs of the budget; `undefined` if this result is final
 */
export function planRetry(
	result: AttemptResult,
	{ method, hasIdempotencyKey, retries, retryAfter, longestWait, budget }: Circumstances,
): { wait: number; cost: number } | undefined {
	const failure = findFailure(result);
	const status = result instanceof Problem ? 0 : result.statusCode;
	// The service has not begun, and the pacer keeps all requests waiting until it accepts more: as often as it takes.
	if (status === 429) return { wait: 0, cost: 0 };
	// Another attempt would end like this one.
	if (!failure && !RETRY.statusCodes.includes(status)) return undefined;
	// The service may have done the work, and would do it a second time.
	const isSafe = failure === 'unsent' || hasIdempotencyKey || RETRY.methods.includes(method);
	if (!isSafe) return undefined;
	if (retries >= RETRY.maxRetries) return undefined;
	// The service is known to refuse for longer than the call may wait.
	if (retryAfter > longestWait) return undefined;
	// The failures of the run have used up its budget: this is an outage.
	const cost = budget.pay(failure !== undefined);
	if (cost === undefined) return undefined;
	return { wait: Math.max(retryAfter, backoff(retries + 1)), cost };
}

const CAPACITY = 500;
const RETRY_COST = 5;
/** A retry after a broken connection or a silent service costs more, because such attempts take long. */
const TIMEOUT_RETRY_COST = 10;
/** The amount that a call pays in if its first attempt is answered. */
const NO_RETRY_INCREMENT = 1;

/**
 * The amount that the calls of a run may spend on retries, like the retry quota of the AWS SDKs. An outage uses it up; then every
 * call reports its first error at once.
 */
export class RetryBudget {
	private available = CAPACITY;

	/** Pays for one retry; gives its cost, or `undefined` if the budget is used up. */
	pay(isBroken: boolean): number | undefined {
		const cost = isBroken ? TIMEOUT_RETRY_COST : RETRY_COST;
		if (cost > this.available) return undefined;
		this.available -= cost;
		return cost;
	}

	/** Pays in the cost of the last retry of a call that was answered. */
	refund(paid: number): void {
		this.available = Math.min(CAPACITY, this.available + (paid || NO_RETRY_INCREMENT));
	}
}
