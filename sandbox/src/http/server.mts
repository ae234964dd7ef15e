import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ServiceError } from '../contract/service-error.mts';
import { newId } from '../platform/ids.mts';
import { toErrorBody } from './error-answer.mts';
import type { Pipeline } from './pipeline.mts';
import { readTargetPath } from './routes.mts';

/** A server of the service, and of the control room below `/_sandbox`. It does not listen yet. */
export function createSandboxServer(
	pipeline: Pipeline,
	control: Parameters<typeof getRequestListener>[0],
): Server {
	const answerControl = getRequestListener(control, {
		// The sandbox also runs inside other programs, which keep their own Request and Response.
		overrideGlobalObjects: false,
		// An answer that comes before the end of a large body would otherwise be lost with the connection.
		autoCleanupIncoming: false,
		errorHandler: () => createBadRequest().response,
	});
	const server = createServer((incoming, outgoing) => {
		if (isForControl(incoming)) void answerControl(incoming, outgoing);
		else if (hasHost(incoming)) void pipeline.answer(incoming, outgoing);
		else incoming.socket.end(createBadRequest().text);
	});
	// No limit, because a large file over a slow connection takes long.
	server.requestTimeout = 0;
	server.on('clientError', (_error, socket: Socket) => {
		if (socket.writable) socket.end(createBadRequest().text);
	});
	return server;
}

/** Everything below `/_sandbox`, and for a browser also the root, which leads there. */
function isForControl({ url = '', method, headers }: IncomingMessage): boolean {
	const path = readTargetPath(url);
	if (path === '/') return method === 'GET' && /text\/html/.test(headers.accept ?? '');
	return /^\/_sandbox(\/|$)/.test(path);
}

function hasHost({ headers: { host = 'localhost' } }: IncomingMessage): boolean {
	return URL.canParse(`http://${host}`);
}

/** Has a server listen, and gives the port. Throws a sentence if the port is taken or the address is not this machine's. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, resolve);
	}).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'EADDRINUSE') {
			throw new Error(
				`Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 takes any that is free).`,
			);
		}
		throw error;
	});
	const address = server.address();
	return typeof address === 'object' && address ? address.port : port;
}

/** Closes a server and its connections. Does nothing if it does not listen. */
export async function closeServer(server: Server): Promise<void> {
	if (!server.listening) return;
	const closed = new Promise((done) => server.close(done));
	server.closeAllConnections();
	await closed;
}

/** The answer to bytes that are not an HTTP request. */
function createBadRequest(): { response: Response; text: string } {
	const error = new ServiceError(
		'INVALID_PARAMETER',
		'This is not an HTTP request that the service can read.',
	);
	const body = JSON.stringify(toErrorBody(error));
	const headers = {
		'Content-Type': 'application/json; charset=utf-8',
		'X-Request-Id': newId('req'),
	};
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	return {
		response: new Response(body, { status: error.status, headers }),
		text: `HTTP/1.1 400 Bad Request\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
	};
}
