/** The service as a test wants it: handlers by method and path, and an account of what reaches it. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import type { Outcome, Run } from './n8n.mts';
import { credentialFor } from './requests.mts';
import { useMany, useStarted } from './started.mts';

/** The parts of an address that handlers read. */
interface Asked {
	/** The part in the place of `{id}`. */
	id: string;
	query: URLSearchParams;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, asked: Asked) => unknown;

/** By method and path, such as `GET /v1/dossiers/{id}`. A value that is not a function is the JSON of a good answer. */
export type Handlers = Record<string, Handler | object>;

export interface FakeService {
	url: string;
	credential: ICredentialDataDecryptedObject;
	/** A test may set its own at any time. */
	handlers: Handlers;
	/** Every request so far. */
	requests: Array<{ method: string; path: string; headers: IncomingMessage['headers'] }>;
	/** How many connections are open. */
	connections: () => Promise<number>;
	stop: () => Promise<void>;
}

export const sha256 = (content: Uint8Array | string) =>
	createHash('sha256').update(content).digest('hex');

export async function readBody(request: IncomingMessage): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(piece as Buffer);
	return Buffer.concat(pieces);
}

/** The fields of a request; none if it has no body. */
export async function readJson(request: IncomingMessage): Promise<IDataObject> {
	const text = (await readBody(request)).toString();
	return (text ? JSON.parse(text) : {}) as IDataObject;
}

const TURN_MS = 10;

/** Waits in short turns, so that one moment in which this process is busy does not take the whole wait. */
export async function waitInTurns(ms: number): Promise<void> {
	for (let turns = Math.ceil(ms / TURN_MS); turns > 0; turns--) await delay(TURN_MS);
}

/** Waits until a count, such as that of requests, has stayed the same for `ms`. */
export async function waitForQuiet(count: () => number, ms = 100): Promise<void> {
	for (let before = NaN; before !== count(); ) {
		before = count();
		await waitInTurns(ms);
	}
}

/** Makes the pauses before repetitions as short as chance allows, in all tests of the file or block that calls it. */
export function shortenPauses(): void {
	const spies: jest.SpyInstance[] = [];
	beforeAll(() => void spies.push(jest.spyOn(Math, 'random').mockReturnValue(0.001)));
	afterAll(() => spies.forEach((spy) => spy.mockRestore()));
}

export const answerJson = (response: ServerResponse, status: number, body: unknown) =>
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Gives each request the same answer. */
export const answering =
	(
		status: number,
		body: string | Uint8Array = '',
		headers: Record<string, string | number> = {},
	): Handler =>
	(_, response) =>
		response.writeHead(status, headers).end(body);

/** Refuses each request as the service does. */
export const refusing =
	(status: number, message: string, code = 'REFUSED'): Handler =>
	(_, response) =>
		answerJson(response, status, { error: { code, message } });

const refuse = refusing(404, 'No route', 'ROUTE_NOT_FOUND');

/** The handler of a path, and the part in the place of `{id}`; a handler for exactly this path comes first. */
function findHandler(handlers: Handlers, asked: string) {
	const exact = handlers[asked];
	if (exact) return { handler: exact, id: '' };
	for (const [route, handler] of Object.entries(handlers)) {
		const [before = '', after] = route.split('{id}');
		if (after === undefined || !asked.startsWith(before) || !asked.endsWith(after)) continue;
		const id = asked.slice(before.length, asked.length - after.length);
		if (id && !id.includes('/')) return { handler, id: decodeURIComponent(id) };
	}
	return { handler: refuse, id: '' };
}

/** Starts a service. A path without a handler is 404; a single handler answers everything. */
export async function startFake(own: Handlers | Handler): Promise<FakeService> {
	const handlers = typeof own === 'function' ? {} : own;
	const requests: FakeService['requests'] = [];
	const server = createServer((request, response) => {
		const { method = '', headers } = request;
		const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://service');
		requests.push({ method, path, headers });
		const found = findHandler(handlers, `${method} ${path}`);
		const handler = typeof own === 'function' ? own : found.handler;
		if (typeof handler !== 'function') return answerJson(response, 200, handler);
		const answered = Promise.resolve(handler(request, response, { id: found.id, query }));
		// If a client closes in the middle of its request, the handler that reads it is not at fault.
		answered.catch((error: unknown) => {
			if (!request.destroyed || request.complete) throw error;
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		handlers,
		requests,
		credential: credentialFor(url),
		connections: async () =>
			await new Promise((resolve, reject) =>
				server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
			),
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Starts services that end with the test. */
export const useFakes = () => useMany(startFake);

/** A service that is another one for each test, and the node that calls it. */
export function useFake() {
	const service = useStarted(async () => await startFake({}), 'for each test');
	type More = Partial<Run> & { handlers?: Handlers };
	const run = async (
		parameters: INodeParameters,
		{ handlers, credential, ...more }: More = {},
	): Promise<Outcome> => {
		Object.assign(service.handlers, handlers);
		return await runDossier({
			parameters,
			credential: { ...service.credential, ...credential },
			...more,
		});
	};
	return {
		service,
		run,
		/** Gives the items of a run that succeeds. */
		give: async (parameters: INodeParameters, more?: More): Promise<INodeExecutionData[]> => {
			const { items, error } = await run(parameters, more);
			if (error) throw error;
			return items;
		},
		/** How many requests of a method there were. */
		count: (method: string) => service.requests.filter((one) => one.method === method).length,
	};
}

/** Finds a port on which nothing listens. */
export async function findClosedPort(): Promise<number> {
	const { url, stop } = await startFake(refuse);
	await stop();
	return Number(new URL(url).port);
}

/** Answers with the record of a document that holds the content. */
export const showDocument =
	(content: Uint8Array, hidden: string[] = []): Handler =>
	(_, response) => {
		const document: IDataObject = {
			id: 'doc_1',
			file_name: 'report.bin',
			mime_type: 'application/octet-stream',
			size_bytes: content.length,
			checksum_sha256: sha256(content),
		};
		for (const name of hidden) delete document[name];
		answerJson(response, 200, document);
	};

/** Sends a body up to a byte and then closes the connection. The client loses the bytes that it has not read by then. */
export function breakAt(response: ServerResponse, content: Uint8Array, end: number): void {
	response.write(content.subarray(0, end), () => {
		void waitInTurns(400).then(() => response.destroy());
	});
}

/** Answers a request for a range with the rest of the content. */
export function answerRange(
	request: IncomingMessage,
	response: ServerResponse,
	content: Uint8Array,
): void {
	const start = Number(request.headers.range?.match(/^bytes=(\d+)-$/)?.[1]);
	response.writeHead(206, {
		'Content-Range': `bytes ${start}-${content.length - 1}/${content.length}`,
		'Content-Length': content.length - start,
	});
	response.end(content.subarray(start));
}
