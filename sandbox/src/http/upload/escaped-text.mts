import { ServiceError } from '../../contract/service-error.mts';

const quote = 0x22;
const backslash = 0x5c;
/** Characters and whole escape sequences. */
const whole = /^[^"\\]*(?:\\(?:u[^]{4}|[^u])[^"\\]*)*/;

/** The inside of a JSON string of base64 that arrives in chunks. Some serialisers write `/` as `\/`, or `+` as `\u002B`. */
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
		const [inside = ''] = whole.exec(escaped) ?? [];
		const isEnd = escaped[inside.length] === '"';
		this.#rest = isEnd ? '' : escaped.slice(inside.length);
		return {
			text: Buffer.from(unescape(inside), 'latin1'),
			end: isEnd ? chunk.length - (escaped.length - inside.length) : chunk.length,
		};
	}
}

/** A text with `ÿ`, which base64 does not have, for each character outside ASCII. */
function unescape(inside: string): string {
	try {
		const text = String(JSON.parse(`"${inside.replaceAll(/[^ -~]/g, 'ÿ')}"`));
		return text.replaceAll(/[\u0080-\uffff]/g, 'ÿ');
	} catch {
		throw new ServiceError(
			'INVALID_JSON',
			'The body is not JSON: a string has an escape that JSON does not know.',
		);
	}
}
