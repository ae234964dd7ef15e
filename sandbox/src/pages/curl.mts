import type { SeededOrganization } from '../accounts/organizations.mts';
import type { JournalEntry } from '../requests/journal.mts';
import type { Service } from '../service.mts';

/** Headers that curl sends itself, or that hold for one connection only. */
const ownHeaders = new Set(
	'host connection content-length transfer-encoding accept-encoding accept user-agent expect'.split(
		' ',
	),
);

/** A curl command, ready to be pasted into a shell. `body` is sent as it is. */
export function formatCurl(
	method: string,
	url: string,
	headers: [name: string, value: string][],
	body?: string,
): string {
	const parts = [
		`curl ${method === 'GET' ? '' : `-X ${method} `}${quoteForShell(url)}`,
		...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
		...(body === undefined ? [] : [`--data-binary ${quoteForShell(body)}`]),
	];
	return parts.join(' \\\n  ');
}

/** The headers of a request with a test key of an organization. */
export function keyHeaders({ id, testKey }: SeededOrganization): [string, string][] {
	return [
		['Authorization', `Bearer ${testKey}`],
		['X-Organization-ID', id],
	];
}

/** The request of a journal entry as a curl command, with the real key or token if the sandbox still has it. */
export function formatEntryAsCurl(
	service: Service,
	{ method, url, request }: JournalEntry,
): string {
	const headers = request.headers
		.filter(([name]) => !ownHeaders.has(name.toLowerCase()))
		.map(([name, value]): [string, string] =>
			name.toLowerCase() === 'authorization'
				? [name, restoreSecret(service, value)]
				: [name, value],
		);
	const { text, bytes, cut } = request.body;
	const body = bytes === 0 ? undefined : cut ? '@FILE' : text;
	return formatCurl(method, `${service.url}${url}`, headers, body);
}

/** Replaces a masked key such as `sk_live_…abcd` by the key that ends like it. */
function restoreSecret({ organizations, tokens }: Service, value: string): string {
	const masked = /(\w+_)…(\w+)$/.exec(value);
	if (!masked) return value;
	const [whole, prefix = '', end = ''] = masked;
	const secrets = [
		tokens.operatorToken(),
		...organizations
			.all()
			.flatMap(({ liveKey, testKey, customerToken }) => [liveKey, testKey, customerToken]),
	];
	const found = secrets.find((one) => one.startsWith(prefix) && one.endsWith(end));
	return found === undefined ? value : value.replace(whole, found);
}

function quoteForShell(text: string): string {
	return /^[\w:/.@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
