import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { resolvePath } from './address';
import { kept, readBytes, readText, redirectOf, refuseRedirect, unwrap } from './answers';
import type { Answer, Keep } from './answers';
import type { Connection } from './connection';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import { brokenConnection, notTheService, refusal, ServiceError } from './errors';
import { backoff, Pacer, pause, wallClock } from './pacing';
import type { Clock } from './pacing';
import { mayRetry } from './retry';
import { isRecord, parseJson, textOf } from './values';

type Readable = import('stream').Readable;

/** A request body that is written while it is sent: a Blob look-alike with an exact size. */
export interface StreamedBody {
	body: object;
	contentType: string;
}

export interface Call {
	id?: string;
	query?: IDataObject;
	body?: IDataObject;
}

export interface Image {
	content: Buffer;
	mimeType: string;
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
	/** Names a request that is sent again, for services that know it by that. */
	newKey: () => string;
}

/** The service over HTTP, for one execution and one credential. Every method throws nothing but ServiceError. */
export interface Api {
	/** Makes a call and gives the whole answer. */
	answer(name: EndpointName, call?: Call): Promise<Answer>;
	/** Makes a call and gives the record of the answer, taken out of its envelope; `{}` where there is none. */
	call(name: EndpointName, call?: Call): Promise<IDataObject>;
	/** Sends a body that is written while it goes, and gives the record of the answer. */
	upload(name: EndpointName, id: string | undefined, body: StreamedBody): Promise<IDataObject>;
	/** Makes a call that is answered with a record or, by some services, with an image alone. */
	picture(name: EndpointName, call: Call): Promise<{ record: IDataObject; image?: Image }>;
	/** Opens an answer and hands its body, unread, to `keep`; a body that breaks off is an error. */
	download<Kept>(name: EndpointName, call: Call, keep: Keep<Kept>): Promise<Kept>;
	/** Opens another address, which gets no key and no token, as `download` does. */
	fetch<Kept>(address: string, keep: Keep<Kept>): Promise<Kept>;
	/** Names the service that this is connected to, for what is remembered between executions. */
	readonly root: string;
	/** How many requests may be under way at once. */
	readonly concurrency: number;
	/** How many records are asked for at a time. */
	readonly pageSize: number;
}

/** One pacer for each service and organization, shared by all executions of this process. */
const pacers = new Map<string, Pacer>();

function pacerOf({ limited, windows }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer(windows);
	pacers.set(limited, pacer);
	pacer.limitTo(windows);
	return pacer;
}

/** The services of which it was said already that their version ends. */
const warned = new Set<string>();

/** Says once that the version of the API will end, where an answer says so (A-44, RFC 9745, RFC 8594). */
function warnOfEnd({ root, warn }: Connection, headers: IDataObject): void {
	if (!(headers.deprecation ?? headers.sunset) || warned.has(root)) return;
	warned.add(root);
	const until = textOf(headers.sunset);
	const end = until ? ` and ends on ${until}` : '';
	warn(
		`${root} says that this version of its API is deprecated${end}. Look for an update of n8n-nodes-dossier.`,
	);
}

type Response = IN8nHttpFullResponse & { attempt: number };

/** Calls the service over a connection. */
export function createApi(connection: Connection, manner: Manner, clock: Clock = wallClock): Api {
	const { root, access } = connection;
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
		let attempt = 1;
		let refused = 0;
		for (;;) {
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
			if (answered) warnOfEnd(connection, answered.headers);
			if (answered?.statusCode === 429) {
				pacer.close(answered.headers, ++refused);
				if (typeof answered.body !== 'string') await readText(answered.body as Readable);
				continue;
			}
			if (!mayRetry(endpoint, outcome, attempt, recognised)) {
				if (outcome instanceof ServiceError) throw outcome;
				return { ...outcome, attempt };
			}
			await pause(clock, backoff(attempt), manner.signal);
			attempt++;
		}
	}

	/** Refuses everything that is not a good answer of the service, and parses the rest. */
	function read({ statusCode: status, headers, body: text }: Response): Answer {
		const body = typeof text === 'string' ? text : '';
		refuseRedirect(status, headers, host);
		if (status >= 400) throw refusal(status, body, textOf(headers['x-request-id']), access);
		if (!body.trim()) return { status, headers, body: undefined };
		const parsed = parseJson(body);
		if (isRecord(parsed)) return { status, headers, body: parsed };
		if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
		throw notTheService(status, host);
	}

	/** Where a download was moved to: a signed address, on this host or another. It gets no key. */
	const fetch: Api['fetch'] = async (address, keep) => {
		const { host: other } = new URL(address);
		const response = await connection
			.fetch({
				url: address,
				method: 'GET',
				encoding: 'stream',
				headers: { 'Accept-Encoding': 'identity' },
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				timeout: manner.timeout,
				abortSignal: manner.signal,
			})
			.catch((error: unknown) => {
				throw brokenConnection(error, other, 'GET');
			});
		const stream = response.body as Readable;
		if (response.statusCode >= 300) {
			throw refusal(response.statusCode, await readText(stream), undefined, 'public');
		}
		return await kept(keep, { headers: response.headers, stream }, other);
	};

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
		pageSize: connection.pageSize,
		answer,
		call: async (name, call) => unwrap((await answer(name, call)).body),
		upload: async (name, id, { body, contentType }) => {
			const headers = { 'Content-Type': contentType };
			return unwrap(read(await request(name, id, { body, headers })).body);
		},
		download: async (name, { id, query }, keep) => {
			const headers = { 'Content-Type': 'application/json', Accept: '*/*' };
			const response = await request(name, id, { qs: query, encoding: 'stream', headers });
			const stream = response.body as Readable;
			const target = redirectOf(response, root);
			if (target) {
				stream.destroy();
				return await fetch(target, keep);
			}
			if (response.statusCode >= 300) read({ ...response, body: await readText(stream) });
			return await kept(keep, { headers: response.headers, stream }, host);
		},
		fetch,
		picture: async (name, { body }) => {
			const response = await request(name, undefined, {
				body: JSON.stringify(body),
				encoding: 'stream',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json, image/*' },
			});
			const content = await readBytes(response.body as Readable);
			const mimeType = textOf(response.headers['content-type'])?.split(';')[0] ?? '';
			const good = response.statusCode < 300 && mimeType.startsWith('image/');
			if (good) return { record: {}, image: { content, mimeType } };
			return { record: unwrap(read({ ...response, body: content.toString('utf8') }).body) };
		},
	};
}
