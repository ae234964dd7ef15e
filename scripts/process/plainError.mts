/** A failure that a person can fix. Only its message is shown, without a stack. */
export class PlainError extends Error {
	override name = 'PlainError';
}

/** The text to show for an error: the message of a PlainError, and the stack of any other, which a bug report needs. */
export function formatError(error: unknown): string {
	if (error instanceof PlainError) return error.message;
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The code of a system error such as `ENOENT`, or an empty string. */
export function readErrorCode(error: unknown): string {
	return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
