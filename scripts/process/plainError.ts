/** A failure that a person can mend: its message is the whole of what is shown, without a stack. */
export class PlainError extends Error {
	override name = 'PlainError';
}

/** What to show for a failure of any kind: one sentence where we have one, else the stack, which a report needs. */
export function told(error: unknown): string {
	if (error instanceof PlainError) return error.message;
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The code of a system error such as `ENOENT`, or an empty string. */
export function codeOf(error: unknown): string {
	return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
