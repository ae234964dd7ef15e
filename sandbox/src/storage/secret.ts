import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The secret in the data folder: what keys and tokens are derived from, and what keeps the hash of a short code from being guessed. */
export class Secret {
	readonly #bytes: Buffer;

	/** Reads `key-secret`, readable for its owner alone, and makes it where it is missing. */
	constructor(dataDir: string) {
		const file = join(dataDir, 'key-secret');
		if (!existsSync(file)) {
			writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
		}
		this.#bytes = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
	}

	/** The HMAC-SHA256 of a text under the secret: 64 hex digits, the same after a restart. */
	derive(text: string): string {
		return createHmac('sha256', this.#bytes).update(text).digest('hex');
	}
}
