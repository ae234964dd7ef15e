import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { RunLifecycle } from '../process/lifecycle.ts';

/**
 * Opens an address that leads to a port of this machine, which may be set later, and gives the address. It ends with the run.
 *
 * @param isReady whether the target takes connections, asked for each one; others are reset
 */
export async function openLink(
	lifecycle: RunLifecycle,
	target: { port: number },
	isReady: () => Promise<boolean>,
): Promise<string> {
	const sockets = new Set<Socket>();
	const add = (socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	};
	const join = (near: Socket) => {
		const far = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
		add(far);
		near.on('close', () => far.destroySoon());
		far.on('close', () => near.destroySoon());
		near.pipe(far).pipe(near);
	};
	const server = createServer({ pauseOnConnect: true, noDelay: true }, (near) => {
		add(near);
		void isReady().then((ready) => {
			if (!ready) near.resetAndDestroy();
			else if (!near.destroyed) join(near);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	lifecycle.onEnd(async () => {
		const closed = new Promise((resolve) => server.close(resolve));
		for (const socket of sockets) socket.destroy();
		await closed;
	});
	const { port } = server.address() as AddressInfo;
	return `http://127.0.0.1:${port}`;
}
