/** Reads what a service says about a webhook, by structure: services name and write these things in their own ways. */
import type { IDataObject } from 'n8n-workflow';

/** An address without the parts that a service may change when it writes the address back. */
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
 * Whether a webhook has the path of one of these addresses, but none of their hosts: an n8n with a copy of the database has
 * moved it to its own host.
 */
export const isMovedToOtherHost = (addresses: string[]) => (webhook: IDataObject) => {
	const own = addresses.map((address) => new URL(address));
	return Object.values(webhook).some((value) => {
		if (typeof value !== 'string' || !URL.canParse(value)) return false;
		const { host, pathname } = new URL(normalizeAddress(value));
		return own.some((one) => one.pathname === pathname) && own.every((one) => one.host !== host);
	});
};

const INACTIVE =
	/^(in_?active|disabled|deactivated|paused|suspended|stopped|off|blocked|revoked|fail)/i;

/** Whether a webhook is active; `undefined` if its status is an unknown word. Without a status it is active. */
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

const SECRET_NAME = /^((signing|webhook)_?)?(secret|key)$/i;
const MASKED =
	/[*•●…\s]|\.{3}|^x{4,}|x{8,}|redacted|masked|hidden|encrypted|protected|generated|configured|unchanged/i;
const SHORTEST_SIGNING_SECRET = 12;

/**
 * Finds the secret that the service chose in its answer. A masked one is left out, and so is a text that a stranger could guess.
 *
 * @param sent the secret that the service was given, which it may repeat
 */
export function findSecret(answer: object, sent: string): string | undefined {
	const named = Object.entries(answer).filter(([name]) => SECRET_NAME.test(name));
	return named
		.map(([, value]: [string, unknown]) => (typeof value === 'string' ? value : ''))
		.find((text) => text.length >= SHORTEST_SIGNING_SECRET && text !== sent && !MASKED.test(text));
}
