import { randomBytes } from 'node:crypto';

/** What an identifier names, the request id of the `X-Request-Id` header included. */
export type IdPrefix =
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

/** A fresh identifier: prefix, underscore, 96 random bits in lower-case hex. It carries no meaning and no order. */
export function newId(prefix: IdPrefix): string {
	return `${prefix}_${randomBytes(12).toString('hex')}`;
}
