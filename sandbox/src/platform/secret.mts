import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const nonceBytes = 12;
const tagBytes = 16;

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

	/** Encrypts a text (AES-256-GCM), bound to what it belongs to. */
	seal(text: string, owner: string): Buffer {
		const nonce = randomBytes(nonceBytes);
		const cipher = createCipheriv('aes-256-gcm', this.#sealingKey(), nonce);
		cipher.setAAD(Buffer.from(owner));
		const sealed = [cipher.update(text, 'utf8'), cipher.final()];
		return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
	}

	/** Decrypts what was sealed. Throws if it was sealed for another owner, sealed under another secret, or changed since. */
	unseal(sealed: Uint8Array, owner: string): string {
		const [nonce, rest] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes)];
		const decipher = createDecipheriv('aes-256-gcm', this.#sealingKey(), nonce);
		decipher.setAAD(Buffer.from(owner));
		decipher.setAuthTag(rest.subarray(0, tagBytes));
		const opened = [decipher.update(rest.subarray(tagBytes)), decipher.final()];
		return Buffer.concat(opened).toString('utf8');
	}

	#sealingKey(): Buffer {
		return Buffer.from(this.derive('sealing'), 'hex');
	}
}
