import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { divideAddress, readRedirect, refuseMisread } from '../send/address';
import { readExplanation } from '../send/exchange';
import { CallScope, sendRequest } from '../send/attempts';
import type { CallPolicy, Connection, Send } from '../connection';
import type { Exchange } from '../send/exchange';
import { mapRefusal } from '../send/failures';
import type { StreamedBody } from '../send/outgoing';
import { readText } from '../send/text';
import { Pacer } from '../pace/pacing';
import { Problem } from '../../problems/problem';
import { toText } from '../json';

/** An address outside the API: `signed` if the service gave it out for a file, `file` if it is in the form. */
export interface Address {
	url: string;
	access: 'signed' | 'file';
	/** Whether a `file` and its redirects must not lead into a private network, as a signed one never may. */
	isGuarded?: boolean;
	/** A file that is brought there with PUT; without it, the address is read. */
	body?: StreamedBody;
	/** Called before each request is sent; there are several if the address redirects. */
	onRequest?: (request: IHttpRequestOptions) => void;
}

/** Statuses of an address that may want the key. */
const WANTS_KEY = [401, 403];

/** How many redirects in a row are followed, as in browsers. */
const MOST_REDIRECTS = 20;

/** The part of a connection that opening an address needs. */
type Opener = Pick<Connection, 'send' | 'fetch' | 'root' | 'secret' | 'warn'>;

/** What gives access to an address: the values of its query, as they are written and as they are read, and of its headers. */
function listSecrets(url: string, headers: IDataObject): string[] {
	const { search, searchParams } = new URL(url);
	const written = search.split(/[?&]/).map((pair) => pair.replace(/^[^=]*=/, ''));
	const own = Object.entries(headers).filter(([name]) => !/^(content-|accept|range)/i.test(name));
	return [...written, ...searchParams.values(), ...own.map(([, value]) => toText(value) ?? '')];
}

/** Opens an address, or gives the one that it redirects to. */
async function openOne(
	connection: Opener,
	policy: CallPolicy,
	{ url, access, isGuarded = access === 'signed', body, onRequest }: Address,
	headers: IDataObject,
	hasKey = false,
): Promise<Exchange | string> {
	const { root, secret } = connection;
	if (isGuarded) refusePrivateAddress(url, root, access);
	const { host, origin, username, password } = new URL(url);
	if (username || password) throw new Problem('ADDRESS_REFUSED', { host, access });
	refuseMisread(url, host, access);
	const method = body ? ('PUT' as const) : ('GET' as const);
	const options = { ...divideAddress(url), method, headers, disableFollowRedirect: true };
	const send: Send = async (sent) => {
		onRequest?.(sent);
		return await (hasKey ? connection.send : connection.fetch)(sent);
	};
	const context = {
		method,
		hasIdempotencyKey: false,
		connection: { ...connection, root: origin },
		policy,
		pacer: new Pacer(),
		// An upload may hold the last slot while it waits for this.
		scope: new CallScope({ concurrency: Infinity }),
	};
	const request = { send, options, recipient: { host, access }, body };
	const leaveOpen = (opened: Exchange) => opened;
	const sent = await sendRequest(context, request, leaveOpen, readExplanation);
	const { response: exchange } = sent;
	const { statusCode, headers: answered } = exchange;
	if (statusCode < 300) return exchange;
	const { text } = readText(answered, await readExplanation(exchange));
	const target = readRedirect(exchange);
	if (target) return target;
	// A path of the service itself may want the key, which goes to nothing else.
	const wantsKey = access === 'signed' && !hasKey && WANTS_KEY.includes(statusCode);
	if (wantsKey && url.startsWith(`${root}/`)) {
		return await openOne(connection, policy, { url, access, body, onRequest }, headers, true);
	}
	const secrets = [secret, ...listSecrets(url, headers)];
	throw mapRefusal(statusCode, text, undefined, { access, secrets });
}

/**
 * Opens an address outside the API, or brings a file there. The request carries no key and no token, unless an address of
 * the service itself refuses it without one. It is retried like any other GET or PUT. An address that the service or a
 * model gave, and each redirect from it, must not lead into a private network. No address may contain a user name, which n8n
 * would send as a credential, or a path that n8n would send as another one.
 *
 * @throws Problem
 */
export async function openAddress(
	connection: Opener,
	policy: CallPolicy,
	address: Address,
	headers: IDataObject = {},
): Promise<Exchange> {
	let { url } = address;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const opened = await openOne(connection, policy, { ...address, url }, headers);
		if (typeof opened !== 'string') return opened;
		url = opened;
	}
	const { host } = new URL(address.url);
	throw new Problem('REDIRECTED', { host, access: address.access, status: 302 });
}

/** An address and the length of its prefix in bits. */
type Network = readonly [start: string, length: number];

/** Networks for links, such as that of the metadata services of clouds (RFC 3927). */
const LINK_LOCAL: Network = ['169.254.0.0', 16];

/** Networks that are not public: private ones, this machine, and those for special purposes (RFC 6890). */
const PRIVATE_NETWORKS: Network[] = [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['224.0.0.0', 3],
];

const toNumber = (address: string) =>
	address.split('.').reduce((number, byte) => number * 256 + Number(byte), 0);

/** Whether a host is an address in a network; a name is in none. */
function isIn(host: string, [start, length]: Network): boolean {
	const size = 2 ** (32 - length);
	return Math.floor(toNumber(host) / size) === toNumber(start) / size;
}

/** Global unicast (RFC 4291), but for tunnels, which may lead to any IPv4 address, and examples (RFC 3056, 4380, 3849). */
const PUBLIC_IPV6 = /^\[(?!2002:|2001:(0|db8)?:)[23][\da-f]{3}:/;

/** This machine, and unique local addresses (RFC 4193). */
const PRIVATE_IPV6 = /^\[(::1\]|f[cd][\da-f]{2}:)/;

/** Names that no public DNS has, and that of a widespread router. */
const PRIVATE_NAME =
	/^[^.]+$|(^|\.)(localhost|local|internal|intranet|private|lan|home|home\.arpa|corp|fritz\.box)$/;

/** Where a host is, in the spelling of URL. Other IPv6 addresses count as link-local, because they may stand for one. */
function locateHost(host: string): 'public' | 'private' | 'link-local' {
	if (PUBLIC_IPV6.test(host)) return 'public';
	if (PRIVATE_IPV6.test(host)) return 'private';
	if (host.startsWith('[') || isIn(host, LINK_LOCAL)) return 'link-local';
	const isPrivate = PRIVATE_NAME.test(host) || PRIVATE_NETWORKS.some((one) => isIn(host, one));
	return isPrivate ? 'private' : 'public';
}

/** The host of an address, without the dot that may end a name. */
const readHost = ({ hostname }: URL) => hostname.replace(/\.$/, '');

/**
 * Refuses an address that the service gives for a file if it leads into a private network, unless the service is in one
 * itself, and always if it leads to a link-local address or, without https, to another public host. Host names are not
 * resolved: n8n's own protection checks the addresses that they resolve to.
 *
 * @param root address of the service
 * @throws Problem
 */
export function refusePrivateAddress(
	address: string,
	root: string,
	access: Address['access'] = 'signed',
): void {
	const target = new URL(address);
	const [host, service] = [readHost(target), readHost(new URL(root))];
	if (host === service) return;
	const place = locateHost(host);
	if (place === 'public' && target.protocol === 'https:') return;
	if (place === 'private' && locateHost(service) !== 'public') return;
	throw new Problem('ADDRESS_REFUSED', { host: target.host, access });
}
