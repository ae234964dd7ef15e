import { ServiceError } from '../../contract/service-error.mts';
import { decodeUtf8 } from '../body.mts';
import { EscapedText } from './base64.mts';

/** A string, a mark of the structure, or what is between them. */
const token = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\]:,]|[^{}[\]:,"]+/y;

/**
 * Extracts one long string member from a JSON object that arrives in chunks (A-11: `content_base64`), wherever it stands among the
 * other members. It parses every byte around the content, and none inside it.
 *
 * It collects the JSON around the content, with `""` in place of the content. The result is valid JSON if and only if the whole is.
 */
export class ContentScanner {
	readonly #name: string;
	readonly #limit: number;
	/** Each byte is a character here, and in what follows. */
	#around = '';
	/** The beginning of a string whose end has not arrived. */
	#rest = '';
	/** The name of the member that is being read in each open object, the outermost first; null for an open list. */
	readonly #open: (string | null)[] = [];
	#lastMark = '';
	#content: EscapedText | undefined;
	#found = false;

	/** `name`: that of the member with the content. `limit`: how many bytes there may be around it. */
	constructor(name: string, limit: number) {
		this.#name = name;
		this.#limit = limit;
	}

	/** Takes the next bytes of the body, and gives the chunks of content in them. Throws 400 `INVALID_JSON`. */
	write(chunk: Buffer): Buffer[] {
		const contents: Buffer[] = [];
		for (let at = 0; at < chunk.length; ) {
			if (this.#content) {
				const { text, end } = this.#content.read(chunk, at);
				contents.push(text);
				at = end;
				if (end === chunk.length) break;
				this.#content = undefined;
				// The closing quote, so that `""` stands in the content's place.
				this.#collect('"', '');
				at += 1;
			} else {
				const text = this.#rest + chunk.toString('latin1', at);
				const end = this.#walk(text);
				this.#collect(text.slice(0, end), this.#content ? '' : text.slice(end));
				at = chunk.length - (this.#content ? text.length - end : 0);
			}
		}
		return contents;
	}

	/** The JSON around the content, once all bytes were written. Throws 400 `INVALID_JSON`. */
	around(): string {
		return decodeUtf8([Buffer.from(this.#around + this.#rest, 'latin1')]);
	}

	#collect(around: string, rest: string): void {
		this.#around += around;
		this.#rest = rest;
		if (this.#around.length + rest.length <= this.#limit) return;
		throw new ServiceError(
			'INVALID_JSON',
			`The body has more than ${this.#limit} bytes beside ${this.#name}. Send less.`,
		);
	}

	/** Where the structure around the content ends: after the quote that opens the content, or after the last whole token. */
	#walk(text: string): number {
		token.lastIndex = 0;
		for (let at = 0; ; at = token.lastIndex) {
			if (text[at] === '"' && this.#opensContent()) return at + 1;
			const [found] = token.exec(text) ?? [];
			if (found === undefined) return at;
			this.#take(found);
		}
	}

	#opensContent(): boolean {
		const isHere =
			this.#lastMark === ':' && this.#open.length === 1 && this.#open[0] === this.#name;
		if (isHere && this.#found) {
			throw new ServiceError(
				'INVALID_JSON',
				`The body has ${this.#name} more than once. Send it once.`,
			);
		}
		if (isHere) this.#content = new EscapedText();
		this.#found ||= isHere;
		return isHere;
	}

	#take(found: string): void {
		const isInObject = typeof this.#open.at(-1) === 'string';
		if (found.startsWith('"')) {
			if (isInObject && this.#lastMark !== ':') this.#open[this.#open.length - 1] = readKey(found);
		} else if ('{[}],:'.includes(found)) {
			this.#lastMark = found;
			if (found === '{') this.#open.push('');
			else if (found === '[') this.#open.push(null);
			else if (found === '}' || found === ']') this.#open.pop();
		}
	}
}

function readKey(quoted: string): string {
	try {
		return String(JSON.parse(quoted));
	} catch {
		return '';
	}
}
