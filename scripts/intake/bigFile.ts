import { createCipheriv } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

const CHUNK = Buffer.alloc(1024 * 1024);

/** Writes a file of a given size that cannot be compressed: the key stream of a cipher with a fixed key. */
export async function writeBigFile(
	path: string,
	bytes: number,
	signal: AbortSignal,
): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	const zeros = function* () {
		for (let left = bytes; left > 0; left -= CHUNK.length) {
			yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
		}
	};
	const keyStream = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'dossier'), Buffer.alloc(16));
	await pipeline(zeros, keyStream, createWriteStream(path), { signal });
}
