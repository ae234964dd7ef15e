import { ServiceError } from '../contract/service-error.mts';
import { isWriteFailure } from '../database/failures.mts';
import type { JsonObject } from '../platform/json.mts';
import type { HttpAnswer } from './response-sink.mts';

/** The error object: `{error: {code, message, status}}`, with `details` if there are any. */
export function toErrorBody({ code, message, status, details }: ServiceError): JsonObject {
	const list = details.map((detail) => ({ ...detail }));
	return { error: { code, message, status, ...(list.length > 0 && { details: list }) } };
}

/** An error as an answer, with the headers that belong to its code. */
export function toErrorAnswer(error: ServiceError): HttpAnswer {
	const { status } = error;
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
