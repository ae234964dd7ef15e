/** A service with one document, whose answers a test writes itself. */
import { credentialFor } from './requests';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface FileService {
	url: string;
	credential: ICredentialDataDecryptedObject;
	/** Every request so far. */
	requests: Array<{ method: string; path: string; headers: IncomingMessage['headers'] }>;
	/** Connections that are open. */
	connections(): Promise<number>;
	stop(): Promise<void>;
}

export const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

export async function readBody(request: IncomingMessage): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(piece as Buffer);
	return Buffer.concat(pieces);
}

export const answerJson = (response: ServerResponse, status: number, body: unknown) =>
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Starts a service whose handlers are chosen by method and path; whatever has none is 404. */
export async function startFileService(handlers: Record<string, Handler>): Promise<FileService> {
	const requests: FileService['requests'] = [];
	const server: Server = createServer((request, response) => {
		const { method = '', url = '', headers } = request;
		const path = url.split('?')[0] ?? '';
		requests.push({ method, path, headers });
		const handler = handlers[`${method} ${path}`];
		if (handler) void handler(request, response);
		else answerJson(response, 404, { error: { code: 'ROUTE_NOT_FOUND', message: 'No route' } });
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
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

/**
 * Sends a body up to a byte and then closes the connection. What the client has not read by then is lost with it; the pauses
 * are many, so that one moment in which this process is busy does not take all of them.
 */
export function breakAt(response: ServerResponse, content: Uint8Array, end: number): void {
	const pause = (left: number) => {
		if (left > 0) setTimeout(() => pause(left - 1), 20);
		else response.destroy();
	};
	response.write(content.subarray(0, end), () => pause(20));
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
