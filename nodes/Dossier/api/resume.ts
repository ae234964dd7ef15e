import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { backoff } from './retry';
import { pause, wallClock } from './clock';
import type { Exchange } from './exchange';
import { isProblem, Problem } from './problem';
import { nudgeScavenger } from './scavenger';
import { toText } from './values';

type Readable = import('stream').Readable;

/** Asks again for what an answer holds; the headers are sent with the request. */
export type Reopen = (headers: IDataObject) => Promise<Exchange>;

/** A body that is read to its end, also if its connection breaks. */
export interface WholeBody {
	pieces: AsyncIterable<Uint8Array>;
	/** Of what was read by now: bytes, and SHA-256 in lower-case hex. */
	measure: () => { size: number; sha256: string };
	/** Closes the connection of a body that is not read to its end. */
	close: () => void;
}

/**
 * Makes a stream of pieces. Published code cannot import streams, but each stream knows its class, which makes others.
 */
function toReadable(like: Readable, pieces: AsyncIterable<Uint8Array>): Readable {
	const Stream = like.constructor as typeof import('stream').Readable;
	const stream = Stream.from(pieces, { objectMode: false });
	// Whoever stores the stream sees its errors; afterwards they concern nobody.
	return stream.on('error', () => undefined);
}

/**
 * Gives a body to somebody who takes streams.
 *
 * @param keep stores the stream
 * @throws what broke the body, rather than what the storage says about it
 */
export async function keepWhole<Kept>(
	body: WholeBody,
	like: Readable,
	keep: (content: Readable) => Promise<Kept>,
): Promise<Kept> {
	let failure: unknown;
	function note(error: unknown): unknown {
		failure = error;
		return error;
	}
	async function* noteFailure() {
		try {
			yield* body.pieces;
		} catch (error) {
			throw note(error);
		}
	}
	// A storage that gives up throws into what it reads from; the loop between keeps that from being taken for the body's failure.
	async function* pieces() {
		for await (const piece of noteFailure()) yield piece;
	}
	const content = toReadable(like, pieces());
	try {
		return await keep(content);
	} catch (error) {
		throw failure ?? error;
	} finally {
		content.destroy();
		body.close();
	}
}

/** How often a body that breaks off is asked for again, unless the last try brought enough of it. */
const MAX_TRIES = 3;

/** How much a try must bring so that the count begins anew, in bytes. */
const ENOUGH = 65_536;

/** A body as it is, for lengths that hold and for ranges. */
export const IDENTITY: IDataObject = { 'Accept-Encoding': 'identity' };

/** Throws the error of a body that is not asked for again. */
function requireRetry(error: unknown, tries: number): void {
	if (!isProblem(error, 'CONNECTION_FAILED') || tries > MAX_TRIES) throw error;
}

/** The validator for a range (RFC 9110, 13.1.5): a strong entity tag. */
function readValidator({ etag, 'accept-ranges': ranges }: IDataObject): string | undefined {
	const tag = toText(etag);
	return tag && ranges !== 'none' && !tag.startsWith('W/') ? tag : undefined;
}

/** Whether an answer goes on at an offset (RFC 9110, 14.4). */
function goesOnAt(offset: number, { status, headers }: Exchange): boolean {
	const start = toText(headers['content-range'])?.match(/^bytes (\d+)-/)?.[1];
	return status === 206 && start !== undefined && Number(start) === offset;
}

/**
 * Reads the body of an answer. If the connection breaks, the body is asked for again: from the offset if an entity tag
 * or a checksum that is compared later proves that both parts belong together, else from its beginning, of which as much
 * as is known already is compared and left out.
 *
 * @param isProvable whether the caller compares the checksum of the whole
 */
export function readWhole(
	first: Exchange,
	reopen: Reopen,
	{ signal, isProvable, fileName }: { signal?: AbortSignal; isProvable: boolean; fileName: string },
): WholeBody {
	const hash = createHash('sha256');
	let size = 0;
	let exchange = first;
	/** Whether a range has not proved useless yet. */
	let mayUseRange = true;

	function take(piece: Uint8Array): Uint8Array {
		hash.update(piece);
		size += piece.length;
		nudgeScavenger(piece.length);
		return piece;
	}

	/** Leaves out the beginning of a body that is known already, and compares it. */
	async function* skipKnown(known: number): AsyncGenerator<Uint8Array> {
		const again = createHash('sha256');
		const expected = hash.copy().digest('hex');
		let left = known;
		let isCompared = false;
		for await (const piece of exchange.pieces()) {
			const old = piece.subarray(0, left);
			left -= old.length;
			if (!isCompared) again.update(old);
			if (left > 0) continue;
			if (!isCompared && again.digest('hex') !== expected) {
				throw new Problem('FILE_CHANGED', { fileName });
			}
			isCompared = true;
			if (piece.length > old.length) yield piece.subarray(old.length);
		}
		if (left > 0) throw new Problem('FILE_CHANGED', { fileName });
	}

	async function openAgain(): Promise<AsyncIterable<Uint8Array>> {
		const validator = readValidator(first.headers);
		if (size > 0 && mayUseRange && (validator || isProvable)) {
			exchange = await reopen({
				...IDENTITY,
				Range: `bytes=${size}-`,
				...(validator && { 'If-Range': validator }),
			}).catch(async (error: unknown) => {
				// A service may refuse a range that it cannot give.
				if (!isProblem(error, 'REFUSED')) throw error;
				return await reopen(IDENTITY);
			});
			if (goesOnAt(size, exchange)) return exchange.pieces();
			mayUseRange = false;
			if (exchange.status === 206) {
				exchange.close();
				exchange = await reopen(IDENTITY);
			}
		} else {
			exchange = await reopen(IDENTITY);
		}
		return size > 0 ? skipKnown(size) : exchange.pieces();
	}

	async function* pieces(): AsyncGenerator<Uint8Array> {
		let tries = 0;
		let body: AsyncIterable<Uint8Array> = first.pieces();
		for (;;) {
			const before = size;
			try {
				for await (const piece of body) yield take(piece);
				return;
			} catch (error) {
				tries = size - before >= ENOUGH ? 1 : tries + 1;
				if (exchange.status === 206 && size === before) mayUseRange = false;
				requireRetry(error, tries);
			}
			await pause(wallClock, backoff(tries), signal);
			body = await openAgain();
		}
	}

	return {
		pieces: pieces(),
		measure: () => ({ size, sha256: hash.copy().digest('hex') }),
		close: () => exchange.close(),
	};
}
