import { createHmac, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The secret in the data folder. Keys and tokens are derived from it, and short codes are hashed with it, so that nobody can guess them. */
export class Secret {
	readonly #bytes: Buffer;

	/** Reads `key-secret`, which only its owner can read. If it is missing, creates it: random, or derived from `seed`. */
	constructor(dataDir: string, seed?: string) {
		const file = join(dataDir, 'key-secret');
		if (!existsSync(file)) {
			const fresh = seed === undefined ? randomBytes(32).toString('hex') : hash('sha256', seed);
			writeFileSync(file, fresh, { mode: 0o600, flag: 'wx' });
		}
		this.#bytes = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
	}

	/** The HMAC-SHA256 of a text under the secret: 64 hex digits, the same after a restart. */
	derive(text: string): string {
		return createHmac('sha256', this.#bytes).update(text).digest('hex');
	}
}
