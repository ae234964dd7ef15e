import type { Access } from './endpoints';
import { isProblem, Problem } from './problem';
import type { FieldProblem } from './problem';
import { isRecord, parseJson, toText } from './values';

/** The 422 details in both known shapes: a list of problems, or messages by field. */
function readDetails(details: unknown): FieldProblem[] {
	if (Array.isArray(details)) {
		return details.filter(isRecord).map((problem) => ({
			field: toText(problem.field) ?? '',
			message: toText(problem.message) ?? 'is not valid',
			code: toText(problem.code),
		}));
	}
	if (!isRecord(details)) return [];
	return Object.entries(details).flatMap(([field, messages]) =>
		(Array.isArray(messages) ? messages : [messages]).map((message) => ({
			field,
			message: String(message),
		})),
	);
}

/**
 * Turns an answer with an error status into a problem. The error object of the service is read if there is one; a
 * proxy's page or an empty body has only its status.
 */
export function mapRefusal(
	status: number,
	body: string,
	requestId: string | undefined,
	access: Access,
): Problem<'REFUSED'> {
	const parsed = parseJson(body);
	const outer = isRecord(parsed) ? parsed : {};
	const error = isRecord(outer.error) ? outer.error : {};
	return new Problem('REFUSED', {
		status,
		code: toText(error.code),
		message: toText(error.message)?.replace(/[.\s]+$/, ''),
		details: readDetails(error.details ?? outer.details),
		requestId: toText(error.request_id) ?? requestId,
		access,
	});
}

/** Where n8n 1 puts the code of a connection that never opened or broke, or the status of an answer that broke off. */
function readHttpCode(httpCode: unknown): string | undefined {
	const code = toText(httpCode);
	return code && /^\d+$/.test(code) ? 'ERR_BAD_RESPONSE' : code;
}

/** How deep the causes of an error are looked through. */
const DEEPEST_CAUSE = 4;

/** The code of a broken connection, wherever the layers below have put it. */
function findNetworkCode(error: unknown, depth = 0): string | undefined {
	if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return undefined;
	const cause = 'cause' in error ? findNetworkCode(error.cause, depth + 1) : undefined;
	const own = 'code' in error ? toText(error.code) : undefined;
	return cause ?? own ?? ('httpCode' in error ? readHttpCode(error.httpCode) : undefined);
}

/** A problem wherever the layers below have put it: a file that is gone while it is sent, say. */
function findProblem(error: unknown, depth = 0): Problem | undefined {
	if (isProblem(error)) return error;
	if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return undefined;
	return findProblem(error.cause, depth + 1);
}

/** Codes of a connection that broke when the service may have had the whole request. */
const BROKEN_OFF = [
	'ECONNRESET',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ETIMEDOUT',
	'ECONNABORTED',
	'ERR_BAD_RESPONSE',
];

/**
 * Turns the error of a connection that broke or never opened into a problem.
 *
 * @param host host name with its port
 * @param method of the request, which decides whether the service may have done its work all the same
 */
export function mapConnectionError(error: unknown, host: string, method: string): Problem {
	const known = findProblem(error);
	if (known) return known;
	const networkCode = findNetworkCode(error);
	if (networkCode === 'ERR_CANCELED') return new Problem('CANCELLED', {});
	if (networkCode === 'ENOSPC') return new Problem('STORAGE_FULL', {});
	const isBroken = networkCode !== undefined && BROKEN_OFF.includes(networkCode);
	return new Problem('CONNECTION_FAILED', {
		host,
		networkCode,
		reason: error instanceof Error ? error.message : undefined,
		mayBeDone: isBroken && ['POST', 'PATCH'].includes(method),
	});
}
