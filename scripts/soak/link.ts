import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { RunLifecycle } from '../process/lifecycle.ts';

/** A network between two programs: an address that leads to a port of this machine. It can be cut. */
export interface Link {
	url: string;
	/** Lets no byte pass until the link is mended. Open connections fall silent, and new ones get no answer. */
	cut(): void;
	/** Resets the connections of before, and lets new ones pass. */
	mend(): void;
	/** How many connections were opened while the link was cut. */
	readonly held: number;
}

/**
 * Opens a link to a target, whose port may be set later. It ends with the run.
 *
 * @param isReady whether the target takes connections, asked for each one; others are reset
 */
export async function openLink(
	lifecycle: RunLifecycle,
	target: { port: number },
	isReady: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Link> {
	const sockets = new Set<Socket>();
	let isCut = false;
	let held = 0;
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
			else if (isCut) held += 1;
			else if (!near.destroyed) join(near);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const reset = () => {
		for (const socket of sockets) socket.destroy();
	};
	lifecycle.onEnd(async () => {
		const closed = new Promise((resolve) => server.close(resolve));
		reset();
		await closed;
	});
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		cut: () => {
			isCut = true;
			for (const socket of sockets) socket.unpipe().pause();
		},
		mend: () => {
			isCut = false;
			reset();
		},
		get held() {
			return held;
		},
	};
}
