import type { JsonObject } from '../platform/json.ts';

/** The error codes of A-20 that this service can answer with, and the HTTP status of each. */
export const statusByCode = {
	INVALID_JSON: 400,
	INVALID_PARAMETER: 400,
	MISSING_REQUIRED_FIELD: 400,
	MISSING_ORGANIZATION_ID: 400,
	UNSUPPORTED_MEDIA_TYPE: 400,
	MISSING_API_KEY: 401,
	INVALID_API_KEY: 401,
	API_KEY_REVOKED: 401,
	INVALID_TOKEN: 401,
	TOKEN_EXPIRED: 401,
	INVALID_OTP: 401,
	FORBIDDEN: 403,
	INSUFFICIENT_SCOPE: 403,
	PLAN_UPGRADE_REQUIRED: 403,
	ORGANIZATION_ACCESS_DENIED: 403,
	FEATURE_DISABLED: 403,
	DOCUMENT_NOT_FOUND: 404,
	DOSSIER_NOT_FOUND: 404,
	PORTAL_USER_NOT_FOUND: 404,
	TASK_NOT_FOUND: 404,
	TENANT_NOT_FOUND: 404,
	WEBHOOK_NOT_FOUND: 404,
	ROUTE_NOT_FOUND: 404,
	VALIDATION_ERROR: 422,
	INVALID_STATE_TRANSITION: 422,
	DUPLICATE_REFERENCE: 422,
	USER_ALREADY_INVITED: 422,
	FILE_TOO_LARGE: 422,
	UNSUPPORTED_FILE_TYPE: 422,
	RATE_LIMIT_EXCEEDED: 429,
	INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof statusByCode;

/** One broken rule. `field` is the path of the value with dots, such as `contact.email`. */
export interface ErrorDetail {
	field: string;
	code: string;
	message: string;
}

/** A refusal that the caller gets as the error object. Its message is a sentence for a person and never holds a key. */
export class ServiceError extends Error {
	readonly code: ErrorCode;
	readonly details: ErrorDetail[];
	/** Seconds to wait before the next try, for 429. */
	readonly retryAfter: number | undefined;

	constructor(code: ErrorCode, message: string, details: ErrorDetail[] = [], retryAfter?: number) {
		super(message);
		this.name = 'ApiError';
		this.code = code;
		this.details = details;
		this.retryAfter = retryAfter;
	}

	get status(): (typeof statusByCode)[ErrorCode] {
		return statusByCode[this.code];
	}

	/** The error object: `{error: {code, message, status}}`, with `details` where there are any. */
	body(): JsonObject {
		const { code, message, status } = this;
		const details = this.details.map(({ field, code: rule, message: sentence }) => ({
			field,
			code: rule,
			message: sentence,
		}));
		return { error: { code, message, status, ...(details.length > 0 && { details }) } };
	}
}

/** A 422 for one value that breaks a rule. */
export function validationError(field: string, rule: string, sentence: string): ServiceError {
	return new ServiceError('VALIDATION_ERROR', sentence, [{ field, code: rule, message: sentence }]);
}

/** SQLITE_FULL, and the two errors by which SQLite says that a write failed for another reason, such as a limit on the size of files. */
const unwritten = [13, 10, 778];

/** Whether something could not be written, by the codes of the system and of SQLite. */
function isUnwritten(failure: unknown): boolean {
	if (!(failure instanceof Error)) return false;
	if ('errcode' in failure) return unwritten.includes(Number(failure.errcode));
	return 'code' in failure && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(failure.code));
}

/** The answer to a failure that is nobody's input: it tells nothing about its cause but that the disk is full. */
export function internalError(requestId: string, failure?: unknown): ServiceError {
	if (isUnwritten(failure)) {
		return new ServiceError(
			'INTERNAL_ERROR',
			`The sandbox cannot write to its disk, which is full or failing. Nothing of this request was stored. Make room and send it again. Its console shows more, under ${requestId}.`,
		);
	}
	return new ServiceError(
		'INTERNAL_ERROR',
		`The sandbox failed to answer this request. Its console shows why, under ${requestId}.`,
	);
}
