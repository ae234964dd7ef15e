/** A service that does its work and misbehaves on request, and keeps an account of all that reaches it. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { waitInTurns } from '../../integration/fakeService.mts';
import { deliver } from './delivery.mts';
import type { Delivery } from './delivery.mts';
import { carryOut } from './handlers.mts';
import { Holdings } from './holdings.mts';
import type { Mark } from './holdings.mts';
import { findMark, firstPiece, readRest } from './reading.mts';
import type { Received, Reply } from './replies.mts';
import { findCall } from './routes.mts';

/** How the service misbehaves toward a request. */
export interface Plan {
	/** Answered before the body of the request is read; then the server goes on reading, closes, or does its work and only then sends the last byte of the answer. */
	early?: { reply: Reply; then: 'read on' | 'close' | 'work' };
	/** The server stops reading the request after its first piece, and keeps the connection. */
	deaf?: boolean;
	/** The server closes the connection after this many bytes of the request's body. */
	closeAt?: number;
	/**
	 * For how long a request is read slowly, in ms. The rest is read at once: what waits in the buffers of the system then
	 * is sent for the client, which sees nothing move meanwhile.
	 */
	slowFor?: number;
	/** The connection is closed if it has brought a request before. */
	closeReused?: boolean;
	/** Answered without doing what was asked; nothing if that is to be done all the same. */
	instead?: (request: Received, held: Holdings) => Reply | undefined;
	/** Changes the answer to what was done. */
	change?: (reply: Reply, request: Received) => Reply;
	/** Written to the connection instead of an HTTP answer. */
	babble?: string;
	/** An informational answer goes before the answer. */
	earlyHints?: boolean;
	/** How the answer reaches the wire. */
	delivery?: Delivery;
}

/** When a plan holds: for a call, for an item, for a number of requests. */
interface Rule {
	/** All calls if it is not given. */
	call: string;
	/** All items if it is not given. */
	mark?: Mark;
	times: number;
	plan: Plan;
}

/** One request as the service saw it. */
export interface Seen {
	call: string;
	mark?: Mark;
	headers: IncomingMessage['headers'];
	/** Of its body, in bytes. */
	bytes: number;
	/** Whether a plan was carried out on it. */
	struck: boolean;
	/** As how many-th request its connection brought it. */
	nth: number;
}

export interface MisbehavingService {
	url: string;
	port: number;
	holdings: Holdings;
	requests: Seen[];
	/** The connections that are open and not idle between two requests. */
	busy(): number;
	/** Reads at once what was not read yet, since a server sees that the client has gone only after the last byte. */
	listen(): void;
	stop(): Promise<void>;
}

/** How long a client has to notice an answer before the connection is reset, in ms. */
const NOTICE = 500;

/** An answer as bytes, for writing it past node:http, which would read what is still on its way first. */
function toBytes({ status, headers, body }: Reply): Buffer {
	const lines = Object.entries({ ...headers, 'content-length': body.length, connection: 'close' });
	const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
	return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Early\r\n${head}\r\n`), body]);
}

/** Answers, and resets the connection. */
async function answerAndClose(socket: Socket, reply: Reply) {
	socket.write(toBytes(reply));
	await waitInTurns(NOTICE);
	socket.resetAndDestroy();
}

/** The ports that a service had: what the node knows of a host must not reach the next service. */
const used = new Set<number>();

/** Listens on a port of this machine that no other service had. */
async function listen(server: Server): Promise<number> {
	for (;;) {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		if (!used.has(port)) {
			used.add(port);
			return port;
		}
		await new Promise((resolve) => server.close(resolve));
	}
}

/** Starts the service. */
export async function startMisbehaving(rules: Rule[]): Promise<MisbehavingService> {
	const holdings = new Holdings();
	const requests: Seen[] = [];
	const connections = new Map<Socket, { served: number; open: number }>();
	const left = new Map(rules.map((rule) => [rule, rule.times]));
	const deaf: IncomingMessage[] = [];
	const hurry = new AbortController();

	/** The plan that a request meets, which is used up by it. */
	function takePlan(seen: Seen): Plan | undefined {
		const rule = rules.find(
			(one) =>
				(left.get(one) ?? 0) > 0 &&
				one.call === seen.call &&
				(!one.mark || one.mark === seen.mark) &&
				(!one.plan.closeReused || seen.nth > 1),
		);
		if (!rule) return undefined;
		left.set(rule, (left.get(rule) ?? 0) - 1);
		seen.struck = true;
		return rule.plan;
	}

	/** Whether the rest of a request is of no interest to the service. */
	async function neglect(request: IncomingMessage, response: ServerResponse, plan: Plan) {
		const { closeReused, early } = plan;
		if (closeReused) request.socket.destroy();
		else if (plan.deaf) deaf.push(request);
		else if (early?.then === 'close') await answerAndClose(request.socket, early.reply);
		else if (early?.then === 'read on') {
			await deliver(response, early.reply, {});
			request.resume();
		} else return false;
		return true;
	}

	async function serve(request: IncomingMessage, response: ServerResponse) {
		const connection = connections.get(request.socket);
		if (!connection) return;
		connection.served++;
		connection.open++;
		const { call, id, query } = findCall(request.method ?? '', request.url ?? '');
		const seen: Seen = {
			call,
			headers: request.headers,
			bytes: 0,
			struck: false,
			nth: connection.served,
		};
		requests.push(seen);
		response.once('close', () => {
			connection.open--;
		});
		const first = await firstPiece(request);
		seen.mark = findMark(request.url ?? '', first);
		const plan = takePlan(seen) ?? {};
		if (await neglect(request, response, plan)) return;
		const early = plan.early && toBytes(plan.early.reply);
		if (early) request.socket.write(early.subarray(0, -1));
		const body = await readRest(request, first, plan, seen, hurry.signal);
		if (!body) return;
		if (plan.babble) return request.socket.end(plan.babble);
		if (plan.earlyHints) response.writeEarlyHints({ link: '</style.css>; rel=preload' });
		const received = { call, id, query, body, headers: request.headers };
		const reply = plan.instead?.(received, holdings) ?? carryOut(holdings, received);
		if (early) return request.socket.end(early.subarray(-1));
		await deliver(response, plan.change?.(reply, received) ?? reply, plan.delivery ?? {});
	}

	const server = createServer((request, response) => {
		// The account has the requests of a client that went away; the service itself has nothing to mend.
		request.on('error', () => undefined);
		response.on('error', () => undefined);
		void serve(request, response);
	});
	server.keepAliveTimeout = 60_000;
	server.on('connection', (socket) => {
		connections.set(socket, { served: 0, open: 0 });
		socket.on('error', () => undefined);
		socket.once('close', () => connections.delete(socket));
	});
	const port = await listen(server);
	return {
		url: `http://127.0.0.1:${port}`,
		port,
		holdings,
		requests,
		busy: () => [...connections.values()].filter(({ open }) => open > 0).length,
		listen: () => {
			hurry.abort();
			deaf.forEach((request) => request.resume());
		},
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
