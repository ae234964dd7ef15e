/** How an answer of the misbehaving service reaches the wire. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Reply } from './replies.mts';

/** How an answer reaches the client. Without any of these, as it should. */
export interface Delivery {
	/** The body is compressed, although the client did not ask for that. */
	coding?: 'gzip' | 'br';
	/** The bytes are written in pieces of this size. */
	piece?: number;
	/** Only this many pieces are written so; the rest follows at once. */
	pieces?: number;
	/** The pause before each piece, in ms. */
	pause?: number;
	/** Nothing more comes from here on, and the connection stays open. */
	silent?: 'before headers' | 'after headers' | 'in the body';
	/** The server closes the connection after this many bytes of the body, counted from its end if negative. */
	cutAt?: number;
	/** Added to the true length in Content-Length. */
	lengthOff?: number;
	/** There is no Content-Length. */
	chunked?: boolean;
	/** Further headers, with their bytes as they stand. */
	headers?: Record<string, string>;
}

const compress = { gzip: gzipSync, br: brotliCompressSync };

/** Writes bytes and waits until the kernel has taken them; false if the client has gone. */
const write = async (response: ServerResponse, bytes: Buffer) =>
	await new Promise<boolean>((resolve) => {
		if (response.destroyed) return resolve(false);
		const gone = () => resolve(false);
		response.once('close', gone);
		response.write(bytes, () => {
			response.off('close', gone);
			resolve(!response.destroyed);
		});
	});

async function writePieces(response: ServerResponse, body: Buffer, delivery: Delivery) {
	const { piece = body.length, pieces = Infinity, pause } = delivery;
	let at = 0;
	for (let n = 0; at < body.length; n++) {
		const end = n < pieces ? at + piece : body.length;
		if (pause !== undefined && n > 0) await delay(pause);
		if (!(await write(response, body.subarray(at, end)))) return;
		at = end;
	}
}

/** Delivers an answer in the way that is given. Returns when the service has nothing more to do with it. */
export async function deliver(response: ServerResponse, reply: Reply, delivery: Delivery) {
	const { coding, silent, cutAt, lengthOff = 0, chunked, headers } = delivery;
	if (silent === 'before headers') return;
	const body = coding ? compress[coding](reply.body) : reply.body;
	response.writeHead(reply.status, {
		...reply.headers,
		...(coding && { 'content-encoding': coding }),
		...(!chunked && { 'content-length': String(body.length + lengthOff) }),
		...headers,
	});
	if (silent === 'after headers') return response.flushHeaders();
	const half = Math.floor(body.length / 2);
	const end = silent
		? half
		: cutAt === undefined
			? body.length
			: cutAt < 0
				? body.length + cutAt
				: cutAt;
	await writePieces(response, body.subarray(0, end), delivery);
	if (cutAt !== undefined) response.socket?.destroy();
	else if (!silent) response.end();
}
