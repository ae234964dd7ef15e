import type { IDataObject } from 'n8n-workflow';
import { readBytes, readExplanation, readRedirect } from './send/exchange';
import type { Answer, RawAnswer } from './send/answer';
import { createAddressOpener, discard, leaveOpen } from './transfer/addresses';
import type { Opened } from './transfer/addresses';
import { CallScope } from './send/attempts';
import type { CallPolicy, Connection } from './connection';
import { contract } from '../dialect/contract';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import type { Exchange } from './send/exchange';
import { mediaType } from './transfer/fileFacts';
import { isProblem, Problem } from '../problems/problem';
import type { StreamedBody } from './send/outgoing';
import { createRequester, writeBody, writeQuery } from './send/requests';
import type { Call } from './send/requests';
import type { ListApi } from './pages/pages';
import { createJudge, readAnswerRecord } from './send/answer';
import type { DownloadApi } from './transfer/download';
import type { UploadApi } from './transfer/upload';
import { toText } from './json';
import type { ServiceRecord } from '../dialect/structure';
import { choosePageSize } from '../dialect/lists';

/** A call under the service's own names. */
export interface Probe {
	id?: string;
	query?: IDataObject;
	body?: string | StreamedBody;
	headers?: IDataObject;
}

interface Image {
	content: Buffer;
	mimeType: string;
}

/** The service over HTTP, for one execution and one credential. Every method throws nothing but Problem. */
export interface Api extends ListApi, UploadApi, DownloadApi {
	/** Makes a call and gives the record of the answer, taken out of its envelope; `{}` if there is none. */
	call(name: EndpointName, call?: Call): Promise<ServiceRecord>;
	/** Makes a call that is answered with a record or, by some services, with an image alone. */
	callForImage(name: EndpointName, call: Call): Promise<{ record: IDataObject; image?: Image }>;
	/**
	 * Names the work that further calls do: a request that is repeated for the same work has the same `Idempotency-Key`
	 * (A-43).
	 */
	forWork(...work: string[]): Api;
	/** Sends one request without translating it, and gives the answer with any status: to learn how the service speaks. */
	probe(name: EndpointName, call: Probe): Promise<RawAnswer>;
	/**
	 * Reads the answer to a probe.
	 *
	 * @throws Problem if it is none of the service's good answers
	 */
	parse(name: EndpointName, answer: RawAnswer): Answer;
	/** The same service for calls that must be made even if the execution is cancelled. */
	withoutSignal(): Api;
	/** Whether the key reaches production data. */
	readonly isLive: boolean;
}

/** How long the service may be silent when it is asked how it speaks, in ms. */
const PROBE_TIMEOUT = 10_000;

/**
 * Calls the service over a connection.
 *
 * @param scope what the calls of one run share
 * @param work names the work that the calls do; without it, every call is different work
 */
export function createApi(
	connection: Connection,
	policy: CallPolicy,
	scope = new CallScope(policy),
	work: string[] = [],
): Api {
	const { root, access, translator } = connection;
	const { host } = new URL(root);
	const request = createRequester(connection, policy, scope, work);
	const judge = createJudge(connection);

	async function readAnswer(exchange: Exchange): Promise<RawAnswer> {
		const { status: statusCode, headers } = exchange;
		const body =
			statusCode >= 300
				? Buffer.from(await readExplanation(exchange))
				: await readBytes(exchange.pieces(), host);
		return { statusCode, headers, body };
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
		judge.refuse(name, exchange.status, exchange.headers, body);
		return exchange;
	};

	const answer: Api['answer'] = async (name, call = {}) => {
		const wanted = {
			id: call.id,
			query: writeQuery(translator, name, call),
			body: writeBody(translator, name, call),
			headers: { 'Content-Type': 'application/json' },
		};
		const { response, wasMaybeDone } = await request(name, wanted, readAnswer);
		// If the answer to a deletion was lost, its repetition finds nothing.
		const isDone = endpoints[name].method === 'DELETE' && wasMaybeDone;
		if (isDone && response.statusCode === 404) return { status: 404, headers: {}, body: undefined };
		return judge.parse(name, response);
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
		upload: async (name, id, body, findStored) => {
			let stored: IDataObject | undefined;
			/** Looks for the file that an attempt may have stored; false if it is there, or if the look fails. */
			async function isMissing(): Promise<boolean> {
				try {
					stored = await findStored?.();
					return stored === undefined;
				} catch {
					return false;
				}
			}
			return await request(name, { id, body, headers: {}, mayRepeat: isMissing }, readAnswer)
				.then(async ({ response }) => {
					const record = readRecord(name, judge.parse(name, response));
					if (toText(record.id) !== undefined) return record;
					await isMissing();
					if (stored) return stored;
					if (Object.keys(record).length) return record;
					throw new Problem('NOT_MADE_YET', { status: response.statusCode });
				})
				.catch(async (error: unknown) => {
					if (isProblem(error, 'CONNECTION_FAILED') && error.facts.mayBeDone) await isMissing();
					if (!stored) throw error;
					return stored;
				});
		},
		open,
		openAddress,
		refuseParsed: judge.refuseParsed,
		probe: async (name, { id, query, body, headers }) => {
			const own = { 'Content-Type': 'application/json', ...headers };
			const wanted = { id, query, body, headers: own, timeout: PROBE_TIMEOUT, isSingle: true };
			return (await request(name, wanted, readAnswer)).response;
		},
		parse: judge.parse,
		withoutSignal: () => createApi(connection, { ...policy, signal: undefined }),
		isLive: connection.secret?.startsWith(contract.liveKeyPrefix) === true,
		forWork: (...more) => createApi(connection, policy, scope, [...work, ...more]),
		callForImage: async (name, { body }) => {
			const wanted = {
				body: writeBody(translator, name, { body }),
				headers: { 'Content-Type': 'application/json', Accept: 'application/json, image/*' },
			};
			const { response } = await request(name, wanted, readAnswer);
			const mimeType = mediaType(response.headers) ?? '';
			if (response.statusCode < 300 && mimeType.startsWith('image/')) {
				return { record: {}, image: { content: response.body, mimeType } };
			}
			return { record: readRecord(name, judge.parse(name, response)) };
		},
	};
}
