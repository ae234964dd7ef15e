import { ServiceError } from '../../contract/service-error.mts';

const quote = 0x22;
const backslash = 0x5c;
/** The longest beginning of a text that has no unescaped quote and no half of an escape sequence. */
const completePart = /^[^"\\]*(?:\\(?:u[^]{4}|[^u])[^"\\]*)*/;
/** Takes the place of characters that are not ASCII. Base64 does not have it, so the decoder refuses the text. */
const notBase64 = '!';

/** The inside of a JSON string of base64 that arrives in chunks. Some serializers write `/` as `\/`, or `+` as `\u002B`. */
export class EscapedText {
	/** The beginning of an escape sequence whose end has not arrived. */
	#rest = '';

	/** The text from `from`, and where it ends: at the closing quote, or at the end of the chunk. Throws 400 `INVALID_JSON`. */
	read(chunk: Buffer, from: number): { text: Buffer; end: number } {
		const closing = chunk.indexOf(quote, from);
		const end = closing === -1 ? chunk.length : closing;
		const text = chunk.subarray(from, end);
		if (this.#rest === '' && !text.includes(backslash)) return { text, end };
		const escaped = this.#rest + chunk.toString('latin1', from);
		const [complete = ''] = completePart.exec(escaped) ?? [];
		const isEnd = escaped[complete.length] === '"';
		this.#rest = isEnd ? '' : escaped.slice(complete.length);
		return {
			text: Buffer.from(unescape(complete), 'latin1'),
			end: isEnd ? chunk.length - (escaped.length - complete.length) : chunk.length,
		};
	}
}

/** The text that JSON writes with escape sequences. */
function unescape(escaped: string): string {
	try {
		// JSON.parse refuses control characters.
		const text = String(JSON.parse(`"${escaped.replaceAll(/[^ -~]/g, notBase64)}"`));
		return text.replaceAll(/[\u0080-\uffff]/g, notBase64);
	} catch {
		throw new ServiceError(
			'INVALID_JSON',
			'The body is not JSON: a string has an escape that JSON does not know.',
		);
	}
}

/** Decodes base64 (RFC 4648, section 4, with padding, no line breaks) that arrives in chunks of any size. */
export class Base64Decoder {
	/** The beginning of a group of four characters. */
	#rest = '';
	#isPadded = false;
	#isValid = true;

	/** The bytes that the text adds; none once the text is invalid. */
	write(text: Buffer): Buffer {
		const characters = this.#rest + text.toString('latin1');
		const length = characters.length - (characters.length % 4);
		const groups = characters.slice(0, length);
		this.#rest = characters.slice(length);
		if (this.#isPadded && characters !== '') this.#isValid = false;
		if (!this.#isValid || length === 0) return Buffer.alloc(0);
		// The decoder skips what is not base64, which the length reveals, and accepts the URL-safe alphabet.
		const bytes = Buffer.from(groups, 'base64');
		const pads = groups.endsWith('==') ? 2 : Number(groups.endsWith('='));
		this.#isPadded = pads > 0;
		this.#isValid =
			bytes.length === (length / 4) * 3 - pads && !groups.includes('-') && !groups.includes('_');
		return this.#isValid ? bytes : Buffer.alloc(0);
	}

	/** Whether the text that came was base64 from the first to the last character. */
	end(): boolean {
		return this.#isValid && this.#rest === '';
	}
}
