/** Text, or a number as text; `undefined` for empty text and any other value. */
export function toText(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value ? value : undefined;
}

/** A count or a number of bytes, which some services write as text; `undefined` for everything else. */
export function toWhole(value: unknown): number | undefined {
	const text = toText(value);
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Text with percent-encoded letters, such as a part of an address, as it is read; `undefined` if it is not UTF-8. */
export function decodePercent(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

/** A number whose digits or exponent may be more than JavaScript holds, after what can be before it. */
const MAYBE_LONG = /(?:^|[\s:[,])-?(?:[\d.]{16}|[\d.]+e)/i;

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** The digits of a number in JSON without zeros around them, and its power of ten. */
function readDecimal(number: string): { digits: string; power: number } {
	const [, whole = '', fraction = '', exponent = '0'] =
		number.match(/^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i) ?? [];
	const digits = (whole + fraction).replace(/^0+/, '');
	const shown = digits.replace(/0+$/, '');
	const power = Number(exponent) - fraction.length + digits.length - shown.length;
	return { digits: shown, power: shown ? power : 0 };
}

/** As many digits as tell any two numbers of JavaScript apart. Services print numbers with up to these. */
const MOST_DIGITS = 17;

/** Whether JavaScript holds a number of JSON as it is written: it would print the same digits. */
function isHeld(number: string): boolean {
	const value = Number(number);
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(value);
	const { digits, power } = readDecimal(number);
	if (digits.length > MOST_DIGITS || !Number.isFinite(value)) return false;
	const held = readDecimal(value.toPrecision(Math.max(digits.length, 1)));
	return held.digits === digits && held.power === power;
}

/** The end of the JSON text that begins with a quote at `open`. */
export function findTextEnd(json: string, open: number): number {
	for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
		let first = at;
		while (json[first - 1] === '\\') first--;
		if ((at - first) % 2 === 0) return at + 1;
	}
	return json.length;
}

/** JSON in which each number that JavaScript cannot hold is written as a text, so that none is rounded. */
export function keepLongNumbers(json: string, write: (number: string) => string): string {
	if (!MAYBE_LONG.test(json)) return json;
	const parts: string[] = [];
	let at = 0;
	while (at < json.length) {
		const quote = json.indexOf('"', at);
		const open = quote < 0 ? json.length : quote;
		const end = quote < 0 ? json.length : findTextEnd(json, open);
		const between = json
			.slice(at, open)
			.replace(NUMBER, (number) => (isHeld(number) ? number : JSON.stringify(write(number))));
		parts.push(between, json.slice(open, end));
		at = end;
	}
	return parts.join('');
}

/** JSON without a byte order mark and spaces around it. */
export const trimJson = (text: string) => text.replace(/^\uFEFF/, '').trim();

/**
 * Parses JSON. A number that JavaScript cannot hold as it is written, such as an identifier of 64 bits, becomes a text;
 * `undefined` if it is not JSON.
 */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(keepLongNumbers(trimJson(text), (number) => number));
	} catch {
		return undefined;
	}
}

/** Media types of JSON with a value on each line, or behind each separator (RFC 7464). */
export const JSON_LINES = /ndjson|json-?l|json-seq/i;

/** Parses JSON with an object on each line; `undefined` if one of them is not an object. */
export function parseLines(text: string): object[] | undefined {
	const lines = text.replaceAll('\u001E', '').split('\n').map(trimJson).filter(Boolean);
	const values = lines.map(parseJson);
	return values.every((one) => typeof one === 'object' && one !== null) ? values : undefined;
}

/** Whether a JSON value is nested deeper than `levels`. */
export const isDeeper = (value: unknown, levels: number): boolean =>
	typeof value === 'object' &&
	value !== null &&
	(levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** How deep JSON from outside may be nested: n8n 2 cannot show an execution whose data have some thousands of levels. */
export const DEEPEST_JSON = 100;

/** The text of an element of XML, in which storage providers explain a refusal; `undefined` if it is not there. */
export const readElement = (xml: string, name: string) =>
	xml.match(new RegExp(`<Error>.*?<${name}>([^<]+)</${name}>`, 's'))?.[1];
