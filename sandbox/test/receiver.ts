import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** A request that came to a receiver. */
export interface Received {
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	event: { event: string; created_at: string; data: Record<string, unknown> };
}

export interface Reaction {
	status: number;
	body?: string;
	headers?: Record<string, string>;
}

type React = (received: Received) => Reaction | 'never';

/** What receives events: a server on this machine that keeps what came, and answers as `react` says (204 where nothing is said). */
export async function receiver(react: React = () => ({ status: 204 })) {
	const received: Received[] = [];
	let reaction = react;
	let tell: (() => void)[] = [];
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
			for (const told of tell.splice(0)) told();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return {
		url: `http://127.0.0.1:${port}/hook`,
		received,
		/** Answers otherwise from now on. */
		react: (next: React) => {
			reaction = next;
		},
		/** Resolves when so many requests came in all. */
		arrived: async (count: number) => {
			while (received.length < count) await new Promise<void>((done) => tell.push(done));
			return received;
		},
		close: async () => {
			tell = [];
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

export type Receiver = Awaited<ReturnType<typeof receiver>>;
