import { createHash, randomBytes } from 'node:crypto';

/** What an identifier names, the request id of the `X-Request-Id` header included. */
type IdPrefix =
	| 'dos'
	| 'doc'
	| 'usr'
	| 'tsk'
	| 'aud'
	| 'inv'
	| 'whk'
	| 'ten'
	| 'bu'
	| 'org'
	| 'key'
	| 'evt'
	| 'dlv'
	| 'flt'
	| 'msg'
	| 'otp'
	| 'req';

const idBytes = 12;
/** Random bytes for many identifiers: one call to the system costs more than the bytes. */
let pool = Buffer.alloc(0);

/** A fresh identifier: prefix, underscore, 96 random bits in lower-case hex. It has no meaning and no order. */
export function newId(prefix: IdPrefix): string {
	if (pool.length < idBytes) pool = randomBytes(idBytes * 256);
	const id = pool.toString('hex', 0, idBytes);
	pool = pool.subarray(idBytes);
	return `${prefix}_${id}`;
}

/** Runs work whose identifiers, 256 at most, come from a seed: the same seed gives the same ones, in the same order. */
export function withSeededIds<T>(seed: string, work: () => T): T {
	const before = pool;
	pool = createHash('shake256', { outputLength: idBytes * 256 })
		.update(seed)
		.digest();
	try {
		return work();
	} finally {
		pool = before;
	}
}

/** Whether a field holds identifiers, going by its name. */
export function isIdName(name: string): boolean {
	return name !== 'request_id' && /^id$|_ids?$|_by$/.test(name);
}
