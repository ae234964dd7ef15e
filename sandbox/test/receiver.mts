import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../src/http/server.mts';

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

/** Starts a server that records each event it receives and answers it, by default with 204. */
export async function openReceiver(answer: Reaction = { status: 204 }) {
	const received: Received[] = [];
	let reaction: React = () => answer;
	let listeners: (() => void)[] = [];
	const server = createServer((incoming, outgoing) => {
		void text(incoming).then((body) => {
			const { method = '', url = '', headers } = incoming;
			const event: Received['event'] = JSON.parse(body || 'null');
			const one: Received = { method, path: url, headers, body, event };
			received.push(one);
			const given = reaction(one);
			if (given !== 'never') outgoing.writeHead(given.status, given.headers).end(given.body);
			for (const listener of listeners.splice(0)) listener();
		});
	});
	const port = await listen(server, 0, '127.0.0.1');
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
			await closeServer(server);
		},
	};
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
