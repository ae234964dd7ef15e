/** Addresses as their bytes came: a signature is over these bytes, and a server may know no other spelling. */
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import { toText } from '../json';

const percentEncode = (bytes: Buffer) => bytes.toString('hex').toUpperCase().replace(/../g, '%$&');

/**
 * An address from a header. Node.js reads headers as Latin-1, but many servers write UTF-8 into them: the bytes stay the same if
 * they are percent-encoded one by one.
 */
export const encodeHeader = (header: string): string =>
	header.replace(/[\x80-\xff]+/g, (bytes) => percentEncode(Buffer.from(bytes, 'latin1')));

/** A query for n8n's helper that goes out as it is spelled. */
function keepQuery(query: string): IDataObject {
	const sent = query.replace(/[^\x21-\x7e]+/g, (letters) => percentEncode(Buffer.from(letters)));
	// axios leaves out an empty text, and the question mark with it. A String object is not empty to it.
	const qs: IDataObject = { toString: (): unknown => Object(sent) };
	return Object.setPrototypeOf(qs, URLSearchParams.prototype) as IDataObject;
}

/** The name under which a query holds the whole query of an address that the service gave, which may be signed. */
const SPELLED = '?';

/** A query that goes out as the service spelled it; as data, since a reading of a list is stored. */
export const spellQuery = (query: string): IDataObject => ({ [SPELLED]: query });

/** Names of parameters that sign a query. */
const SIGNED = /(^|[&_-])(sig|sign|signature|hmac|digest|expires)=/i;

/** A spelled query with the parameters of another one that it lacks, at its end; a signed one as it is. */
export function completeQuery(spelled: IDataObject, other: IDataObject): IDataObject {
	const query = toText(spelled[SPELLED]) ?? '';
	if (SIGNED.test(query)) return spelled;
	const names = new URLSearchParams(query);
	const own = typeof other[SPELLED] === 'string' ? new URLSearchParams(other[SPELLED]) : undefined;
	const lacking = [...(own ?? Object.entries(other))].flatMap(([name, value]) =>
		names.has(name) || value === undefined
			? []
			: [`${encodeURIComponent(name)}=${encodeURIComponent(toText(value) ?? '')}`],
	);
	return spellQuery([query, ...lacking].join('&'));
}

/** A query for n8n's helper. */
export const writeQuery = (query: IDataObject): IDataObject =>
	typeof query[SPELLED] === 'string' ? keepQuery(query[SPELLED]) : query;

/** The names of the parameters of a query for n8n's helper. */
export const listParameters = (qs: IDataObject): string[] =>
	qs instanceof URLSearchParams
		? [...new URLSearchParams(`${qs.toString()}`).keys()]
		: Object.keys(qs);

/** A parameter of a query. */
export function readParameter(query: IDataObject, name: string): unknown {
	const spelled = query[SPELLED];
	return typeof spelled === 'string'
		? (new URLSearchParams(spelled).get(name) ?? undefined)
		: query[name];
}

/**
 * Divides a web address for n8n's helper: axios spells the query of `url` anew, but not parameters that are a URLSearchParams.
 * The path is spelled by URL, as Node's fetch does it: dot segments are resolved, and letters percent-encoded that RFC 3986
 * does not allow. A fragment is not sent.
 */
export function divideAddress(address: string): Pick<IHttpRequestOptions, 'url' | 'qs'> {
	const url = new URL(address);
	url.search = '';
	url.hash = '';
	// A URL ignores these, too (WHATWG).
	const shown = address.replace(/[\t\r\n]/g, '').replace(/[\0- ]+$/, '');
	const [, query] = shown.match(/^[^?#]*\?([^#]*)/) ?? [];
	if (query === undefined) return { url: url.href };
	return { url: url.href, qs: keepQuery(query) };
}

/** What URL takes for steps and slashes in a path, and a server may take for letters of a name. */
const MISREAD = /\\|(^|\/)(%2e|\.%2e|%2e\.|%2e%2e)(\/|$)/i;

/**
 * Refuses an address whose path goes out as that of another file: axios asks for the path of a URL.
 *
 * @throws Problem
 */
export function refuseMisread(address: string, host: string, access: 'signed' | 'file'): void {
	const [path = ''] = address.split(/[?#]/);
	if (MISREAD.test(path)) throw new Problem('ADDRESS_REFUSED', { host, access });
}

/**
 * Finds the web address that a reference leads to.
 *
 * @param base a web address without a query
 * @returns `undefined` if it leads to none
 * @throws Problem if its path cannot be sent
 */
export function resolveAddress(reference: string, base: string): string | undefined {
	if (!URL.canParse(reference, base)) return undefined;
	const url = new URL(reference, base);
	if (!['http:', 'https:'].includes(url.protocol)) return undefined;
	refuseMisread(reference, url.host, 'signed');
	const [, query = ''] = reference.match(/^[^?#]*(\?[^#]*)/s) ?? [];
	url.search = '';
	url.hash = '';
	return url.href + query;
}

/** Where a reference leads to, for sentences: without a query, which may sign it, and without a user name and a password. */
export function showAddress(reference: string, base: string): string | undefined {
	if (!reference || !URL.canParse(reference, base)) return undefined;
	const { protocol, host, pathname } = new URL(reference, base);
	return `${protocol}//${host}${pathname}`;
}

/** An answer that may be a redirect. */
interface Redirected {
	statusCode: number;
	headers: IDataObject;
	/** The address that was asked, without its query. */
	url: string;
}

/** The address that an answer redirects to (RFC 9110, 10.2.2); `undefined` if it does not, or not to a web address. */
export function readRedirect({ statusCode, headers, url }: Redirected): string | undefined {
	const location = toText(headers.location);
	if (statusCode < 300 || statusCode > 399 || !location) return undefined;
	return resolveAddress(encodeHeader(location), url);
}

/** The address with a slash at its end, or without it if it has one. */
export const turnSlash = (address: string) =>
	address.endsWith('/') ? address.slice(0, -1) : `${address}/`;

/** The statuses of a redirect that keeps the method, and of one that may do so (RFC 9110, 15.4). */
const REDIRECTS = { keep: [307, 308], keepGet: [301, 302] };

/** Whether an answer redirects to the same address but for the slash at its end: nobody else gets the key. */
export function asksForSlash(method: string, answer: Redirected): boolean {
	const { keep, keepGet } = REDIRECTS;
	const statuses = method === 'GET' ? [...keep, ...keepGet] : keep;
	const target = readRedirect(answer)?.split('?')[0];
	return statuses.includes(answer.statusCode) && target === turnSlash(answer.url);
}
