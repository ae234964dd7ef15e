import { createHash } from 'crypto';
import { toText } from './values';

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
