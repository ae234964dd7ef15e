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

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** A whole number that JavaScript cannot hold exactly, such as an identifier of 64 bits, becomes a text. */
const keepDigits = (number: string) =>
	/^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number)) ? `"${number}"` : number;

/** The end of the JSON text that begins with a quote at `open`. */
function findTextEnd(json: string, open: number): number {
	for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
		let first = at;
		while (json[first - 1] === '\\') first--;
		if ((at - first) % 2 === 0) return at + 1;
	}
	return json.length;
}

/** Writes long whole numbers as texts, so that none is rounded. */
function keepLongNumbers(json: string): string {
	if (!/[\s:[,]-?\d{16}/.test(json)) return json;
	const parts: string[] = [];
	let at = 0;
	while (at < json.length) {
		const quote = json.indexOf('"', at);
		const open = quote < 0 ? json.length : quote;
		const end = quote < 0 ? json.length : findTextEnd(json, open);
		parts.push(json.slice(at, open).replace(NUMBER, keepDigits), json.slice(open, end));
		at = end;
	}
	return parts.join('');
}

/** Parses JSON. A whole number of more digits than JavaScript holds exactly becomes a text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(keepLongNumbers(text.replace(/^\uFEFF/, '')));
	} catch {
		return undefined;
	}
}

/** The text of an element of XML, in which storage providers explain a refusal; `undefined` if it is not there. */
export const readElement = (xml: string, name: string) =>
	xml.match(new RegExp(`<Error>.*?<${name}>([^<]+)</${name}>`, 's'))?.[1];
