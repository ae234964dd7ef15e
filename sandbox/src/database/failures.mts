/** The primary result codes of SQLite that the sandbox distinguishes. */
const resultCodes = new Map([
	[5, 'SQLITE_BUSY'],
	[8, 'SQLITE_READONLY'],
	[10, 'SQLITE_IOERR'],
	[13, 'SQLITE_FULL'],
	[26, 'SQLITE_NOTADB'],
]);

/**
 * The code of a failure of the system or of SQLite, such as `ENOENT`; an empty text for any other failure. It takes any object: under
 * jest, the errors of Node.js are not instances of `Error`.
 */
export function readFailureCode(failure: unknown): string {
	if (typeof failure !== 'object' || failure === null) return '';
	// The lowest byte is the primary result code.
	if ('errcode' in failure) return resultCodes.get(Number(failure.errcode) & 0xff) ?? '';
	return 'code' in failure ? String(failure.code) : '';
}

/** Whether a write failed because the disk is full or broken. */
export function isWriteFailure(failure: unknown): boolean {
	return ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR'].includes(
		readFailureCode(failure),
	);
}
