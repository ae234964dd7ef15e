import type { IDataObject } from 'n8n-workflow';
import { contract } from '../dialect/contract';
import { choosePageSize } from '../dialect/lists';
import { GONE, isProblem, Problem } from '../problems/problem';
import type { CallPolicy, Connection } from './connection';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import type { ListApi } from './pages/pages';
import { mapStatus, parseAnswer, readAnswerRecord, refuseParsed } from './send/answer';
import type { Answer } from './send/answer';
import { CallScope } from './send/attempts';
import { readRedirect } from './send/address';
import { readAnswer, readExplanation } from './send/exchange';
import type { Exchange, RawAnswer, SeenAnswer } from './send/exchange';
import { choosePacer, sendCall } from './send/requests';
import { isWriting } from './send/retry';
import { readText, redact } from './send/text';
import type { Call, CallApi } from './send/requests';
import { sendVersioned } from './send/versions';
import { openAddress } from './transfer/addresses';
import type { DownloadApi } from './transfer/download';
import { mediaType } from './transfer/fileFacts';

/** A record, or an image in its place. */
interface Pictured {
	status: number;
	record: IDataObject;
	image?: { content: Buffer; mimeType: string };
}

/** The service over HTTP, for one execution and one credential. Every method throws nothing but Problem. */
export interface Api extends CallApi, ListApi, DownloadApi {
	/** Makes a call that is answered with a record or, by some services, with an image alone. */
	callForImage(name: EndpointName, call: Call): Promise<Pictured>;
	/**
	 * Names the work that further calls do: a request that is repeated for the same work has the same `Idempotency-Key`
	 * (A-43).
	 */
	forWork(...work: string[]): Api;
	/** The same service for calls that another call waits for: they need no slot of the run, which that call may hold. */
	apart(): Api;
	/** The same service for calls that must be made even if the execution is cancelled. */
	withoutSignal(): Api;
	/** How long the plan takes for this many more requests, in ms; 0 if the credential sets no limit. */
	forecast(requests: number): number;
	/** Names the service and the organization: what this process remembers of records is theirs. */
	readonly account: string;
	/** The organization, and which of its data the key reaches, for sentences. */
	readonly place: string;
	/** Whether the key reaches production data. */
	readonly isLive: boolean;
}

/** What came back, without the key. */
function hideKey({ secret }: Connection, { statusCode, headers, body }: RawAnswer): SeenAnswer {
	const hide = (text: string) => redact(text, [secret]);
	const shown = Object.entries(headers).map(([name, value]): [string, IDataObject[string]] => [
		name,
		typeof value === 'string' ? hide(value) : value,
	]);
	const text = hide(readText(headers, body).text);
	return { status: statusCode, headers: Object.fromEntries(shown), text };
}

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
	const { root, translator, secret } = connection;
	const context = { connection, policy, scope, work };

	/** Parses an answer. A refusal of a creation that was repeated says nothing about the attempts before. */
	async function parse(
		name: EndpointName,
		response: RawAnswer,
		wasMaybeDone: boolean,
	): Promise<Answer> {
		const parsing = Promise.resolve(response).then((raw) => parseAnswer(connection, name, raw));
		return await parsing.catch((error: unknown) => {
			const isDoubtful = wasMaybeDone && isWriting(endpoints[name]);
			if (!isDoubtful || !isProblem(error, 'REFUSED')) throw error;
			throw new Problem('REFUSED', { ...error.facts, mayBeDone: true });
		});
	}

	async function answer(name: EndpointName, call: Call = {}): Promise<Answer> {
		const { response, wasMaybeDone } = await sendVersioned(context, name, call, readAnswer);
		call.onAnswer?.(hideKey(connection, response));
		// If the answer to a deletion was lost, its repetition finds nothing.
		const isDone = endpoints[name].method === 'DELETE' && wasMaybeDone;
		const { statusCode: status } = response;
		if (isDone && GONE.includes(status)) return { status, headers: {}, body: undefined };
		const parsed = await parse(name, response, wasMaybeDone);
		scope.hasGarbled ||= parsed.isGarbled === true;
		return parsed;
	}

	const readRecord = (...answered: [EndpointName, Answer]) =>
		readAnswerRecord(connection, ...answered);

	return {
		root,
		account: connection.account,
		place: connection.place,
		translator,
		concurrency: policy.concurrency,
		pageSize: choosePageSize(translator),
		signal: policy.signal,
		isLive: secret?.startsWith(contract.liveKeyPrefix) === true,
		answer,
		readRecord,
		call: async (name, call) => readRecord(name, await answer(name, call)),
		callForImage: async (name, call) => {
			const headers = { Accept: 'application/json, image/*' };
			const sent = await sendCall(context, name, { ...call, headers }, readAnswer);
			const { response, wasMaybeDone } = sent;
			const { statusCode: status, body: content } = response;
			const mimeType = mediaType(response.headers) ?? '';
			if (status < 300 && content.length && mimeType.startsWith('image/')) {
				return { status, record: {}, image: { content, mimeType } };
			}
			return { status, record: readRecord(name, await parse(name, response, wasMaybeDone)) };
		},
		open: async (name, call, own) => {
			const any = { ...call, headers: { Accept: '*/*', ...own } };
			const leaveOpen = (opened: Exchange) => opened;
			const { response } = await sendCall(context, name, any, leaveOpen, readExplanation);
			const { statusCode, headers } = response;
			const body = statusCode < 300 ? Buffer.alloc(0) : await readExplanation(response);
			call.onAnswer?.(hideKey(connection, { statusCode, headers, body }));
			if (statusCode < 300) return response;
			const { text } = readText(headers, body);
			const url = readRedirect(response);
			const { onRequest } = call;
			if (url) {
				const address = { url, access: 'signed', onRequest } as const;
				return await openAddress(connection, policy, address, own);
			}
			throw mapStatus(connection, name, statusCode, headers, text);
		},
		openAddress: async (...address) => await openAddress(connection, policy, ...address),
		forecast: (requests) => choosePacer(connection).forecast(requests),
		refuseParsed: (...answered) => refuseParsed(connection, ...answered),
		forWork: (...more) => createApi(connection, policy, scope, [...work, ...more]),
		apart: () => createApi(connection, policy),
		withoutSignal: () => createApi(connection, { ...policy, signal: undefined }),
	};
}
