/** Addresses as their bytes came: a signature is over these bytes, and a server may know no other spelling. */
import type { IHttpRequestOptions } from 'n8n-workflow';

const percentEncode = (bytes: Buffer) =>
	bytes.toString('hex').toUpperCase().replace(/../g, '%$&');

/**
 * An address from a header. Node.js reads headers as Latin-1, but many servers write UTF-8 into them: the bytes stay the same if
 * they are percent-encoded one by one.
 */
export const encodeHeader = (header: string): string =>
	header.replace(/[\x80-\xff]+/g, (bytes) => percentEncode(Buffer.from(bytes, 'latin1')));

/** The query of an address as it came, with its question mark; `undefined` if there is none. */
function findQuery(reference: string): string | undefined {
	// A URL ignores these, too (WHATWG).
	const shown = reference.replace(/[\t\r\n]/g, '').replace(/[\0- ]+$/, '');
	return shown
		.match(/^[^?#]*(\?[^#]*)/)?.[1]
		?.replace(/[^\x21-\x7e]+/g, (letters) => percentEncode(Buffer.from(letters)));
}

/**
 * Finds the address that a reference leads to.
 *
 * @returns the address, with the query as it came and the path as URL spells it, without a fragment; `undefined` if it is not a
 * web address
 */
export function resolveAddress(reference: string, base?: string): string | undefined {
	if (!URL.canParse(reference, base)) return undefined;
	const url = new URL(reference, base);
	if (!['http:', 'https:'].includes(url.protocol)) return undefined;
	const query = findQuery(reference) ?? url.search;
	url.search = '';
	url.hash = '';
	return url.href + query;
}

/**
 * Divides an address for n8n's helper. axios spells the query of `url` anew, but not parameters that are a URLSearchParams.
 */
export function divideAddress(address: string): Pick<IHttpRequestOptions, 'url' | 'qs'> {
	const [url = '', ...rest] = address.split('?');
	if (!rest.length) return { url };
	// axios leaves out an empty text, and thereby the question mark. A String object is not empty to it.
	const value = (): unknown => Object(rest.join('?'));
	return { url, qs: Object.create(URLSearchParams.prototype, { toString: { value } }) };
}
