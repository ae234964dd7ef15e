import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { refuseLiveKeyInSandbox, resolvePath, rootAddress } from './address';
import type { DossierCredential } from './address';
import { endpoints } from './endpoints';
import type { EndpointName } from './endpoints';
import { brokenConnection, notTheService, refusal, ServiceError } from './errors';
import { isRecord, parseJson, textOf } from './values';

type Readable = import('stream').Readable;

/** The parts of n8n that a call needs: its authenticated HTTP helper and the credential. */
export type CallContext = IExecuteFunctions | ILoadOptionsFunctions;

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

/** The service over HTTP, for one execution and one credential. Every method throws nothing but ServiceError. */
export interface Api {
	/** Makes a call and gives the whole answer. */
	answer(name: EndpointName, call?: Call): Promise<Answer>;
	/** Makes a call and gives the record of the answer, taken out of its envelope (A-13); `{}` where there is none. */
	call(name: EndpointName, call?: Call): Promise<IDataObject>;
	/** Sends a body that is written while it goes, and gives the record of the answer. */
	upload(name: EndpointName, id: string, body: StreamedBody): Promise<IDataObject>;
	/** Opens an answer and hands its body, unread, to `keep`; a body that breaks off is an error. */
	download<Kept>(
		name: EndpointName,
		id: string,
		keep: (answer: StreamAnswer) => Promise<Kept>,
	): Promise<Kept>;
	/** Names the service that this is connected to, for what is remembered between executions. */
	readonly root: string;
}

/** How much of a refusal's body is read for its explanation, in bytes. */
const EXPLANATION_LIMIT = 65_536;

/** n8n's time limit counts silence on the connection, not the whole transfer, once redirects are off; in ms. */
const SILENCE_LIMIT = 300_000;

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
	const target = textOf(headers.location);
	throw new ServiceError({
		message: `${host} sent the call on to another address${target ? ` (${target.split('?')[0]})` : ''}, and it was not followed`,
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

/**
 * Connects to the service with the node's credential.
 *
 * @throws ServiceError where the credential's address is unusable, or a live key would go to the sandbox.
 */
export async function connect(context: CallContext): Promise<Api> {
	const credential = await context.getCredentials<DossierCredential & IDataObject>('dossierApi');
	const root = rootAddress(credential);
	refuseLiveKeyInSandbox(credential);
	const { host } = new URL(root);

	async function send(options: IHttpRequestOptions): Promise<IN8nHttpFullResponse> {
		const request = context.helpers.httpRequestWithAuthentication.call(context, 'dossierApi', {
			...options,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: SILENCE_LIMIT,
		}) as Promise<IN8nHttpFullResponse>;
		return await request.catch((error: unknown) => {
			throw brokenConnection(error, host);
		});
	}

	async function request(name: EndpointName, options: Partial<IHttpRequestOptions>, id?: string) {
		const { method, path } = endpoints[name];
		const response = await send({
			encoding: 'text',
			...options,
			method,
			url: root + resolvePath(path, id),
		});
		return { ...response, headers: response.headers };
	}

	/** Refuses everything that is not a good answer of the service, and parses the rest. */
	function read(response: Awaited<ReturnType<typeof request>>): Answer {
		const { statusCode: status, headers } = response;
		const body = typeof response.body === 'string' ? response.body : '';
		refuseRedirect(status, headers, host);
		if (status >= 400) throw refusal(status, body, textOf(headers['x-request-id']));
		if (!body.trim()) return { status, headers, body: undefined };
		const parsed = parseJson(body);
		if (isRecord(parsed)) return { status, headers, body: parsed };
		if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
		throw notTheService(status, host);
	}

	const answer: Api['answer'] = async (name, { id, query, body } = {}) =>
		read(
			await request(
				name,
				{
					qs: query,
					body: body && JSON.stringify(body),
					headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				},
				id,
			),
		);

	return {
		root,
		answer,
		call: async (name, call) => unwrap((await answer(name, call)).body),
		upload: async (name, id, { body, contentType }) => {
			const headers: IDataObject = { Accept: 'application/json' };
			if (contentType) headers['Content-Type'] = contentType;
			return unwrap(read(await request(name, { body, headers }, id)).body);
		},
		download: async (name, id, keep) => {
			const response = await request(
				name,
				{ encoding: 'stream', headers: { 'Content-Type': 'application/json' } },
				id,
			);
			const stream = response.body as Readable;
			if (response.statusCode >= 300) read({ ...response, body: await readText(stream) });
			return await keep({ headers: response.headers, stream }).catch((error: unknown) => {
				throw brokenConnection(error, host);
			});
		},
	};
}
