import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import axios from 'axios';
import type { RunLifecycle } from '../process/lifecycle.mts';

const READY_MS = 5_000;

/**
 * Opens an address that leads to n8n at a port of this machine, as a proxy does: connections are reset while n8n is not ready, since
 * until then it answers some deliveries itself, without a trigger (docs/trigger.md). It ends with the run.
 */
export async function openLink(lifecycle: RunLifecycle, n8n: number): Promise<string> {
	const sockets = new Set<Socket>();
	const add = (socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	};
	const join = (near: Socket) => {
		const far = connect({ port: n8n, host: '127.0.0.1', noDelay: true });
		add(far);
		near.on('close', () => far.destroySoon());
		far.on('close', () => near.destroySoon());
		near.pipe(far).pipe(near);
	};
	const health = `http://127.0.0.1:${n8n}/healthz/readiness`;
	const server = createServer({ pauseOnConnect: true, noDelay: true }, (near) => {
		add(near);
		void axios.get(health, { proxy: false, timeout: READY_MS }).then(
			() => near.destroyed || join(near),
			() => near.resetAndDestroy(),
		);
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
