/** How the misbehaving service reads a request: as a whole, in part, or slowly. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MARKS } from './holdings.mts';
import type { Mark } from './holdings.mts';

const MARK = /mark-([0-2])|per_page=1([0-2])\b|from=2026-01-1([0-2])/;

export function findMark(address: string, piece: Buffer): Mark | undefined {
	const found =
		MARK.exec(decodeURIComponent(address)) ?? MARK.exec(piece.toString('utf8', 0, 4096));
	return MARKS[Number(found?.[1] ?? found?.[2] ?? found?.[3] ?? -1)];
}

/** The first piece of a request's body; empty if it has none. */
export async function firstPiece(request: IncomingMessage): Promise<Buffer> {
	const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
	if (!Number(length) && !coding) return Buffer.alloc(0);
	return await new Promise((resolve) => {
		request.once('data', (piece: Buffer) => {
			request.pause();
			resolve(piece);
		});
		request.once('close', () => resolve(Buffer.alloc(0)));
	});
}

/** What a slow service reads in a ms, in bytes. */
const SLOW_RATE = 650;

/** Reads the rest of a body; undefined if it never came whole. */
export async function readRest(
	request: IncomingMessage,
	first: Buffer,
	{ closeAt, slowFor = 0 }: { closeAt?: number; slowFor?: number },
	/** How many bytes were read so far. */
	seen: { bytes: number },
	hurry: AbortSignal,
): Promise<Buffer | undefined> {
	const pieces: Buffer[] = [];
	const take = (piece: Buffer) => {
		pieces.push(piece);
		seen.bytes += piece.length;
		if (closeAt !== undefined && seen.bytes >= closeAt) request.socket.destroy();
	};
	const begun = Date.now();
	/** Waits until a service that reads at the slow rate would have read so much. */
	const dawdle = async () => {
		const end = Math.min(seen.bytes / SLOW_RATE, slowFor);
		const early = begun + end - Date.now();
		if (early > 0) await delay(early, undefined, { signal: hurry }).catch(() => undefined);
	};
	take(first);
	try {
		for await (const piece of request.iterator({ destroyOnReturn: false })) {
			await dawdle();
			take(piece as Buffer);
		}
	} catch {
		return undefined;
	}
	return request.complete && !request.socket.destroyed ? Buffer.concat(pieces) : undefined;
}
