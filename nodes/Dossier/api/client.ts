import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { resolvePath } from './address';
import { readBody, readBytes, readRedirect, readText, refuseRedirect, unwrap } from './answers';
import type { Answer, BodyReader } from './answers';
import { CallScope, sendUntilAnswered } from './attempts';
import type { CallPolicy } from './callPolicy';
import { wallClock } from './clock';
import type { Connection } from './connection';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import { mapConnectionError, mapRefusal } from './failures';
import { deriveIdempotencyKey } from './idempotencyKey';
import { Pacer } from './pacing';
import { Problem } from './problem';
import { isRecord, parseJson, toText } from './values';

type Readable = import('stream').Readable;

/** A request body that is written while it is sent: a Blob look-alike with an exact size. */
export interface StreamedBody {
	body: object;
	contentType: string;
	/** The same whenever the same file is sent with the same fields in the same format. */
	fingerprint: string;
}

export interface Call {
	id?: string;
	query?: IDataObject;
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
	/** Opens an answer and hands its body, unread, to `read`; a body that breaks off is a Problem. */
	download<Result>(name: EndpointName, call: Call, read: BodyReader<Result>): Promise<Result>;
	/** Opens another address, which gets no key and no token, as `download` does. */
	fetch<Result>(address: string, read: BodyReader<Result>): Promise<Result>;
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
}

/** One pacer for each service and organization, shared by all executions of this process. */
const pacers = new Map<string, Pacer>();

function choosePacer({ limited }: Connection): Pacer {
	const pacer = pacers.get(limited) ?? new Pacer();
	pacers.set(limited, pacer);
	return pacer;
}

/** The services whose end of version is already in the log. */
const warned = new Set<string>();

/** Logs once that the version of the API will end, if an answer says so (A-44, RFC 9745, RFC 8594). */
function warnOfEnd({ root, warn }: Connection, headers: IDataObject): void {
	if (!(headers.deprecation ?? headers.sunset) || warned.has(root)) return;
	warned.add(root);
	const until = toText(headers.sunset);
	const end = until ? ` and ends on ${until}` : '';
	warn(
		`${root} says that this version of its API is deprecated${end}. Look for an update of n8n-nodes-dossier.`,
	);
}

type Response = IN8nHttpFullResponse & {
	/** Whether an earlier try may have done what the call asks for. */
	wasMaybeDone: boolean;
};

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
	const { root, access } = connection;
	const { host } = new URL(root);
	const pacer = choosePacer(connection);

	/** The `Idempotency-Key` of a call. */
	const chooseKey = (name: EndpointName, id = '', fingerprint = '') =>
		work.length ? deriveIdempotencyKey(work, [name, id, fingerprint]) : randomUUID();

	/** Sends a call until it has its final answer: waits for the rate limit, and retries if that is safe. */
	async function request(
		name: EndpointName,
		id: string | undefined,
		options: Partial<IHttpRequestOptions>,
		fingerprint = toText(options.body),
	): Promise<Response> {
		const endpoint = endpoints[name];
		const isRecognised = endpoint.method === 'POST' && connection.recognisesRepeats;
		const headers: IDataObject = { Accept: 'application/json', ...options.headers };
		if (isRecognised) headers['Idempotency-Key'] = chooseKey(name, id, fingerprint);
		const url = root + resolvePath(endpoint.path, id);
		const context = { endpoint, isRecognised, connection, policy, pacer, scope, clock: wallClock };
		const { response, wasMaybeDone } = await sendUntilAnswered(
			context,
			async () => {
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
						timeout: policy.timeout,
					})
					.catch((error: unknown) => mapConnectionError(error, host, endpoint.method));
				if (!(outcome instanceof Problem)) warnOfEnd(connection, outcome.headers);
				return outcome;
			},
			async ({ body }) => {
				if (typeof body !== 'string') await readText(body as Readable);
			},
		);
		return { ...response, wasMaybeDone };
	}

	/** Refuses everything that is not a good answer of the service, and parses the rest. */
	function parse({ statusCode: status, headers, body: text }: Response): Answer {
		const body = typeof text === 'string' ? text : '';
		refuseRedirect(status, headers, host);
		if (status >= 400) throw mapRefusal(status, body, toText(headers['x-request-id']), access);
		if (!body.trim()) return { status, headers, body: undefined };
		const parsed = parseJson(body);
		if (isRecord(parsed)) return { status, headers, body: parsed };
		if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
		throw new Problem('NOT_THE_SERVICE', { host, status });
	}

	/** Opens a signed address that a download was moved to, on this host or another. It gets no key. */
	const fetch: Api['fetch'] = async (address, read) => {
		const { host: other } = new URL(address);
		const response = await connection
			.fetch({
				url: address,
				method: 'GET',
				encoding: 'stream',
				headers: { 'Accept-Encoding': 'identity' },
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				timeout: policy.timeout,
				abortSignal: policy.signal,
			})
			.catch((error: unknown) => {
				throw mapConnectionError(error, other, 'GET');
			});
		const stream = response.body as Readable;
		if (response.statusCode >= 300) {
			throw mapRefusal(response.statusCode, await readText(stream), undefined, 'public');
		}
		return await readBody(read, { headers: response.headers, stream }, other);
	};

	const answer: Api['answer'] = async (name, { id, query, body } = {}) => {
		const response = await request(name, id, {
			qs: query,
			body: body && JSON.stringify(body),
			headers: { 'Content-Type': 'application/json' },
		});
		// A deletion whose first answer got lost finds nothing any more.
		const isDone = endpoints[name].method === 'DELETE' && response.wasMaybeDone;
		if (isDone && response.statusCode === 404) return { status: 404, headers: {}, body: undefined };
		return parse(response);
	};

	return {
		root,
		concurrency: policy.concurrency,
		pageSize: connection.pageSize,
		answer,
		call: async (name, call) => unwrap((await answer(name, call)).body),
		upload: async (name, id, { body, contentType, fingerprint }) => {
			const headers = { 'Content-Type': contentType };
			return unwrap(parse(await request(name, id, { body, headers }, fingerprint)).body);
		},
		download: async (name, { id, query }, read) => {
			const headers = { 'Content-Type': 'application/json', Accept: '*/*' };
			const response = await request(name, id, { qs: query, encoding: 'stream', headers });
			const stream = response.body as Readable;
			const target = readRedirect(response, root);
			if (target) {
				stream.destroy();
				return await fetch(target, read);
			}
			if (response.statusCode >= 300) parse({ ...response, body: await readText(stream) });
			return await readBody(read, { headers: response.headers, stream }, host);
		},
		fetch,
		forWork: (...more) => createApi(connection, policy, scope, [...work, ...more]),
		callForImage: async (name, { body }) => {
			const response = await request(name, undefined, {
				body: JSON.stringify(body),
				encoding: 'stream',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json, image/*' },
			});
			const content = await readBytes(response.body as Readable);
			const mimeType = toText(response.headers['content-type'])?.split(';')[0] ?? '';
			const good = response.statusCode < 300 && mimeType.startsWith('image/');
			if (good) return { record: {}, image: { content, mimeType } };
			return { record: unwrap(parse({ ...response, body: content.toString('utf8') }).body) };
		},
	};
}
