/** The error codes of A-20 that this service gives. */
export type ErrorCode =
	| 'INVALID_JSON'
	| 'INVALID_PARAMETER'
	| 'MISSING_REQUIRED_FIELD'
	| 'MISSING_ORGANIZATION_ID'
	| 'UNSUPPORTED_MEDIA_TYPE'
	| 'MISSING_API_KEY'
	| 'INVALID_API_KEY'
	| 'API_KEY_REVOKED'
	| 'INVALID_TOKEN'
	| 'TOKEN_EXPIRED'
	| 'INVALID_OTP'
	| 'FORBIDDEN'
	| 'INSUFFICIENT_SCOPE'
	| 'PLAN_UPGRADE_REQUIRED'
	| 'ORGANIZATION_ACCESS_DENIED'
	| 'FEATURE_DISABLED'
	| 'DOCUMENT_NOT_FOUND'
	| 'DOSSIER_NOT_FOUND'
	| 'PORTAL_USER_NOT_FOUND'
	| 'TASK_NOT_FOUND'
	| 'TENANT_NOT_FOUND'
	| 'WEBHOOK_NOT_FOUND'
	| 'ROUTE_NOT_FOUND'
	| 'VALIDATION_ERROR'
	| 'INVALID_STATE_TRANSITION'
	| 'DUPLICATE_REFERENCE'
	| 'USER_ALREADY_INVITED'
	| 'FILE_TOO_LARGE'
	| 'UNSUPPORTED_FILE_TYPE'
	| 'RATE_LIMIT_EXCEEDED'
	| 'INTERNAL_ERROR';

/** One broken rule. `field` is the path of the value with dots, such as `contact.email`. */
export interface ErrorDetail {
	field: string;
	code: string;
	message: string;
}

/** A refusal by a rule of the service. Its message is a sentence for a person and never holds a key. */
export class ServiceError extends Error {
	readonly code: ErrorCode;
	readonly details: ErrorDetail[];
	/** Seconds to wait before the next attempt, for `RATE_LIMIT_EXCEEDED`. */
	readonly retryAfter: number | undefined;

	constructor(code: ErrorCode, message: string, details: ErrorDetail[] = [], retryAfter?: number) {
		super(message);
		this.name = 'ServiceError';
		this.code = code;
		this.details = details;
		this.retryAfter = retryAfter;
	}
}

/** A `VALIDATION_ERROR` for one value that breaks a rule. */
export function validationError(field: string, rule: string, sentence: string): ServiceError {
	return new ServiceError('VALIDATION_ERROR', sentence, [{ field, code: rule, message: sentence }]);
}

/** Every broken rule in one text, such as `title: This field is required. due_at: …`. */
export function formatDetails(details: ErrorDetail[]): string {
	return details.map(({ field, message }) => `${field}: ${message}`).join(' ');
}
