import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { backoff, pause, wallClock } from '../clock';
import type { Exchange, Readable } from '../send/exchange';
import { isProblem, Problem } from '../../problems/problem';
import { toText } from '../json';
import {
	readPart,
	toPartialFileProblem,
	toWrongSizeProblem,
	requireBeginning,
	requireFile,
	requirePlain,
} from './whole';
import type { ExpectedFile } from './whole';

/** Requests a file again, with these headers. */
export type Reopen = (headers: IDataObject) => Promise<Exchange>;

/** A body that is read to its end, even if its connection breaks. */
export interface WholeBody {
	pieces: AsyncIterable<Uint8Array>;
	/** Closes the connection of a body that is not read to its end. */
	close: () => void;
}

/** Makes a stream with the constructor of another one, because n8n's lint forbids importing `stream` (no-restricted-imports). */
function toReadable(like: Readable, pieces: AsyncIterable<Uint8Array>): Readable {
	const Stream = like.constructor as typeof import('stream').Readable;
	const stream = Stream.from(pieces, { objectMode: false });
	// A stream without a listener would crash the process if it fails after it was stored.
	return stream.on('error', () => undefined);
}

/**
 * Stores a body as a stream.
 *
 * @param like any stream, whose class the new stream gets
 * @param keep stores the stream
 * @throws the error that broke the body, if there is one, else that of the storage
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
	// A storage that fails throws into the generator that it reads. This generator keeps that error out of `failure`.
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

/** How often in a row a body that breaks off is requested again. */
const MAX_RETRIES = 3;

/** An attempt that brings this many bytes starts the count of retries anew. */
const PROGRESS = 65_536;

/** Asks for a body without compression, so that its length and its ranges are those of the file. */
export const IDENTITY: IDataObject = { 'Accept-Encoding': 'identity' };

/** How many bytes at the beginning of a file show whether it is compressed. */
const BEGINNING = 4;

/** Rethrows the error unless the body may be requested again. */
function requireRetry(error: unknown, failures: number): void {
	if (!isProblem(error, 'CONNECTION_FAILED') || failures > MAX_RETRIES) throw error;
}

/** The validator for a range (RFC 9110, 13.1.5): a strong entity tag. */
function readValidator({ etag, 'accept-ranges': ranges }: IDataObject): string | undefined {
	const tag = toText(etag);
	return tag && ranges !== 'none' && !tag.startsWith('W/') ? tag : undefined;
}

/**
 * Reads the body of an answer. If the connection breaks, only the rest is requested, provided that an entity tag, or the checksum
 * that the caller compares in the end, proves that both parts belong together. Otherwise the whole body is requested again, and
 * its known part is compared and skipped.
 *
 * @throws Problem if the first answer is not the beginning of a file
 */
export function readWhole(
	first: Exchange,
	reopen: Reopen,
	expected: ExpectedFile,
	signal: AbortSignal | undefined,
): WholeBody {
	const { fileName } = expected;
	requireBeginning(first, fileName);
	requirePlain(first, expected);
	const hash = createHash('sha256');
	let size = 0;
	let beginning = '';
	let exchange = first;
	/** False once the service has answered a range wrongly. */
	let mayUseRange = true;

	const measure = () => ({ size, sha256: hash.copy().digest('hex'), beginning });

	function take(piece: Uint8Array): Uint8Array {
		if (beginning.length < BEGINNING)
			beginning += Buffer.from(piece.subarray(0, BEGINNING)).toString('hex');
		hash.update(piece);
		size += piece.length;
		// An answer without a length may never end, and a small compressed one may become large.
		if (size > (expected.size ?? Infinity)) throw toWrongSizeProblem(size, expected.size ?? 0);
		return piece;
	}

	/** Compares the known part of a body, and skips it. */
	async function* skipKnown(known: number): AsyncGenerator<Uint8Array> {
		const again = createHash('sha256');
		const knownHash = hash.copy().digest('hex');
		let left = known;
		let isCompared = false;
		for await (const piece of exchange.pieces()) {
			const old = piece.subarray(0, left);
			left -= old.length;
			if (!isCompared) again.update(old);
			if (left > 0) continue;
			if (!isCompared && again.digest('hex') !== knownHash) {
				throw new Problem('FILE_CHANGED', { fileName });
			}
			isCompared = true;
			if (piece.length > old.length) yield piece.subarray(old.length);
		}
		if (left > 0) throw new Problem('FILE_CHANGED', { fileName });
	}

	async function openAgain(): Promise<AsyncIterable<Uint8Array>> {
		const validator = readValidator(first.headers);
		if (size > 0 && mayUseRange && (validator || expected.sha256)) {
			exchange = await reopen({
				...IDENTITY,
				Range: `bytes=${size}-`,
				...(validator && { 'If-Range': validator }),
			}).catch(async (error: unknown) => {
				// A service without ranges may refuse the request.
				if (!isProblem(error, 'REFUSED')) throw error;
				return await reopen(IDENTITY);
			});
			if (readPart(exchange)?.start === size) return exchange.pieces();
			mayUseRange = false;
			if (exchange.statusCode === 206) {
				exchange.close();
				exchange = await reopen(IDENTITY);
			}
		} else {
			exchange = await reopen(IDENTITY);
		}
		return size > 0 ? skipKnown(size) : exchange.pieces();
	}

	/** Whether the answer was a part of the body and more follows: a service may limit the size of its answers. */
	function lacksRest(before: number): boolean {
		const total = readPart(exchange)?.total;
		if (total === undefined || size >= total) return false;
		if (size === before) throw toPartialFileProblem(exchange, fileName);
		return true;
	}

	async function* pieces(): AsyncGenerator<Uint8Array> {
		let failures = 0;
		let body: AsyncIterable<Uint8Array> = first.pieces();
		for (;;) {
			const before = size;
			try {
				for await (const piece of body) yield take(piece);
				if (!lacksRest(before)) return requireFile(exchange, measure(), expected);
			} catch (error) {
				// Only the end of the transfer is missing, not that of the file.
				if (size === expected.size && measure().sha256 === expected.sha256) return;
				failures = size - before >= PROGRESS ? 1 : failures + 1;
				if (exchange.statusCode === 206 && size === before) mayUseRange = false;
				requireRetry(error, failures);
				await pause(wallClock, backoff(failures), signal);
			}
			body = await openAgain();
			requirePlain(exchange, expected);
		}
	}

	return {
		pieces: pieces(),
		close: () => exchange.close(),
	};
}
