import { ServiceError } from '../../contract/service-error.ts';

export const quote = 0x22;
export const backslash = 0x5c;
const simple = new Map([
	['"', 0x22],
	['\\', 0x5c],
	['/', 0x2f],
	['b', 0x08],
	['f', 0x0c],
	['n', 0x0a],
	['r', 0x0d],
	['t', 0x09],
]);
/** Marks a character outside ASCII, which base64 does not have. */
const notAscii = 0xff;

/** The inside of a JSON string of ASCII characters that arrives in chunks. Some serialisers write `/` as `\/`, or `+` as `\u002B`. */
export class EscapedText {
	#escape = '';

	/** The text from `from`, and where it ends: at the closing quote, or at the end of the chunk. Throws 400 `INVALID_JSON`. */
	read(chunk: Buffer, from: number): { text: Buffer; end: number } {
		const closing = chunk.indexOf(quote, from);
		const end = closing === -1 ? chunk.length : closing;
		const text = chunk.subarray(from, end);
		if (this.#escape === '' && !text.includes(backslash)) return { text, end };
		return this.#unescape(chunk, from);
	}

	#unescape(chunk: Buffer, from: number): { text: Buffer; end: number } {
		const text = Buffer.allocUnsafe(chunk.length - from);
		let length = 0;
		for (let at = from; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (this.#escape !== '') {
				this.#escape += String.fromCharCode(byte);
				const character = escaped(this.#escape);
				if (character === undefined) continue;
				text[length++] = character;
				this.#escape = '';
			} else if (byte === backslash) {
				this.#escape = '\\';
			} else if (byte === quote) {
				return { text: text.subarray(0, length), end: at };
			} else {
				text[length++] = byte;
			}
		}
		return { text: text.subarray(0, length), end: chunk.length };
	}
}

/** The character of an escape sequence; nothing if the sequence is not complete yet. */
function escaped(sequence: string): number | undefined {
	const known = simple.get(sequence.charAt(1));
	if (known !== undefined) return known;
	if (!/^\\u[0-9a-fA-F]{0,4}$/.test(sequence)) {
		throw new ServiceError(
			'INVALID_JSON',
			'The body is not JSON: a string has an escape that JSON does not know.',
		);
	}
	if (sequence.length < 6) return undefined;
	const code = Number.parseInt(sequence.slice(2), 16);
	return code < 0x80 ? code : notAscii;
}
