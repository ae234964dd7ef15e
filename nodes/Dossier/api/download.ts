import type { IDataObject } from 'n8n-workflow';

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]/g;
const LONGEST_NAME = 200;

/**
 * A file name that no file system reads as a path, a device or a command: what a service sends is not trusted. Letters
 * of every script are kept.
 *
 * @returns `undefined` where nothing usable is left
 */
export function safeFileName(name: string | undefined): string | undefined {
	if (!name) return undefined;
	const cleaned = name.replace(UNSAFE, '_').replace(/^[\s.]+|[\s.]+$/g, '');
	if (!cleaned) return undefined;
	const named = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cleaned) ? `_${cleaned}` : cleaned;
	if (named.length <= LONGEST_NAME) return named;
	const extension = named.match(/\.[^.]{1,20}$/)?.[0] ?? '';
	return named.slice(0, LONGEST_NAME - extension.length) + extension;
}

function decodeExtended(value: string): string | undefined {
	try {
		return decodeURIComponent(value);
	} catch {
		return undefined;
	}
}

/** The file name of a Content-Disposition header; `filename*` goes before `filename` (RFC 6266, RFC 8187). */
export function dispositionFileName(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	const extended = header.match(/filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i)?.[1];
	const decoded = extended && decodeExtended(extended);
	if (decoded) return decoded;
	const quoted = header.match(/filename\s*=\s*"((?:[^"\\]|\\.)*)"/i)?.[1];
	return quoted?.replace(/\\(.)/g, '$1') ?? header.match(/filename\s*=\s*([^;\s"]+)/i)?.[1];
}

/** The media type of a Content-Type header, without its parameters. */
export function mediaType(headers: IDataObject): string | undefined {
	const header = headers['content-type'];
	return typeof header === 'string' ? header.split(';')[0]?.trim() : undefined;
}

/** The length that the answer promised, in bytes; `undefined` where it promised none or is compressed. */
export function promisedLength(headers: IDataObject): number | undefined {
	const header = headers['content-length'];
	if (typeof header !== 'string' || headers['content-encoding']) return undefined;
	return /^\d+$/.test(header) ? Number(header) : undefined;
}
