import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { decodePercent, toText } from '../json';
import { decodeWestern } from '../send/text';

const UNSAFE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]/gu;

/** In bytes. Most file systems take 255, in UTF-8; the rest is for what a workflow adds. */
const LONGEST_NAME = 240;

/**
 * Makes a file name safe, since it comes from outside: no file system reads it as a path, a device or a command. Letters
 * of every script are kept.
 *
 * @returns `undefined` if nothing usable is left
 */
export function safeFileName(name: string | undefined): string | undefined {
	if (!name) return undefined;
	const cleaned = name.replace(UNSAFE, '_').replace(/^[\s.]+|[\s.]+$/g, '');
	if (!cleaned) return undefined;
	const named = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cleaned) ? `_${cleaned}` : cleaned;
	const bytes = Buffer.from(named);
	if (bytes.length <= LONGEST_NAME) return named;
	const extension = named.match(/\.[^.]{1,20}$/)?.[0] ?? '';
	const kept = bytes.subarray(0, LONGEST_NAME - Buffer.byteLength(extension));
	// The cut may be in the middle of a letter.
	return kept.toString().replace(/\uFFFD+$/, '') + extension;
}

/** Characters that no file name should have: control characters, those that turn the direction of the text, halves of letters. */
const UNREADABLE_CHARACTERS =
	/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/**
 * The name under which a file is sent: the last part of a path, as browsers and other systems give it
 * (`C:\\fakepath\\x.pdf`), with `_` for signs that services refuse.
 */
export function baseFileName(name: string): string {
	const parts = name.split(/[\\/]/).map((part) => part.replace(UNREADABLE_CHARACTERS, '_').trim());
	const last = parts.findLast((part) => !['', '.', '..'].includes(part));
	return last ?? '_';
}

/** Some servers write UTF-8 or windows-1252 into headers, which Node.js reads as Latin-1. */
function decodeRaw(name: string): string {
	const bytes = Buffer.from(name, 'latin1');
	const decoded = bytes.toString('utf8');
	return decoded.includes('\uFFFD') ? decodeWestern(bytes) : decoded;
}

/** The file name of a Content-Disposition header; `filename*` overrides `filename` (RFC 6266, RFC 8187). */
export function dispositionFileName(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	const extended = header.match(/filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i)?.[1];
	const decoded = extended && decodePercent(extended);
	if (decoded) return decoded;
	const quoted = header.match(/filename\s*=\s*"((?:[^"\\]|\\.)*)"/i)?.[1];
	const plain = header.match(/filename\s*=\s*([^;"]+)/i)?.[1]?.trim();
	const name = quoted?.replace(/\\(.)/g, '$1') ?? plain;
	return name && decodeRaw(name);
}

/**
 * The length that an answer announces, in bytes; `undefined` if it announces none. It is the length before n8n
 * decompresses the answer, so compare it with the bytes that arrive.
 */
export function announcedLength({ 'content-length': header }: IDataObject): number | undefined {
	return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined;
}

/** The media type of a Content-Type header, without its parameters. */
export function mediaType(headers: IDataObject): string | undefined {
	const header = headers['content-type'];
	return typeof header === 'string' ? header.split(';')[0]?.trim() : undefined;
}

/**
 * Reads a SHA-256 as a service writes it: 64 hex digits or base64, with or without the name of the algorithm before it.
 *
 * @returns lower-case hex; `undefined` if the value is not a SHA-256, so that nothing is compared with it
 */
export function parseSha256(value: unknown): string | undefined {
	const text =
		toText(value)
			?.trim()
			.replace(/^sha-?256\s*[:=-]\s*/i, '') ?? '';
	if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase();
	if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
	return Buffer.from(text, 'base64').toString('hex');
}

/** The SHA-256 of a content in hex. */
export const hashContent = (content: Buffer): string =>
	createHash('sha256').update(content).digest('hex');
