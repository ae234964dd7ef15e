import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that operating systems give out by themselves. */
const [FIRST, END] = [10_000, 20_000];
/** A process that has chosen a port marks it: it listens at another port, this far above it, for as long as it lives. */
const CLAIM = END - FIRST;

/**
 * A port of 127.0.0.1 for a program that is started with it later: free, and no other process of this repository chooses it
 * meanwhile. It stays free for that program if it is stopped and started again.
 */
export async function choosePort(preferred?: number): Promise<number> {
	if (preferred && (await listen(preferred))?.close()) return preferred;
	for (;;) {
		const port = randomInt(FIRST, END);
		if ((await listen(port + CLAIM)) && (await listen(port))?.close()) return port;
	}
}

/** Listens at a port without keeping the process alive; `undefined` if the port is taken. */
const listen = async (port: number) =>
	await new Promise<ReturnType<typeof createServer> | undefined>((resolve) => {
		const server = createServer((socket) => socket.destroy()).unref();
		server.once('error', () => resolve(undefined));
		server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
	});
