import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { resolvePath } from './address';
import { readRateLimitHeaders } from '../dialect/headers';
import { sendUntilAnswered } from './attempts';
import type { CallScope } from './attempts';
import type { CallPolicy } from './callPolicy';
import { wallClock } from './clock';
import { warnOfEnd } from './connection';
import type { Connection } from './connection';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import { openExchange } from './exchange';
import type { Exchange } from './exchange';
import { mapConnectionError } from './failures';
import { deriveIdempotencyKey } from './idempotencyKey';
import type { StreamedBody } from './outgoing';
import { Pacer } from './pacing';
import { isProblem } from './problem';
import type { Problem } from './problem';
import { choosePath } from './wire';

/** A request to an endpoint, under the service's names. */
export interface Request {
	id?: string;
	query?: IDataObject;
	headers: IDataObject;
	body?: string | StreamedBody;
	/** Asked before a request whose body broke off is sent again: whether it still is to be. */
	mayRepeat?: () => Promise<boolean>;
	/** How long the service may be silent, if that is not the policy's, in ms. */
	timeout?: number;
}

/** The code of a connection that broke before the whole request was sent. */
const isUnfinished = (problem: Problem) =>
	isProblem(problem, 'CONNECTION_FAILED') && problem.facts.networkCode === 'EPIPE';

/** One pacer for each service and organization, shared by all executions of this process. */
const pacers = new Map<string, Pacer>();

function choosePacer({ limited }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer();
	pacers.set(limited, pacer);
	return pacer;
}

/**
 * Sends a call until it has its final answer: waits for the rate limit, and retries if that is safe.
 *
 * @param take reads the answer, or leaves it open, as a part of the try
 * @param discard reads what is left of an answer that nobody needs
 * @returns the answer, and whether an earlier try may have done what the call asks for
 * @throws Problem
 */
type Requester = <R extends { statusCode: number; headers: IDataObject }>(
	name: EndpointName,
	request: Request,
	take: (exchange: Exchange) => Promise<R>,
	discard: (response: R) => Promise<void>,
) => Promise<{ response: R; wasMaybeDone: boolean }>;

/**
 * Sends requests over a connection.
 *
 * @param scope what the calls of one run share
 * @param work names what the calls are for; without it, no two calls are for the same
 */
export function createRequester(
	connection: Connection,
	policy: CallPolicy,
	scope: CallScope,
	work: string[],
): Requester {
	const { root, access, translator, send } = connection;
	const { host } = new URL(root);
	const { idempotency } = translator.dialect;
	const pacer = choosePacer(connection);

	/** The `Idempotency-Key` of a call. */
	const chooseKey = (name: EndpointName, id = '', fingerprint = '') =>
		work.length ? deriveIdempotencyKey(work, [name, id, fingerprint]) : randomUUID();

	return async (name, { id, query, headers: own, body, mayRepeat, ...limits }, take, discard) => {
		const { timeout = policy.timeout } = limits;
		const endpoint = endpoints[name];
		const isRecognised = endpoint.method === 'POST' && idempotency?.supported === true;
		const headers: IDataObject = { Accept: 'application/json', ...own };
		const [text, streamed] = typeof body === 'object' ? [undefined, body] : [body];
		if (isRecognised) {
			headers[idempotency?.header ?? 'Idempotency-Key'] = chooseKey(
				name,
				id,
				streamed?.fingerprint ?? text,
			);
		}
		if (streamed) headers['Content-Type'] = streamed.contentType;
		const options: IHttpRequestOptions = {
			url: root + resolvePath(choosePath(translator, name), id),
			method: endpoint.method,
			headers,
			qs: query,
			body: text,
			disableFollowRedirect: true,
		};
		/** Whether the last try broke off while its body was sent. */
		let isBrokenOff = false;
		let isCautious = false;
		const context = {
			endpoint,
			isRecognised,
			mayRepeat: async () => !isBrokenOff || !mayRepeat || (await mayRepeat()),
			connection,
			policy,
			pacer,
			scope,
			clock: wallClock,
		};
		return await sendUntilAnswered(
			context,
			async () => {
				const asked = { host, access };
				try {
					const sent = { send, options, asked, body: streamed, isCautious };
					const opened = await openExchange(sent, { ...policy, timeout });
					const headers = readRateLimitHeaders(translator.dialect, opened.headers);
					warnOfEnd(connection, headers);
					return await take({ ...opened, headers });
				} catch (error) {
					const problem = mapConnectionError(error, { ...asked, method: endpoint.method });
					// A service that closes the connection while a body is sent may have said why.
					isCautious = isProblem(problem, 'CONNECTION_FAILED') && streamed !== undefined;
					isBrokenOff = isCautious && isUnfinished(problem);
					return problem;
				}
			},
			discard,
		);
	};
}
