import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { readExplanation, readRedirect } from './answers';
import { CallScope, sendUntilAnswered } from './attempts';
import type { CallPolicy } from './callPolicy';
import { wallClock } from './clock';
import { openExchange } from './exchange';
import type { Exchange, Send } from './exchange';
import { mapConnectionError, mapRefusal } from './failures';
import { refusePrivateAddress } from './fileAddress';
import { Pacer } from './pacing';
import { Problem } from './problem';

/** An address outside the API: `signed` if the service gave it out for a file, `file` if it is in the form. */
export interface Address {
	url: string;
	access: 'signed' | 'file';
}

/** An answer whose body is not read yet. */
export interface Opened {
	statusCode: number;
	headers: IDataObject;
	exchange: Exchange;
}

/** What opening an address needs of a connection. */
interface AddressContext {
	/** Sends a request with the key or the token. */
	send: Send;
	/** Sends a request without a key or token. */
	fetch: Send;
	/** The address of the service. */
	root: string;
}

export const leaveOpen = (exchange: Exchange): Opened => ({
	statusCode: exchange.status,
	headers: exchange.headers,
	exchange,
});

/** Reads what is left of an answer that nobody needs. */
export const discard = async ({ exchange }: Opened): Promise<void> => {
	await readExplanation(exchange);
};

/** Statuses of an address that may want the key. */
const WANTS_KEY = [401, 403];

/** How many redirects in a row are followed from a signed address. */
const MOST_REDIRECTS = 5;

/**
 * Opens addresses outside the API. Requests to them carry no key and no token, unless an address of the service itself
 * refuses them without it. They are retried like any other GET. An
 * address that the service gave out, and each redirect from it, must not lead into a private network.
 */
export function createAddressOpener(
	{ send: sendWithKey, fetch, root }: AddressContext,
	policy: CallPolicy,
) {
	const openOne = async (
		{ url, access }: Address,
		headers: IDataObject,
		hasKey = false,
	): Promise<Exchange | string> => {
		const isSigned = access === 'signed';
		if (isSigned) refusePrivateAddress(url, root);
		const { host, origin } = new URL(url);
		const asked = { host, access };
		const options: IHttpRequestOptions = {
			url,
			method: 'GET',
			headers,
			disableFollowRedirect: isSigned,
		};
		const send = hasKey ? sendWithKey : fetch;
		const { response } = await sendUntilAnswered(
			{
				endpoint: { method: 'GET', path: url, access: 'public' },
				isRecognised: false,
				connection: { root: origin, windows: [], credential: '' },
				policy,
				pacer: new Pacer(),
				// An upload may hold the last slot while it waits for this.
				scope: new CallScope({ ...policy, concurrency: Infinity, startConcurrency: undefined }),
				clock: wallClock,
			},
			async () =>
				await openExchange({ send, options, asked }, policy).then(leaveOpen, (error: unknown) =>
					mapConnectionError(error, { ...asked, method: 'GET' }),
				),
			discard,
		);
		const { exchange } = response;
		if (exchange.status < 300) return exchange;
		const body = await readExplanation(exchange);
		const target = readRedirect(exchange);
		if (target) return target;
		// A path of the service itself may want the key, which goes to nothing else.
		const wantsKey = isSigned && !hasKey && WANTS_KEY.includes(exchange.status);
		if (wantsKey && url.startsWith(`${root}/`))
			return await openOne({ url, access }, headers, true);
		throw mapRefusal(exchange.status, body, undefined, { access });
	};

	return async ({ url, access }: Address, headers: IDataObject = {}): Promise<Exchange> => {
		let target = url;
		for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
			const opened = await openOne({ url: target, access }, headers);
			if (typeof opened !== 'string') return opened;
			target = opened;
		}
		throw new Problem('REDIRECTED', { host: new URL(url).host, access, status: 302 });
	};
}
