import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { readExplanation } from './answers';
import { CallScope, sendUntilAnswered } from './attempts';
import type { CallPolicy } from './callPolicy';
import { wallClock } from './clock';
import { openExchange } from './exchange';
import type { Exchange, Send } from './exchange';
import { mapConnectionError, mapRefusal } from './failures';
import { Pacer } from './pacing';

/** An address outside the API: one that the service gave out for a file, or one in the form. */
export interface Address {
	url: string;
	access: 'signed' | 'file';
}

/** An answer that is left open, as a part of a try. */
export interface Opened {
	statusCode: number;
	headers: IDataObject;
	exchange: Exchange;
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

/** Opens addresses outside the API, which get no key and no token, and are asked again as any other GET. */
export const createAddressOpener =
	(send: Send, policy: CallPolicy) =>
	async ({ url, access }: Address, headers: IDataObject = {}): Promise<Exchange> => {
		const { host, origin } = new URL(url);
		const asked = { host, access };
		const options: IHttpRequestOptions = { url, method: 'GET', headers };
		const { response } = await sendUntilAnswered(
			{
				endpoint: { method: 'GET', path: url, access: 'public' },
				isRecognised: false,
				connection: { root: origin, windows: [], credential: '' },
				policy,
				pacer: new Pacer(),
				// An upload that holds a slot may be waiting for this.
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
		throw mapRefusal(exchange.status, body, undefined, access);
	};
