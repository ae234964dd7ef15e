import type { Access } from './endpoints';
import { isRecord, parseJson, textOf } from './values';

/** One broken rule of a 422 answer (A-18). */
export interface FieldProblem {
	field: string;
	message: string;
	code?: string;
}

interface Failure {
	/** What happened, one sentence. */
	message: string;
	/** What to do about it, one or two sentences. */
	hint: string;
	/** HTTP status, where the service answered. */
	status?: number;
	/** The service's error code (upper snake case), or the code of a broken connection. */
	code?: string;
	details?: FieldProblem[];
	requestId?: string;
}

/** A call that did not succeed: the service refused it, could not be reached, or gave something else than an answer. */
export class ServiceError extends Error {
	readonly hint: string;
	readonly status?: number;
	readonly code?: string;
	readonly details: FieldProblem[];
	readonly requestId?: string;

	constructor(failure: Failure) {
		super(failure.message);
		this.name = 'ServiceError';
		this.hint = failure.hint;
		this.status = failure.status;
		this.code = failure.code;
		this.details = failure.details ?? [];
		this.requestId = failure.requestId;
	}
}

/** The 422 details in both known shapes: a list of problems, or messages by field (A-18). */
function readDetails(details: unknown): FieldProblem[] {
	if (Array.isArray(details)) {
		return details.filter(isRecord).map((problem) => ({
			field: textOf(problem.field) ?? '',
			message: textOf(problem.message) ?? 'is not valid',
			code: textOf(problem.code),
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

const HINTS: Record<number, string> = {
	400: 'Check the values of this operation: the service could not read them.',
	401: 'Check the API key in the credential: it may be mistyped, revoked, or belong to another environment.',
	403: 'The key is valid but may not do this. Check the organization ID in the credential, the permissions of the key, and that the plan is Business or higher.',
	404: 'It may have been deleted, or belong to another organization or environment. Choose one from the list to be sure.',
	409: 'Someone changed it at the same time. Run the operation again.',
	413: 'The file is larger than the service accepts.',
	422: 'Correct the values named above and run the operation again.',
	429: 'The rate limit of the plan is used up. Wait a while, or send fewer requests at a time.',
};

/** What differs where the caller has a token of a customer or an operator. */
const TOKEN_HINTS: Record<number, string> = {
	401: 'The token may be mistyped or expired. An API key (sk_…) belongs into the credential Dossier API.',
	403: 'The token is known but may not do this. Check Signed in As, the Tenant ID and the Business Unit ID in the credential.',
};

const CODE_HINTS: Record<string, string> = {
	PLAN_UPGRADE_REQUIRED:
		'API access needs the Business plan or higher, and the sandbox environment needs Enterprise.',
	ORGANIZATION_ACCESS_DENIED:
		'The API key belongs to another organization. Check the organization ID in the credential.',
	MISSING_ORGANIZATION_ID: 'Enter the organization ID in the credential.',
	INSUFFICIENT_SCOPE: 'Create an API key that has this permission, in the settings of the service.',
	INVALID_STATE_TRANSITION:
		'A dossier goes from open to in progress, pending, closed and archived; a closed one can be opened again.',
};

function hintFor(status: number, code: string | undefined, access: Access): string {
	const token = access === 'workspace' ? TOKEN_HINTS[status] : undefined;
	const hint = token ?? (code && CODE_HINTS[code]) ?? HINTS[status];
	if (hint) return hint;
	return status >= 500
		? 'This is a problem of the service. Try again later, and contact its support if it stays.'
		: 'Check the values of this operation.';
}

/**
 * Turns a refusal (status 300 and above) into an error. The error object of the service is read where there is one;
 * a proxy's page or an empty body gives a sentence all the same (A-20).
 */
export function refusal(
	status: number,
	body: string,
	requestId: string | undefined,
	access: Access,
): ServiceError {
	const parsed = parseJson(body);
	const outer = isRecord(parsed) ? parsed : {};
	const error = isRecord(outer.error) ? outer.error : {};
	const code = textOf(error.code);
	const details = readDetails(error.details ?? outer.details);
	const said = textOf(error.message)?.replace(/[.\s]+$/, '');
	const problems = details.map(({ field, message }) => (field ? `${field}: ${message}` : message));
	const message = said
		? `${said}${problems.length ? ` (${problems.join('; ')})` : ''}`
		: `The service answered with status ${status} and no explanation`;
	return new ServiceError({
		message,
		hint: hintFor(status, code, access),
		status,
		code,
		details,
		requestId: textOf(error.request_id) ?? requestId,
	});
}

const CONNECTION_SENTENCES: Record<string, string> = {
	ECONNREFUSED: 'Nothing answers at {host}',
	ENOTFOUND: 'There is no host named {host}',
	EAI_AGAIN: 'The name {host} could not be looked up',
	ECONNRESET: 'The connection to {host} was broken off',
	EPIPE: 'The connection to {host} was broken off',
	ERR_STREAM_PREMATURE_CLOSE: 'The connection to {host} was broken off',
	// axios says so of an answer that ends in the middle; answers of every status are welcome otherwise.
	ERR_BAD_RESPONSE: 'The connection to {host} was broken off',
	ETIMEDOUT: '{host} did not answer in time',
	ECONNABORTED: '{host} did not answer in time',
	EHOSTUNREACH: '{host} cannot be reached from here',
	EPROTO: '{host} does not speak https',
	DEPTH_ZERO_SELF_SIGNED_CERT: '{host} shows a certificate that this n8n does not trust',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: '{host} shows a certificate that this n8n does not trust',
	CERT_HAS_EXPIRED: 'The certificate of {host} has expired',
};

/** Where n8n 1 puts the code of a connection that never opened or broke, or the status of an answer that broke off. */
function keptCode(httpCode: unknown): string | undefined {
	const kept = textOf(httpCode);
	return kept && /^\d+$/.test(kept) ? 'ERR_BAD_RESPONSE' : kept;
}

/** The code of a broken connection, wherever the layers below have put it. */
function connectionCode(error: unknown, depth = 0): string | undefined {
	if (typeof error !== 'object' || error === null || depth > 4) return undefined;
	const cause = 'cause' in error ? connectionCode(error.cause, depth + 1) : undefined;
	const own = 'code' in error ? textOf(error.code) : undefined;
	return cause ?? own ?? ('httpCode' in error ? keptCode(error.httpCode) : undefined);
}

/** An error of this kind, wherever the layers below have put it: a file that is gone while it is sent, say. */
function wrapped(error: unknown, depth = 0): ServiceError | undefined {
	if (error instanceof ServiceError) return error;
	if (!(error instanceof Error) || depth > 4) return undefined;
	return wrapped(error.cause, depth + 1);
}

/** The execution was ended by a person or by its time limit. */
export const cancelled = () =>
	new ServiceError({
		message: 'The execution was cancelled',
		hint: 'Start it again to go on.',
		code: 'CANCELLED',
	});

/** Broken when the service may have had the whole request. */
const BROKEN_OFF = [
	'ECONNRESET',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ETIMEDOUT',
	'ECONNABORTED',
	'ERR_BAD_RESPONSE',
];

const MAY_BE_DONE =
	'The service may have done its work all the same, so it was not sent again. Look whether it is there before you repeat it; an upload can be repeated with If Document Exists set to Skip.';

const CHECK_ADDRESS =
	'Check the address in the credential, and that the service (or the sandbox) is running and can be reached from the machine that n8n runs on.';

/**
 * Turns a transfer that broke or never began into an error.
 *
 * @param host host name with its port
 * @param method of the request, which decides whether the service may have done its work all the same
 */
export function brokenConnection(error: unknown, host: string, method: string): ServiceError {
	const known = wrapped(error);
	if (known) return known;
	const code = connectionCode(error);
	if (code === 'ENOSPC') {
		return new ServiceError({
			message: 'n8n has no space left to store the file',
			hint: 'Free space on the disk that n8n keeps binary data on, and run the operation again.',
			code,
		});
	}
	const sentence = (code && CONNECTION_SENTENCES[code]) ?? 'The call to {host} failed';
	if (code === 'ERR_CANCELED') return cancelled();
	const broken = code !== undefined && BROKEN_OFF.includes(code);
	const unclear = broken && ['POST', 'PATCH'].includes(method);
	const explained = code !== undefined && code in CONNECTION_SENTENCES;
	const cause = error instanceof Error && !explained ? `: ${error.message}` : '';
	return new ServiceError({
		message: sentence.replace('{host}', () => host) + cause,
		hint: unclear ? MAY_BE_DONE : CHECK_ADDRESS,
		code,
	});
}

/** An answer with a good status that is not the service's. */
export function notTheService(status: number, host: string): ServiceError {
	return new ServiceError({
		message: `${host} answered, but not as the service does`,
		hint: 'Check the address in the credential: it must be the base address of the API, which ends with /v1, not that of a web page.',
		status,
		code: 'NOT_THE_SERVICE',
	});
}
