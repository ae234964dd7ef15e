/** Why a problem failed, in n8n's words: its polling waits by them (from n8n 2.40 on; n8n 1 does not read them). */
import type { Failure } from 'n8n-workflow';
import { inputProblems } from '../problems/input';
import { isProblem } from '../problems/problem';
import type { Problem, ProblemCode } from '../problems/problem';

/** Problems of an address or a setting, which stay until somebody changes it. */
const OF_SETTINGS: ProblemCode[] = [
	'ADDRESS_REFUSED',
	'NO_REGISTRATION_ENDPOINT',
	'REDIRECTED',
	'REQUEST_BLOCKED',
	'WEBHOOK_SECRET_EMPTY',
	'WEBHOOK_UNREACHABLE',
];

/** Statuses below 500 that may pass by themselves: time-out, conflict, locked, too early. */
const PASSING = [408, 409, 423, 425];

function describeWait(problem: Problem): { retryAfterMs?: number; resetsAtEpochMs?: number } {
	if (isProblem(problem, 'RATE_LIMIT_WAIT_TOO_LONG'))
		return { resetsAtEpochMs: Date.parse(problem.facts.until) };
	const { retryAfterMs } = isProblem(problem, 'REFUSED') ? problem.facts : {};
	return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/**
 * Declares why a problem failed, and how long to wait if the service says so.
 *
 * @param status the HTTP status; `null` if there was no answer
 * @returns `undefined` if nothing of this is known
 */
export function declareFailure(problem: Problem, status: number | null): Failure | undefined {
	const { code } = problem;
	if (code === 'UNEXPECTED') return { cause: 'node-defect' };
	if (code in inputProblems || OF_SETTINGS.includes(code))
		return { cause: 'configuration-invalid' };
	if (isProblem(problem, 'NOT_THE_SERVICE'))
		return {
			cause: problem.facts.unreadable ? 'temporarily-unavailable' : 'configuration-invalid',
		};
	if (code === 'CONNECTION_FAILED') return { cause: 'temporarily-unavailable' };
	if (status === null || status < 400) return undefined;
	if (status === 429) return { cause: 'rate-limited', ...describeWait(problem) };
	if (status >= 500 || PASSING.includes(status))
		return { cause: 'temporarily-unavailable', ...describeWait(problem) };
	return { cause: status === 401 ? 'credential-invalid' : 'configuration-invalid' };
}
