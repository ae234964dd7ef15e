import { createHash, randomUUID } from 'crypto';
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
	/** Tells, after the body of a request broke off, whether the request still has to be repeated. */
	mayRepeat?: () => Promise<boolean>;
	/** How long the service may be silent, in ms; the policy says it otherwise. */
	timeout?: number;
}

/** Whether the connection broke before the whole request was sent. */
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
 * The `Idempotency-Key` of a request. It is equal for equal work, so that a service that has done the work
 * recognises the request even if n8n runs the node again (Retry On Fail).
 *
 * @param work names the execution, the node, its run, the item and the part of it
 * @param request the operation, the id and the fingerprint of the body
 */
function deriveIdempotencyKey(work: string[], request: string[]): string {
	const digest = createHash('sha256')
		.update(JSON.stringify([work, request]))
		.digest('hex');
	return `n8n-${digest.slice(0, 40)}`;
}

/**
 * Sends a call until it has its final answer: waits for the rate limit, and retries if that is safe.
 *
 * @param take reads the answer, or leaves it open; a connection that breaks meanwhile fails the attempt
 * @param discard reads the rest of an answer before a retry
 * @returns the answer, and whether an earlier attempt may have done what the call asks for
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
 * @param work names the work that the calls do; without it, every call is different work
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
		/** Whether the last attempt broke off while its body was sent. */
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
					// A service that closes the connection while it gets a body may have sent an answer before.
					isCautious = isProblem(problem, 'CONNECTION_FAILED') && streamed !== undefined;
					isBrokenOff = isCautious && isUnfinished(problem);
					return problem;
				}
			},
			discard,
		);
	};
}
