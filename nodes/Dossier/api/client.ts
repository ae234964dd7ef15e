import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { resolvePath } from './address';
import type { Connection } from './connection';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import { brokenConnection, notTheService, refusal, ServiceError } from './errors';
import { backoff, Pacer, pause, wallClock } from './pacing';
import type { Clock } from './pacing';
import { mayRetry } from './retry';
import { isRecord, parseJson, textOf } from './values';

type Readable = import('stream').Readable;

/** A request body that is written while it is sent: a native FormData, or a Blob look-alike with an exact size. */
export interface StreamedBody {
	body: object;
	/** Absent for multipart, whose type carries a boundary that is set below. */
	contentType?: string;
}

export interface Call {
	id?: string;
	query?: IDataObject;
	body?: IDataObject;
}

export interface Answer {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON: an object or a list; `undefined` where the answer has no body. */
	body: IDataObject | IDataObject[] | undefined;
}

export interface StreamAnswer {
	headers: IDataObject;
	stream: Readable;
}

/** What the options of the node, and n8n itself, say about how an execution calls the service. */
export interface Manner {
	/** How many requests may be under way at once. */
	concurrency: number;
	/** The longest wait of one call for the rate limit, in ms. */
	longestWait: number;
	/** How long the service may be silent before a call fails, in ms. */
	timeout: number;
	/** Ends when the execution is cancelled. */
	signal?: AbortSignal;
	/** Names a request that is sent again, for services that know it by that (A-43). */
	newKey: () => string;
}

/** The service over HTTP, for one execution and one credential. Every method throws nothing but ServiceError. */
export interface Api {
	/** Makes a call and gives the whole answer. */
	answer(name: EndpointName, call?: Call): Promise<Answer>;
	/** Makes a call and gives the record of the answer, taken out of its envelope (A-13); `{}` where there is none. */
	call(name: EndpointName, call?: Call): Promise<IDataObject>;
	/** Sends a body that is written while it goes, and gives the record of the answer. */
	upload(name: EndpointName, id: string | undefined, body: StreamedBody): Promise<IDataObject>;
	/** Opens an answer and hands its body, unread, to `keep`; a body that breaks off is an error. */
	download<Kept>(
		name: EndpointName,
		call: Call,
		keep: (answer: StreamAnswer) => Promise<Kept>,
	): Promise<Kept>;
	/** Names the service that this is connected to, for what is remembered between executions. */
	readonly root: string;
	/** How many requests may be under way at once. */
	readonly concurrency: number;
}

/** How much of a refusal's body is read for its explanation, in bytes. */
const EXPLANATION_LIMIT = 65_536;

async function readText(stream: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		size += chunk.length;
		if (size > EXPLANATION_LIMIT) break;
	}
	return Buffer.concat(chunks).toString('utf8');
}

function refuseRedirect(status: number, headers: IDataObject, host: string): void {
	if (status < 300 || status > 399) return;
	const target = textOf(headers.location)?.split('?')[0];
	throw new ServiceError({
		message: `${host} sent the call on to another address${target ? ` (${target})` : ''}, and it was not followed`,
		hint: 'The API key goes to the address in the credential alone. If the service has moved, enter its new address there.',
		status,
		code: 'REDIRECTED',
	});
}

/** A record without the envelope that some services put around it (A-13). */
function unwrap(body: Answer['body']): IDataObject {
	if (!isRecord(body)) return {};
	return isRecord(body.data) && body.id === undefined ? body.data : body;
}

/** One pacer for each service and organization, shared by all executions of this process. */
const pacers = new Map<string, Pacer>();

function pacerOf({ limited, windows }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer(windows);
	pacers.set(limited, pacer);
	pacer.limitTo(windows);
	return pacer;
}

type Response = IN8nHttpFullResponse & { attempt: number };

/** Calls the service over a connection. */
export function createApi(connection: Connection, manner: Manner, clock: Clock = wallClock): Api {
	const { root } = connection;
	const { host } = new URL(root);
	const pacer = pacerOf(connection);

	/** Sends a call until it is answered for good: waits for the rate limit, and repeats what may be repeated. */
	async function request(
		name: EndpointName,
		id: string | undefined,
		options: Partial<IHttpRequestOptions>,
	): Promise<Response> {
		const endpoint = endpoints[name];
		const recognised = endpoint.method === 'POST' && connection.recognisesRepeats;
		const headers: IDataObject = { Accept: 'application/json', ...options.headers };
		if (recognised) headers['Idempotency-Key'] = manner.newKey();
		const url = root + resolvePath(endpoint.path, id);
		let patience = manner.longestWait;
		for (let attempt = 1, refused = 0; ; attempt++) {
			patience -= await pacer.enter({ longestWait: patience, signal: manner.signal });
			const outcome = await connection
				.send({
					encoding: 'text',
					...options,
					headers,
					method: endpoint.method,
					url,
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					// n8n's time limit counts silence, not the whole transfer, once redirects are off.
					disableFollowRedirect: true,
					timeout: manner.timeout,
				})
				.catch((error: unknown) => brokenConnection(error, host, endpoint.method));
			const answered = outcome instanceof ServiceError ? undefined : outcome;
			pacer.leave(answered?.headers);
			if (answered?.statusCode === 429) {
				pacer.close(answered.headers, ++refused);
				if (typeof answered.body !== 'string') await readText(answered.body as Readable);
				attempt--;
				continue;
			}
			if (!mayRetry(endpoint, outcome, attempt, recognised)) {
				if (outcome instanceof ServiceError) throw outcome;
				return { ...outcome, attempt };
			}
			await pause(clock, backoff(attempt), manner.signal);
		}
	}

	/** Refuses everything that is not a good answer of the service, and parses the rest. */
	function read({ statusCode: status, headers, body: text }: Response): Answer {
		const body = typeof text === 'string' ? text : '';
		refuseRedirect(status, headers, host);
		if (status >= 400) throw refusal(status, body, textOf(headers['x-request-id']));
		if (!body.trim()) return { status, headers, body: undefined };
		const parsed = parseJson(body);
		if (isRecord(parsed)) return { status, headers, body: parsed };
		if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
		throw notTheService(status, host);
	}

	const answer: Api['answer'] = async (name, { id, query, body } = {}) => {
		const response = await request(name, id, {
			qs: query,
			body: body && JSON.stringify(body),
			headers: { 'Content-Type': 'application/json' },
		});
		// A deletion that was repeated because its first answer got lost finds nothing any more.
		const done = endpoints[name].method === 'DELETE' && response.attempt > 1;
		if (done && response.statusCode === 404) return { status: 404, headers: {}, body: undefined };
		return read(response);
	};

	return {
		root,
		concurrency: manner.concurrency,
		answer,
		call: async (name, call) => unwrap((await answer(name, call)).body),
		upload: async (name, id, { body, contentType }) => {
			const headers = contentType ? { 'Content-Type': contentType } : {};
			return unwrap(read(await request(name, id, { body, headers })).body);
		},
		download: async (name, { id, query }, keep) => {
			const headers = { 'Content-Type': 'application/json', Accept: '*/*' };
			const response = await request(name, id, { qs: query, encoding: 'stream', headers });
			const stream = response.body as Readable;
			if (response.statusCode >= 300) read({ ...response, body: await readText(stream) });
			return await keep({ headers: response.headers, stream }).catch((error: unknown) => {
				throw brokenConnection(error, host, 'GET');
			});
		},
	};
}
