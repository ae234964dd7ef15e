import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { writeFilters } from '../../dialect/lists';
import { Problem } from '../../problems/problem';
import type { ServiceRecord } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
import type { CallPolicy, Connection } from '../connection';
import { endpoints, kindsByEndpoint } from '../endpoints';
import type { Endpoint, EndpointName } from '../endpoints';
import { toText } from '../json';
import { writeJson } from '../jsonText';
import { Memory } from '../memory';
import { Pacer } from '../pace/pacing';
import type { PacedAnswer } from '../pace/pacing';
import { asksForSlash, turnSlash, writeQuery } from './address';
import type { Answer } from './answer';
import { sendRequest } from './attempts';
import type { CallScope } from './attempts';
import type { Exchange, SeenAnswer } from './exchange';
import type { StreamedBody } from './outgoing';

/** A call to an endpoint. */
export interface Call {
	id?: string;
	/** The method, and the path with or without `{id}`, that the dialect names in place of those of the endpoint. */
	own?: Pick<Endpoint, 'method' | 'path'>;
	/** Under this package's names. */
	query?: IDataObject;
	/** Whether the query has the service's names already, as that of a next page does. */
	isWritten?: boolean;
	/** Under this package's names; as text or as a stream, under the service's names. */
	body?: IDataObject | string | StreamedBody;
	headers?: IDataObject;
	/** Tells, after an attempt was cut short, whether the call still has to be repeated. */
	mayRepeat?: () => Promise<boolean>;
	/** Whether the change overwrites any version of the record. A version is still named if the service demands one. */
	isAnyVersion?: boolean;
	/** Whether the first answer is final, whatever it is. */
	isSingle?: boolean;
	/** How long the service may be silent, in ms; the policy says it otherwise. */
	timeout?: number;
	/** Called before each request is sent: one call may take several. An error that it throws ends the call. */
	onRequest?: (request: IHttpRequestOptions) => void;
	/** Called with the final answer, before it is read any further. */
	onAnswer?: (answer: SeenAnswer) => void;
}

/** The calls of one execution to the service. Every method throws nothing but Problem. */
export interface CallApi {
	/** Makes a call and gives the record of the answer, taken out of its envelope; `{}` if there is none. */
	call(name: EndpointName, call?: Call): Promise<ServiceRecord>;
	/** Makes a call and gives the whole answer. */
	answer(name: EndpointName, call?: Call): Promise<Answer>;
	/** The record of an answer, as `call` gives it. */
	readRecord(name: EndpointName, answer: Answer): ServiceRecord;
	/** The address of the service, by which facts about it are remembered between executions. */
	readonly root: string;
	/** Speaks the service's own names. */
	readonly translator: Translator;
	/** Aborts when the execution is cancelled. */
	readonly signal?: AbortSignal;
}

/**
 * One pacer for each service, organization and choice of the rate limit, shared by all executions of this process. n8n gives a
 * node nothing through which several processes could share it.
 */
const pacers = new Memory<Pacer>(1_000);

/** Gives the pacer that spaces the requests of everybody who shares a limit. */
export function choosePacer({ account, windows }: Pick<Connection, 'account' | 'windows'>): Pacer {
	const limit = JSON.stringify([account, windows]);
	const pacer = pacers.get(limit) ?? new Pacer(windows);
	pacers.set(limit, pacer);
	return pacer;
}

/** The settings that all calls of an item share. */
export interface CallContext {
	connection: Connection;
	policy: CallPolicy;
	/** What the calls of all items of a run share. */
	scope: CallScope;
	/** The ids of the execution, the node, its run, the item and the part of it. Empty: no two calls do the same work. */
	work: string[];
}

/**
 * A path with its identifier, percent-encoded. A dialect may name the path of webhook registrations.
 *
 * @throws Problem if the identifier is empty, or `.` or `..`, which a URL resolves as a step even if they are encoded
 */
function writePath({ dialect }: Translator, asked: string, id?: string): string {
	const registrations = endpoints['webhooks.list'].path;
	const own = dialect.registration?.path ?? registrations;
	const path = asked.replace(registrations, () => own);
	if (!path.includes('{id}')) return path;
	if (id === undefined || ['', '.', '..'].includes(id)) {
		throw new Problem('NOT_AN_IDENTIFIER', { id: id ?? '' });
	}
	return path.replace('{id}', () => encodeURIComponent(id));
}

const isStreamed = (body: Call['body']): body is StreamedBody =>
	typeof body === 'object' && typeof body.open === 'function';

/** The query and the body of a call under the service's names. The body is a stream, or text. */
function writeCall(
	translator: Translator,
	name: EndpointName,
	{ query, isWritten, body }: Call,
): { qs?: IDataObject; text?: string; stream?: StreamedBody } {
	const kind = kindsByEndpoint[name];
	const written = kind && query && !isWritten ? writeFilters(translator, kind, query) : query;
	const qs = written && writeQuery(written);
	if (typeof body !== 'object') return { qs, text: body };
	if (isStreamed(body)) return { qs, stream: body };
	return { qs, text: writeJson(kind ? translator.writeBody(kind, body) : body) };
}

/**
 * The key by which the service recognizes a call that it had before. It is equal for equal work, even if n8n runs the
 * node again (Retry On Fail).
 */
function makeIdempotencyKey(work: string[], call: string[]): string {
	if (!work.length) return randomUUID();
	const digest = createHash('sha256')
		.update(JSON.stringify([work, call]))
		.digest('hex');
	return `n8n-${digest.slice(0, 40)}`;
}

/** The services whose deprecation is in the log already. */
const warnedAbout = new Memory<true>(1_000);

/** Warns once for each service that its API is deprecated, if an answer says so (A-44, RFC 9745, RFC 8594). */
function warnOfDeprecation({ root, warn }: Connection, headers: IDataObject): void {
	if (!(headers.deprecation ?? headers.sunset) || warnedAbout.has(root)) return;
	warnedAbout.set(root, true);
	const until = toText(headers.sunset);
	const end = until ? ` and ends on ${until}` : '';
	warn(
		`${root} says that this version of its API is deprecated${end}. Look for an update of n8n-nodes-dossier.`,
	);
}

/**
 * Sends a call until it has its final answer: writes it under the service's names, waits for the rate limit, and retries if
 * that is safe.
 *
 * @param take reads the answer, as in `sendRequest`
 * @param discard reads the rest of an answer before a retry, as in `sendRequest`
 * @returns the answer, and whether an earlier attempt may have done what the call asks for
 * @throws Problem
 */
export async function sendCall<R extends PacedAnswer>(
	context: CallContext,
	name: EndpointName,
	call: Call,
	take: (exchange: Exchange) => R | Promise<R>,
	discard?: (response: R) => Promise<unknown>,
): Promise<{ response: R; wasMaybeDone: boolean }> {
	const { connection, policy, scope, work } = context;
	const { root, host, access, translator, send } = connection;
	const { idempotency } = translator.dialect;
	const { id = '', timeout = policy.timeout, mayRepeat, isSingle } = call;
	const { method, path } = call.own ?? endpoints[name];
	const { qs, text, stream } = writeCall(translator, name, call);
	const headers: IDataObject = { Accept: 'application/json', ...call.headers };
	headers['Content-Type'] = stream?.contentType ?? 'application/json';
	const hasIdempotencyKey = method === 'POST' && idempotency?.supported === true;
	if (hasIdempotencyKey) {
		const key = makeIdempotencyKey(work, [name, id, stream?.fingerprint ?? text ?? '']);
		headers[idempotency.header ?? 'Idempotency-Key'] = key;
	}
	const options = {
		method,
		headers,
		qs,
		body: text,
		disableFollowRedirect: true,
	};
	const sendWatched: typeof send = async (sent) => {
		call.onRequest?.(sent);
		return await send(sent);
	};
	const attempts = {
		method,
		hasIdempotencyKey,
		mayRepeat,
		isSingle,
		connection,
		policy: { ...policy, timeout },
		pacer: choosePacer(connection),
		scope,
	};
	const takeWatched = async (exchange: Exchange) => {
		warnOfDeprecation(connection, exchange.headers);
		return await take(exchange);
	};
	const sendTo = async (url: string) => {
		const recipient = { host, access };
		const request = { send: sendWatched, options: { ...options, url }, recipient, body: stream };
		return await sendRequest(attempts, request, takeWatched, discard);
	};
	const { otherEndings } = scope;
	const address = root + writePath(translator, path, id);
	const url = otherEndings.has(path) ? turnSlash(address) : address;
	const sent = await sendTo(url);
	if (!asksForSlash(method, { ...sent.response, url })) return sent;
	if (!otherEndings.delete(path)) otherEndings.add(path);
	await discard?.(sent.response).catch(() => undefined);
	return await sendTo(turnSlash(url));
}
