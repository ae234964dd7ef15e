import { ServiceError } from '../contract/service-error.ts';
import type { ErrorCode } from '../contract/service-error.ts';
import { isWriteFailure } from '../database/database.ts';
import type { JsonObject } from '../platform/json.ts';
import type { HttpAnswer } from './answer.ts';

/** The HTTP status of each error code. */
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
} as const satisfies Record<ErrorCode, number>;

/** The error object: `{error: {code, message, status}}`, with `details` if there are any. */
export function toErrorBody({ code, message, details }: ServiceError): JsonObject {
	const list = details.map((detail) => ({ ...detail }));
	const status = statusByCode[code];
	return { error: { code, message, status, ...(list.length > 0 && { details: list }) } };
}

/** An error as an answer, with the headers that belong to its code. */
export function toErrorAnswer(error: ServiceError): HttpAnswer {
	const status = statusByCode[error.code];
	return {
		status,
		headers: {
			...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
			...(error.retryAfter !== undefined && { 'Retry-After': Math.ceil(error.retryAfter) }),
		},
		json: toErrorBody(error),
	};
}

/** The error for a failure inside the sandbox. It does not tell the cause, except that the disk is full. */
export function internalError(requestId: string, failure?: unknown): ServiceError {
	if (isWriteFailure(failure)) {
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
