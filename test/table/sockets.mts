/** Counts the sockets that clients in this process hold, by the port that they lead to. */
import { subscribe } from 'node:diagnostics_channel';
import { globalAgent } from 'node:http';
import type { Socket } from 'node:net';

const opened = new Set<Socket>();

subscribe('net.client.socket', (message) => {
	const { socket } = message as { socket: Socket };
	opened.add(socket);
	socket.once('close', () => opened.delete(socket));
});

/** The sockets to a port that are open and not kept for the next request. */
export function clientSockets(port: number): number {
	const idle = new Set(Object.values(globalAgent.freeSockets).flat());
	return [...opened].filter((socket) => socket.remotePort === port && !idle.has(socket)).length;
}
