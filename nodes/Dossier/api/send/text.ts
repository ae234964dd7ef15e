/** Reads the text of an answer, and says why it cannot be read. */
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../dialect/paths';
import { parseJson, toText } from '../json';

/** The sign that stands for bytes which are not in the charset of a text, and one that no text has. */
const NO_TEXT = /[\uFFFD\0]/;

/** A charset that XML or a web page names itself. */
const DECLARED = /^\s*<\?xml[^>]*encoding=["']([\w-]+)|<meta[^>]*charset=["']?([\w-]+)/i;

/** The letters of the bytes 80 to 9F in windows-1252. Many versions of Node.js read them as control characters (nodejs/node#56542). */
const WESTERN = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** The text of bytes in windows-1252. What is said to be ISO-8859-1 or ASCII is read so, too (WHATWG Encoding). */
export const decodeWestern = (bytes: Uint8Array): string =>
	Buffer.from(bytes)
		.toString('latin1')
		.replace(/[\x80-\x9f]/g, (letter) => WESTERN.charAt(letter.charCodeAt(0) - 0x80));

/** The text of bytes in a charset. Throws if they are not in it, or nobody knows it. */
function decode(charset: string, bytes: Buffer): string {
	const decoder = new TextDecoder(charset, { fatal: true });
	return decoder.encoding === 'windows-1252' ? decodeWestern(bytes) : decoder.decode(bytes);
}

/**
 * The text of a body: UTF-8 (RFC 8259) or, if it is not, in the charset that the service names; and whether it is in neither,
 * so that letters are lost.
 */
export function readText(
	{ 'content-type': type }: IDataObject,
	body: Buffer,
): { text: string; isGarbled: boolean } {
	const text = body.toString('utf8');
	if (!NO_TEXT.test(text)) return { text, isGarbled: false };
	const [, charset] = toText(type)?.match(/charset="?([\w-]+)/i) ?? [];
	const [, ofXml, ofPage] = text.match(DECLARED) ?? [];
	for (const name of ['utf-8', charset ?? ofXml ?? ofPage]) {
		try {
			const decoded = name && decode(name, body);
			if (decoded && !decoded.includes('\0')) return { text: decoded, isGarbled: false };
		} catch {
			// The bytes are not in this charset, or nobody knows it.
		}
	}
	return { text, isGarbled: text.includes('\uFFFD') };
}

/** Shorter texts may be in an answer by chance, in characters. */
const SHORTEST_SECRET = 8;

const REDACTED = '[redacted]';

/** What may stand between two letters of a secret in a text: blanks, signs that nobody sees, and tags. */
const BETWEEN = '(?:[\\s\\p{C}]|<[^<>]*>)*';

/** The pattern of a letter as it is, or as HTML, an address or JSON writes it. */
function writeLetter(letter: string): string {
	const code = letter.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	const entity = `&(?:amp;)*(?:#0*${code}|#x0*${hex}${/[a-z\d]/i.test(letter) ? '' : '|[a-z]+'});?`;
	const own = `\\\\?\\u{${hex}}`;
	return `(?:${own}|${entity}|%(?:25)*${hex}|\\\\u${hex.padStart(4, '0')})`;
}

/**
 * Removes keys and tokens from a text of a service or a proxy, which may repeat the request. They are found in any letters, if
 * they are written as entities or escapes, and if a page divides them.
 */
export const redact = (text: string, secrets: Array<string | undefined>): string =>
	secrets
		.flatMap((secret = '') => (secret.length < SHORTEST_SECRET ? [] : [secret]))
		.toSorted((a, b) => b.length - a.length)
		.reduce((shown, secret) => {
			const letters = [...secret].map(writeLetter).join(BETWEEN);
			return shown.replace(new RegExp(letters, 'giu'), REDACTED);
		}, text);

/** The name of an element of XML in which a refusal is explained. */
const EXPLAINING = /<(message|detail|description|title)\b[^>]*>([^<]+)<\/\1>/i;

/** Parts of a web page that nobody reads. */
const UNSEEN = /<(script|style|head|svg)\b.*?<\/\1\s*>|<!--.*?-->/gis;

const ENTITIES: Record<string, string> = {
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: ' ',
	amp: '&',
};

/** The name of a field of JSON in which a refusal is explained. */
const WORDED = /^(message|detail|description|reason|title|text)$/i;

/** How deep the words of a refusal may be. */
const DEEPEST_WORDS = 5;

/** The first text in JSON that explains something: under a name that says so, or under no name at all. */
export function findWords(value: unknown, isWorded = true, depth = 0): string | undefined {
	if (typeof value === 'string') return isWorded ? value.trim() || undefined : undefined;
	if (depth > DEEPEST_WORDS) return undefined;
	const inner: Array<[value: unknown, isWorded: boolean]> = Array.isArray(value)
		? value.map((one) => [one, isWorded && !isObject(one)])
		: isObject(value)
			? Object.entries(value).map(([name, one]) => [
					one,
					(isWorded && depth > 0) || WORDED.test(name),
				])
			: [];
	for (const [one, worded] of inner) {
		const words = findWords(one, worded, depth + 1);
		if (words) return words;
	}
	return undefined;
}

/** Whether a letter is a control character that no text has. */
const isControlCharacter = (letter: string) => letter < '\t' || (letter > '\r' && letter < '\x1b');

/** The words of a text that is not JSON: a plain one, or those in XML or a web page; `undefined` if it has none. */
export function readProse(sent: string): string | undefined {
	// UTF-16 without a charset has one for each letter.
	const body = sent.replaceAll('\0', '');
	if ([...body].some(isControlCharacter)) return undefined;
	const isPage = /<(!doctype\s+)?html\b/i.test(body);
	const named = isPage ? undefined : body.match(EXPLAINING)?.[2];
	const seen = named ?? body.replace(UNSEEN, ' ').replace(/<[^>]*>/g, ' ');
	const words = seen
		.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
		.replace(/&#(x?)([\da-f]{1,5});/gi, (_, hex: string, code: string) =>
			String.fromCharCode(Number.parseInt(code, hex ? 16 : 10)),
		);
	return words.trim() || undefined;
}

const MENTIONS_JSON = /\bjson\b/i;

/** The first bytes of gzip (RFC 1952), read as text in UTF-8 and in western charsets. */
const GZIP = ['\x1f\uFFFD', '\x1f\x8b', '\x1f‹'];

/**
 * Why an answer cannot be read although something speaks like this API.
 *
 * @returns `undefined` if nothing does
 */
export function explainUnreadable(headers: IDataObject, text: string): string | undefined {
	const encoding = toText(headers['content-encoding']);
	if (encoding && /gzip|deflate|compress|br|zstd/i.test(encoding)) {
		return `its header Content-Encoding is "${encoding}", which n8n does not unpack`;
	}
	if (GZIP.includes(text.slice(0, 2)))
		return 'it is compressed, and has no header Content-Encoding that says so';
	const isSaid = MENTIONS_JSON.test(toText(headers['content-type']) ?? '');
	const begins = text.search(/[{[]/);
	const hasJson = begins >= 0 && parseJson(text.slice(begins)) !== undefined;
	if (begins < 0 || !(isSaid || hasJson || text.slice(0, begins).trim() === '')) return undefined;
	if (hasJson && text.slice(0, begins).trim()) return 'there is other text before its JSON';
	if (hasJson) return undefined;
	return /[}\]]\s*$/.test(text) ? 'its JSON is not valid' : 'its JSON ends in the middle';
}
