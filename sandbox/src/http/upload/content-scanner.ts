import { ServiceError } from '../../contract/service-error.ts';
import { decodeUtf8 } from '../body.ts';
import { EscapedText, backslash, quote } from './escaped-text.ts';

const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** An object or a list that is open, on the way to the content. */
interface Level {
	isObject: boolean;
	isBeforeColon: boolean;
	/** The name of the member that is being read. */
	key: string;
}

/**
 * Extracts one long string member from a JSON object that arrives in chunks (A-11: `content_base64`), wherever it stands among the
 * other members. It parses every byte around the content, and none inside it.
 *
 * It collects the JSON around the content, with `""` in place of the content. The result is valid JSON if and only if the whole is.
 */
export class ContentScanner {
	readonly #path: string[];
	readonly #limit: number;
	readonly #around: Buffer[] = [];
	#aroundBytes = 0;
	#place: 'structure' | 'key' | 'string' | 'content' = 'structure';
	#content = new EscapedText();
	#depth = 0;
	/** The open objects and lists on the path to the content, the outermost first. */
	readonly #levels: Level[] = [];
	#afterBackslash = false;
	#found = false;

	/** `path`: the names that lead to the content. `limit`: how many bytes there may be around it. */
	constructor(path: string[], limit: number) {
		this.#path = path;
		this.#limit = limit;
	}

	/** Whether the member was there as a string. */
	get found(): boolean {
		return this.#found;
	}

	/** Takes the next bytes of the body, and gives the chunks of content in them. Throws 400 `INVALID_JSON`. */
	write(chunk: Buffer): Buffer[] {
		const contents: Buffer[] = [];
		let at = 0;
		while (at < chunk.length) {
			if (this.#place === 'content') {
				const { text, end } = this.#content.read(chunk, at);
				if (text.length > 0) contents.push(text);
				if (end < chunk.length) this.#place = 'structure';
				// Collect the closing quote, so that `""` stands in the content's place.
				at = end;
				if (at < chunk.length) this.#collect(chunk.subarray(at, ++at));
			} else {
				const end = this.#walk(chunk, at);
				this.#collect(chunk.subarray(at, end));
				at = end;
			}
		}
		return contents;
	}

	/** The JSON around the content, once all bytes were written. Throws 400 `INVALID_JSON`. */
	around(): string {
		return decodeUtf8(this.#around);
	}

	#collect(bytes: Buffer): void {
		this.#aroundBytes += bytes.length;
		if (this.#aroundBytes > this.#limit) {
			throw new ServiceError(
				'INVALID_JSON',
				`The body has more than ${this.#limit} bytes beside ${this.#path.join('.')}. Send less.`,
			);
		}
		this.#around.push(Buffer.from(bytes));
	}

	/** Where the structure around the content ends: after the quote that opens the content, or at the end of the chunk. */
	#walk(chunk: Buffer, from: number): number {
		for (let at = from; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (this.#place !== 'structure') this.#withinString(byte);
			else if (byte === quote && this.#opensContent()) return at + 1;
			else this.#withinStructure(byte);
		}
		return chunk.length;
	}

	/** The innermost object or list that is open, if it leads to the content. */
	get #level(): Level | undefined {
		return this.#depth === this.#levels.length ? this.#levels.at(-1) : undefined;
	}

	/** Whether the value that begins here is on the path to the content. */
	get #isOnPath(): boolean {
		const level = this.#level;
		if (this.#depth === 0) return true;
		return (
			level?.isObject === true && !level.isBeforeColon && level.key === this.#path[this.#depth - 1]
		);
	}

	#opensContent(): boolean {
		if (this.#depth !== this.#path.length || !this.#isOnPath) return false;
		if (this.#found) {
			throw new ServiceError(
				'INVALID_JSON',
				`The body has ${this.#path.join('.')} more than once. Send it once.`,
			);
		}
		this.#found = true;
		this.#place = 'content';
		return true;
	}

	#withinStructure(byte: number): void {
		const level = this.#level;
		if (byte === quote) {
			this.#place = level?.isBeforeColon ? 'key' : 'string';
			if (level?.isBeforeColon) level.key = '';
		} else if (byte === openBrace || byte === openBracket) {
			if (this.#isOnPath && this.#depth < this.#path.length) {
				this.#levels.push({ isObject: byte === openBrace, isBeforeColon: true, key: '' });
			}
			this.#depth++;
		} else if (byte === closeBrace || byte === closeBracket) {
			if (level) this.#levels.pop();
			this.#depth--;
		} else if (level && (byte === comma || byte === colon)) {
			level.isBeforeColon = byte === comma;
		}
	}

	#withinString(byte: number): void {
		const level = this.#level;
		if (byte === quote && !this.#afterBackslash) {
			if (this.#place === 'key' && level) level.key = unescapedKey(level.key);
			this.#place = 'structure';
			return;
		}
		this.#afterBackslash = byte === backslash && !this.#afterBackslash;
		const longest = Math.max(...this.#path.map(({ length }) => length));
		// With every character escaped as \u0063, the member's name is six times as long.
		if (this.#place === 'key' && level && level.key.length <= longest * 6) {
			level.key += String.fromCharCode(byte);
		}
	}
}

function unescapedKey(raw: string): string {
	try {
		return String(JSON.parse(`"${raw}"`));
	} catch {
		return '';
	}
}
