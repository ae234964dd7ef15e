import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { writeFilters } from '../../dialect/lists';
import type { Translator } from '../../dialect/translate';
import { choosePath, endpoints, findRecordKind, resolvePath } from '../endpoints';
import { sendUntilAnswered } from './attempts';
import type { CallScope } from './attempts';
import type { CallPolicy, Connection } from '../connection';
import { wallClock } from '../clock';
import { warnOfEnd } from '../connection';
import type { EndpointName } from '../endpoints';
import { openExchange } from './exchange';
import type { Exchange } from './exchange';
import { mapConnectionError } from './failures';
import { Memory } from '../memory';
import type { StreamedBody } from './outgoing';
import { Pacer } from '../pace/pacing';
import { isProblem } from '../../problems/problem';

/** A call under this package's names. */
export interface Call {
	id?: string;
	query?: IDataObject;
	/** Whether the query has the service's names already, as that of a next page does. */
	isWritten?: boolean;
	body?: IDataObject;
}

/** The query of a call under the service's names. */
export function writeQuery(
	translator: Translator,
	name: EndpointName,
	{ query, isWritten }: { query?: IDataObject; isWritten?: boolean },
): IDataObject | undefined {
	const kind = findRecordKind(name);
	return kind && query && !isWritten ? writeFilters(translator, kind, query) : query;
}

/** The body of a call as JSON, under the service's names. */
export function writeBody(
	translator: Translator,
	name: EndpointName,
	{ id, body }: { id?: string; body?: IDataObject },
): string | undefined {
	const kind = findRecordKind(name);
	return body && JSON.stringify(kind ? translator.writeBody(kind, body, id) : body);
}

/** A request to an endpoint, under the service's names. */
interface ServiceRequest {
	id?: string;
	query?: IDataObject;
	headers: IDataObject;
	body?: string | StreamedBody;
	/** Tells, after an attempt was cut short, whether the request still has to be repeated. */
	mayRepeat?: () => Promise<boolean>;
	/** Whether the first answer is final, whatever it is. */
	isSingle?: boolean;
	/** How long the service may be silent, in ms; the policy says it otherwise. */
	timeout?: number;
}

/** One pacer for each service and organization, shared by all executions of this process: for more than one n8n has. */
const pacers = new Memory<Pacer>(1_000);

function choosePacer({ limited }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer();
	pacers.set(limited, pacer);
	return pacer;
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
	request: ServiceRequest,
	take: (exchange: Exchange) => Promise<R>,
	discard?: (response: R) => Promise<void>,
) => Promise<{ response: R; wasMaybeDone: boolean }>;

/**
 * Sends requests over a connection.
 *
 * @param scope what the calls of one run share
 * @param work names the execution, the node, its run, the item and the part of it; without it, every call is different work
 */
export function createRequester(
	connection: Connection,
	policy: CallPolicy,
	scope: CallScope,
	work: string[],
): Requester {
	const { root, access, translator, send } = connection;
	const { host } = new URL(root);
	const { idempotency, rateLimit } = translator.dialect;
	const pacer = choosePacer(connection);

	return async (name, { id, query, headers: own, body, ...limits }, take, discard) => {
		const { timeout = policy.timeout, mayRepeat, isSingle } = limits;
		const endpoint = endpoints[name];
		const isRecognised = endpoint.method === 'POST' && idempotency?.supported === true;
		const headers: IDataObject = { Accept: 'application/json', ...own };
		const [text, streamed] = typeof body === 'object' ? [undefined, body] : [body];
		if (isRecognised) {
			// Equal for equal work, so that the service recognises it even if n8n runs the node again (Retry On Fail).
			const request = [name, id ?? '', streamed?.fingerprint ?? text ?? ''];
			const digest = createHash('sha256')
				.update(JSON.stringify([work, request]))
				.digest('hex');
			const key = work.length ? `n8n-${digest.slice(0, 40)}` : randomUUID();
			headers[idempotency?.header ?? 'Idempotency-Key'] = key;
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
		let isCautious = false;
		const context = {
			endpoint,
			isRecognised,
			mayRepeat,
			isSingle,
			connection,
			rateLimit,
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
					warnOfEnd(connection, opened.headers);
					return await take(opened);
				} catch (error) {
					const problem = mapConnectionError(error, { ...asked, method: endpoint.method });
					// A service that closes the connection while it gets a body may have sent an answer before.
					isCautious = isProblem(problem, 'CONNECTION_FAILED') && streamed !== undefined;
					return problem;
				}
			},
			discard,
		);
	};
}
