import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { resolvePath } from './address';
import { readBytes, readExplanation, readRedirect } from './answers';
import type { Answer } from './answers';
import { createAddressOpener, discard, leaveOpen } from './addresses';
import type { Address, Opened } from './addresses';
import { CallScope, sendUntilAnswered } from './attempts';
import type { CallPolicy } from './callPolicy';
import { wallClock } from './clock';
import { warnOfEnd } from './connection';
import type { Translator } from '../dialect/translate';
import type { Connection } from './connection';
import { readRateLimitHeaders } from '../dialect/headers';
import { endpoints, findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { openExchange } from './exchange';
import type { Exchange, StreamedBody } from './exchange';
import { mapConnectionError, mapRefusal, readRefusedStatus } from './failures';
import { deriveIdempotencyKey } from './idempotencyKey';
import { Pacer } from './pacing';
import { mediaType } from './fileName';
import { isProblem, Problem } from './problem';
import { redact } from './redaction';
import { isRecord, parseJson, toText } from './values';
import { choosePageSize, choosePath, readAnswerRecord, writeBody, writeQuery } from './wire';

export interface Call {
	id?: string;
	query?: IDataObject;
	/** The query is under the service's names already, as that of a next page is. */
	isWritten?: boolean;
	body?: IDataObject;
}

interface Image {
	content: Buffer;
	mimeType: string;
}

/** The service over HTTP, for one execution and one credential. Every method throws nothing but Problem. */
export interface Api {
	/** Makes a call and gives the whole answer. */
	answer(name: EndpointName, call?: Call): Promise<Answer>;
	/** Makes a call and gives the record of the answer, taken out of its envelope; `{}` if there is none. */
	call(name: EndpointName, call?: Call): Promise<IDataObject>;
	/** Sends a body that is written while it goes, and gives the record of the answer. */
	upload(name: EndpointName, id: string | undefined, body: StreamedBody): Promise<IDataObject>;
	/** Makes a call that is answered with a record or, by some services, with an image alone. */
	callForImage(name: EndpointName, call: Call): Promise<{ record: IDataObject; image?: Image }>;
	/**
	 * Opens an answer without reading it, also if it is at an address that the service redirects to. Whoever opens it
	 * reads it to its end, or closes it.
	 */
	open(name: EndpointName, call: Call, headers?: IDataObject): Promise<Exchange>;
	/** Opens another address, which gets no key and no token, as `open` does. */
	openAddress(address: Address, headers?: IDataObject): Promise<Exchange>;
	/**
	 * The same service for one piece of work, by its names: a request that is sent again for the same work has the same
	 * `Idempotency-Key`.
	 */
	forWork(...work: string[]): Api;
	/** Names the service that this is connected to, for what is remembered between executions. */
	readonly root: string;
	/** How many requests may be under way at once. */
	readonly concurrency: number;
	/** How many records are asked for at a time. */
	readonly pageSize: number;
	/** Speaks the service's own names. */
	readonly translator: Translator;
	/** Aborts when the execution is cancelled. */
	readonly signal?: AbortSignal;
}

/** One pacer for each service and organization, shared by all executions of this process. */
const pacers = new Map<string, Pacer>();

function choosePacer({ limited }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer();
	pacers.set(limited, pacer);
	return pacer;
}

/** An answer that was read. */
interface Response {
	statusCode: number;
	headers: IDataObject;
	body: Buffer;
}

interface Request {
	id?: string;
	query?: IDataObject;
	headers: IDataObject;
	body?: string | StreamedBody;
}

/**
 * Calls the service over a connection.
 *
 * @param scope what the calls of one run share
 * @param work names what the calls are for; without it, no two calls are for the same
 */
export function createApi(
	connection: Connection,
	policy: CallPolicy,
	scope = new CallScope(policy),
	work: string[] = [],
): Api {
	const { root, access, translator } = connection;
	const { host } = new URL(root);
	const { idempotency } = translator.dialect;
	const pacer = choosePacer(connection);

	/** The `Idempotency-Key` of a call. */
	const chooseKey = (name: EndpointName, id = '', fingerprint = '') =>
		work.length ? deriveIdempotencyKey(work, [name, id, fingerprint]) : randomUUID();

	/**
	 * Sends a call until it has its final answer: waits for the rate limit, and retries if that is safe.
	 *
	 * @param take reads the answer, or leaves it open, as a part of the try
	 */
	async function request<R extends { statusCode: number; headers: IDataObject }>(
		name: EndpointName,
		{ id, query, headers: own, body }: Request,
		take: (exchange: Exchange) => Promise<R>,
		discardResponse: (response: R) => Promise<void>,
	): Promise<{ response: R; wasMaybeDone: boolean }> {
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
		let isCautious = false;
		const context = { endpoint, isRecognised, connection, policy, pacer, scope, clock: wallClock };
		return await sendUntilAnswered(
			context,
			async () => {
				const { send } = connection;
				const asked = { host, access };
				try {
					const sent = { send, options, asked, body: streamed, isCautious };
					const opened = await openExchange(sent, policy);
					const headers = readRateLimitHeaders(translator.dialect, opened.headers);
					const exchange = { ...opened, headers };
					warnOfEnd(connection, exchange.headers);
					return await take(exchange);
				} catch (error) {
					const problem = mapConnectionError(error, { ...asked, method: endpoint.method });
					// A service that closes the connection while a body is sent may have said why.
					isCautious = isProblem(problem, 'CONNECTION_FAILED') && streamed !== undefined;
					return problem;
				}
			},
			discardResponse,
		);
	}

	async function readAnswer(exchange: Exchange): Promise<Response> {
		const { status: statusCode, headers } = exchange;
		const body =
			statusCode >= 300
				? Buffer.from(await readExplanation(exchange))
				: await readBytes(exchange.pieces(), host);
		return { statusCode, headers, body };
	}

	const read = async (name: EndpointName, wanted: Request) =>
		await request(name, wanted, readAnswer, async () => await Promise.resolve());

	/** Throws what a status above 300 stands for. */
	function refuse(name: EndpointName, status: number, headers: IDataObject, body: string): void {
		const { secret } = connection;
		const requestId = toText(headers['x-request-id']);
		if (status >= 400) {
			const asked = { access, translator, kind: findRecordKind(name) };
			throw mapRefusal(status, redact(body, secret), requestId, asked);
		}
		if (status < 300) return;
		const target = redact(toText(headers.location) ?? '', secret).split('?')[0] || undefined;
		throw new Problem('REDIRECTED', { host, access, target, status });
	}

	/** Refuses everything that is not a good answer of the service, and parses the rest. */
	function parse(name: EndpointName, { statusCode: status, headers, body }: Response): Answer {
		const text = body.toString('utf8').replace(/^\uFEFF/, '');
		refuse(name, status, headers, text);
		if (!text.trim()) return { status, headers, body: undefined };
		const parsed = parseJson(text);
		const refused = readRefusedStatus(parsed);
		if (refused !== undefined) refuse(name, refused, headers, text);
		if (isRecord(parsed)) return { status, headers, body: parsed };
		if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
		throw new Problem('NOT_THE_SERVICE', { host, access, status });
	}

	const openAddress = createAddressOpener(connection, policy);

	const open: Api['open'] = async (name, call, own = {}) => {
		const { id } = call;
		const query = writeQuery(translator, name, call);
		const headers = { 'Content-Type': 'application/json', Accept: '*/*', ...own };
		const { response } = await request<Opened>(
			name,
			{ id, query, headers },
			async (exchange) => await Promise.resolve(leaveOpen(exchange)),
			discard,
		);
		const { exchange } = response;
		if (exchange.status < 300) return exchange;
		const body = await readExplanation(exchange);
		const target = readRedirect(exchange);
		if (target) return await openAddress({ url: target, access: 'signed' }, own);
		refuse(name, exchange.status, exchange.headers, body);
		return exchange;
	};

	const answer: Api['answer'] = async (name, call = {}) => {
		const { response, wasMaybeDone } = await read(name, {
			id: call.id,
			query: writeQuery(translator, name, call),
			body: writeBody(translator, name, call),
			headers: { 'Content-Type': 'application/json' },
		});
		// A deletion whose first answer got lost finds nothing any more.
		const isDone = endpoints[name].method === 'DELETE' && wasMaybeDone;
		if (isDone && response.statusCode === 404) return { status: 404, headers: {}, body: undefined };
		return parse(name, response);
	};

	const readRecord = (name: EndpointName, given: Answer) =>
		readAnswerRecord(translator, name, given, { host, access });

	return {
		root,
		concurrency: policy.concurrency,
		pageSize: choosePageSize(translator),
		translator,
		signal: policy.signal,
		answer,
		call: async (name, call) => readRecord(name, await answer(name, call)),
		upload: async (name, id, body) => {
			const { response } = await read(name, { id, body, headers: {} });
			return readRecord(name, parse(name, response));
		},
		open,
		openAddress,
		forWork: (...more) => createApi(connection, policy, scope, [...work, ...more]),
		callForImage: async (name, { body }) => {
			const { response } = await read(name, {
				body: writeBody(translator, name, { body }),
				headers: { 'Content-Type': 'application/json', Accept: 'application/json, image/*' },
			});
			const mimeType = mediaType(response.headers) ?? '';
			if (response.statusCode < 300 && mimeType.startsWith('image/')) {
				return { record: {}, image: { content: response.body, mimeType } };
			}
			return { record: readRecord(name, parse(name, response)) };
		},
	};
}
