/** Reads what a service says about a webhook, by structure: services name and write these things in their own ways. */
import type { IDataObject } from 'n8n-workflow';

/** An address without differences that a service may make when it writes it back. */
function normalizeAddress(address: string): string {
	if (!URL.canParse(address)) return address;
	const { origin, pathname } = new URL(address);
	return origin + pathname.replace(/\/+$/, '');
}

export const isSameAddress = (a: string, b: string): boolean =>
	normalizeAddress(a) === normalizeAddress(b);

/** Whether a webhook has an address, whatever the service calls the field. */
export const isAtAddress = (address: string) => (webhook: IDataObject) =>
	Object.values(webhook).some(
		(value) => typeof value === 'string' && isSameAddress(value, address),
	);

/**
 * Whether a webhook is at none of these addresses, but at the path of one on another host: an n8n with a copy of the database
 * has moved it to itself.
 */
export const isTaken = (addresses: string[]) => (webhook: IDataObject) => {
	const own = addresses.map((address) => new URL(address));
	return Object.values(webhook).some((value) => {
		if (typeof value !== 'string' || !URL.canParse(value)) return false;
		const { host, pathname } = new URL(normalizeAddress(value));
		return own.some((one) => one.pathname === pathname) && own.every((one) => one.host !== host);
	});
};

const INACTIVE =
	/^(in_?active|disabled|deactivated|paused|suspended|stopped|off|blocked|revoked|fail)/i;

/** Whether a webhook is active; `undefined` if its status is another word. It is active if the service says nothing about it. */
export function readActivity(webhook: IDataObject): boolean | undefined {
	const { status, active, enabled, disabled } = webhook;
	if (active === false || enabled === false || disabled === true) return false;
	if (typeof status !== 'string' || /^(active|enabled|on)$/i.test(status)) return true;
	return INACTIVE.test(status) ? false : undefined;
}

/** Whether a webhook has these events and no others. A service may write one event as a text. */
export function hasEvents(wanted: string[], actual: unknown): boolean {
	const events: unknown[] = Array.isArray(actual) ? actual : [actual];
	return wanted.length === events.length && wanted.every((event) => events.includes(event));
}

const SECRET_PATH = /secret|sign\w*\W*(key|token)|hmac/i;
/** What the secret itself is called. Anybody could sign with what `hmac_algorithm` or `secret_type` say. */
const SECRET_NAME = /(secret|key|token|value|base64|hex)s?$/i;
const NOT_A_SECRET = /hint|preview|prefix|last|public/i;
const MASKED =
	/[*•●…\s]|\.{3}|^x{4,}|x{8,}|redacted|masked|hidden|encrypted|protected|generated|configured|unchanged/i;
const SHORTEST_SIGNING_SECRET = 12;
const DEEPEST_SECRET = 4;

/**
 * Finds secrets that the service chose, under any likely name and at any place of its answer. Masked ones are left out, and
 * so is every text that a stranger could guess.
 *
 * @param sent the secret that the service was given, which it may repeat
 */
export function findSecrets(answer: object, sent: string, path: string[] = []): string[] {
	return Object.entries(answer).flatMap(([name, value]: [string, unknown]) => {
		const inside = [...path, name];
		if (typeof value === 'object' && value !== null) {
			return inside.length < DEEPEST_SECRET ? findSecrets(value, sent, inside) : [];
		}
		const own = inside.findLast((part) => !/^\d+$/.test(part)) ?? '';
		const isNamed =
			SECRET_PATH.test(inside.join(' ')) && SECRET_NAME.test(own) && !NOT_A_SECRET.test(own);
		if (typeof value !== 'string' || !isNamed) return [];
		return value.length >= SHORTEST_SIGNING_SECRET && value !== sent && !MASKED.test(value)
			? [value]
			: [];
	});
}
