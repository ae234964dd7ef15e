import type { components } from '../../../contract/generated/types.mts';

/** The error codes of A-20 that this service gives, each with its HTTP status. */
const statusByCode = {
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

type ErrorCode = keyof typeof statusByCode;

/** One broken rule. `field` is the path of the value with dots, such as `contact.email`. */
export type ErrorDetail = components['schemas']['ErrorDetail'];

/** A refusal by a rule of the service. Its message is a sentence for a person and never holds a key. */
export class ServiceError extends Error {
	readonly code: ErrorCode;
	/** Of the answer. */
	readonly status: (typeof statusByCode)[ErrorCode];
	readonly details: ErrorDetail[];
	/** Seconds to wait before the next attempt, for `RATE_LIMIT_EXCEEDED`. */
	readonly retryAfter: number | undefined;

	constructor(code: ErrorCode, message: string, details: ErrorDetail[] = [], retryAfter?: number) {
		super(message);
		this.name = 'ServiceError';
		this.code = code;
		this.status = statusByCode[code];
		this.details = details;
		this.retryAfter = retryAfter;
	}
}

/** A `VALIDATION_ERROR` for one value that breaks a rule, or another error about one value. */
export function validationError(
	field: string,
	rule: string,
	sentence: string,
	code: ErrorCode = 'VALIDATION_ERROR',
): ServiceError {
	return new ServiceError(code, sentence, [{ field, code: rule, message: sentence }]);
}

/** Every broken rule in one text, such as `title: This field is required. due_at: …`. */
export function formatDetails(details: ErrorDetail[]): string {
	return details.map(({ field, message }) => `${field}: ${message}`).join(' ');
}
