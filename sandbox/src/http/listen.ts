import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ServiceError } from '../contract/service-error.ts';
import { newId } from '../platform/ids.ts';
import type { App } from './app.ts';

/** A server of the app, not yet listening. */
export function createAppServer(app: App): Server {
	const answer = getRequestListener(app.fetch, {
		// The sandbox also runs inside other programs, whose Request and Response are not ours to replace.
		overrideGlobalObjects: false,
		// An answer that comes before the end of a large body would otherwise be lost with the connection.
		autoCleanupIncoming: false,
		errorHandler: () => plainRefusal().response,
	});
	const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
	// A large file over a slow line takes its time.
	server.requestTimeout = 0;
	server.on('clientError', (_error, socket: Socket) => {
		if (socket.writable) socket.end(plainRefusal().text);
	});
	return server;
}

/** Has a server listen, and gives the port. Throws a sentence when the port is taken or the address is not this machine's. */
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

/** Ends a server and its connections; one that does not listen is left alone. */
export async function end(server: Server): Promise<void> {
	if (!server.listening) return;
	const closed = new Promise((done) => server.close(done));
	server.closeAllConnections();
	await closed;
}

/** The answer to what is not even a request. */
function plainRefusal(): { response: Response; text: string } {
	const error = new ServiceError(
		'INVALID_PARAMETER',
		'This is no HTTP request that the service can read.',
	);
	const body = JSON.stringify(error.body());
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
