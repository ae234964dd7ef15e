import type { IDataObject } from 'n8n-workflow';
import { readExplanation, readRedirect, openExchange } from '../send/exchange';
import { CallScope, sendUntilAnswered } from '../send/attempts';
import type { CallPolicy, Connection } from '../connection';
import type { Exchange } from '../send/exchange';
import { mapConnectionError, mapRefusal, redact } from '../send/failures';
import { Pacer } from '../pace/pacing';
import { Problem } from '../../problems/problem';

/** An address outside the API: `signed` if the service gave it out for a file, `file` if it is in the form. */
export interface Address {
	url: string;
	access: 'signed' | 'file';
	/** Whether a `file` and its redirects must not lead into a private network, as a signed one never may. */
	isGuarded?: boolean;
}

/** Statuses of an address that may want the key. */
const WANTS_KEY = [401, 403];

/** How many redirects in a row are followed from a signed address. */
const MOST_REDIRECTS = 5;

/** What opening an address needs of the connection. */
type Opener = Pick<Connection, 'send' | 'fetch' | 'root' | 'secret' | 'warn'>;

/** Opens an address, or gives the one that it redirects to. */
async function openOne(
	connection: Opener,
	policy: CallPolicy,
	{ url, access, isGuarded = access === 'signed' }: Address,
	headers: IDataObject,
	hasKey = false,
): Promise<Exchange | string> {
	const { root, secret } = connection;
	if (isGuarded) refusePrivateAddress(url, root);
	const { host, origin } = new URL(url);
	const asked = { host, access };
	const options = { url, headers, disableFollowRedirect: isGuarded };
	const send = hasKey ? connection.send : connection.fetch;
	const { response: exchange } = await sendUntilAnswered(
		{
			method: 'GET',
			isRecognised: false,
			connection: { ...connection, root: origin, windows: [], credential: '' },
			policy,
			pacer: new Pacer(),
			// An upload may hold the last slot while it waits for this.
			scope: new CallScope({ ...policy, concurrency: Infinity, startConcurrency: undefined }),
		},
		async () =>
			await openExchange({ send, options, asked }, policy).catch((error: unknown) =>
				mapConnectionError(error, { ...asked, method: 'GET' }),
			),
		readExplanation,
	);
	const { statusCode } = exchange;
	if (statusCode < 300) return exchange;
	const body = await readExplanation(exchange);
	const target = readRedirect(exchange);
	if (target) return target;
	// A path of the service itself may want the key, which goes to nothing else.
	const wantsKey = access === 'signed' && !hasKey && WANTS_KEY.includes(statusCode);
	if (wantsKey && url.startsWith(`${root}/`)) {
		return await openOne(connection, policy, { url, access }, headers, true);
	}
	throw mapRefusal(statusCode, redact(body, secret), undefined, { access });
}

/**
 * Opens an address outside the API. The request carries no key and no token, unless an address of the service itself
 * refuses it without one. It is retried like any other GET. An address that the service or a model gave, and each redirect
 * from it, must not lead into a private network.
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

/** Hosts of private networks and of this machine (RFC 1918, 6598, 3927, 4193, 4291; names that no public DNS has). */
const PRIVATE_HOSTS = [
	/^(0|10|127)\./,
	/^169\.254\./,
	/^172\.(1[6-9]|2\d|3[01])\./,
	/^192\.168\./,
	/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
	/^\[(::1?|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*|::ffff:.*)\]$/i,
	/^[^.:]+$/,
	/\.(localhost|local|internal|lan|home|corp)\.?$/i,
];

const isPrivate = (hostname: string) => PRIVATE_HOSTS.some((host) => host.test(hostname));

/**
 * Refuses an address that the service gives for a file if it leads into a private network, unless the service is in one
 * itself. Host names are not resolved: n8n's own protection checks the addresses that they resolve to.
 *
 * @param root address of the service
 * @throws Problem
 */
export function refusePrivateAddress(address: string, root: string): void {
	const [target, service] = [new URL(address), new URL(root)];
	if (target.hostname === service.hostname || isPrivate(service.hostname)) return;
	if (target.protocol === 'https:' && !isPrivate(target.hostname)) return;
	throw new Problem('ADDRESS_REFUSED', { host: target.host });
}
