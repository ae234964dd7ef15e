import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** A request that reached a receiver. */
export interface Received {
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	event: { event: string; created_at: string; data: Record<string, unknown> };
}

/** How a receiver answers; `never` leaves the request open. */
export type Reaction =
	| { status: number; body?: string; headers?: Record<string, string> }
	| 'never';

type React = (received: Received) => Reaction;

/** Starts a server that records each event it receives and answers as `react` says, by default with 204. */
export async function openReceiver(react: React = () => ({ status: 204 })) {
	const received: Received[] = [];
	let reaction = react;
	let listeners: (() => void)[] = [];
	const server = createServer((incoming, outgoing) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const body = Buffer.concat(chunks).toString();
			const { method = '', url = '', headers } = incoming;
			const event: Received['event'] = JSON.parse(body);
			const one: Received = { method, path: url, headers, body, event };
			received.push(one);
			const answer = reaction(one);
			if (answer !== 'never') {
				outgoing.writeHead(answer.status, answer.headers);
				outgoing.end(answer.body);
			}
			for (const listener of listeners.splice(0)) listener();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return {
		url: `http://127.0.0.1:${port}/hook`,
		received,
		/** Changes the answer from now on. */
		react: (next: React) => {
			reaction = next;
		},
		/** Resolves when `count` requests have arrived since the receiver opened. */
		arrived: async (count: number) => {
			while (received.length < count) await new Promise<void>((resolve) => listeners.push(resolve));
			return received;
		},
		close: async () => {
			listeners = [];
			if (!server.listening) return;
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
