/** Servers that are not the service. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Finds a port on which nothing listens. */
export async function findClosedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** Runs `work` with the address of a server that answers as `answer` does. */
export async function withServer<T>(
	answer: Parameters<typeof createServer>[1],
	work: (url: string) => Promise<T>,
): Promise<T> {
	const server = createServer(answer ?? (() => undefined));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	try {
		return await work(`http://127.0.0.1:${port}`);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}
