import { HOUR, MINUTE } from '../clock';
import type { DossierCredential } from '../credential';
import { Problem } from '../../problems/problem';
import { toText } from '../json';

/** How many requests fit into how many milliseconds. */
export interface Window {
	limit: number;
	length: number;
	/** Whether it is Custom in the credential: then it is kept even if the service allows more. */
	isCustom?: boolean;
}

/** The published limits of the plans that have access to the API: bursts by the minute, sustained by the hour. */
const PLANS = {
	business: [
		{ limit: 100, length: MINUTE },
		{ limit: 1_000, length: HOUR },
	],
	enterprise: [
		{ limit: 500, length: MINUTE },
		{ limit: 10_000, length: HOUR },
	],
} as const satisfies Record<string, Window[]>;

/** Reads a limit of the credential, which an expression may give as text; `undefined`, for no limit, if it is 0 or empty. */
function readLimit(value: unknown, field: string): number | undefined {
	const text = toText(value)?.trim();
	if (text === undefined || text === '') return undefined;
	if (!/^\d+$/.test(text)) {
		throw new Problem('FIELD_INVALID', { credential: 'dossierApi', field, rule: 'rateLimit' });
	}
	return Number(text) || undefined;
}

type LimitChoice = Pick<DossierCredential, 'rateLimit' | 'requestsPerMinute' | 'requestsPerHour'>;

/**
 * The windows for the Rate Limit of a credential; none if it is off.
 *
 * @throws Problem if a number of Custom is not a whole number
 */
export function planWindows(choice: LimitChoice): Window[] {
	const { rateLimit, requestsPerMinute, requestsPerHour } = choice;
	if (rateLimit === 'off') return [];
	if (rateLimit !== 'custom') {
		return [...PLANS[rateLimit === 'enterprise' ? 'enterprise' : 'business']];
	}
	const windows: Window[] = [];
	const perMinute = readLimit(requestsPerMinute, 'requestsPerMinute');
	const perHour = readLimit(requestsPerHour, 'requestsPerHour');
	if (perMinute) windows.push({ limit: perMinute, length: MINUTE, isCustom: true });
	if (perHour) windows.push({ limit: perHour, length: HOUR, isCustom: true });
	return windows;
}

/** How far apart two requests that are sent at the same time may reach the service, in ms. */
const SPREAD = 1_000;

/** Forgets moments before the last hour, and moments in the future: those exist if the machine's clock was set back. */
export function keepLastHour(sent: number[], now: number): void {
	while ((sent[0] ?? now) < now - HOUR - SPREAD) sent.shift();
	while ((sent.at(-1) ?? now) > now) sent.pop();
}

/**
 * How long until one more request fits into a window, whenever the service begins to count: that suits fixed and sliding
 * windows.
 *
 * @param sent when requests were sent, oldest first
 */
export function delayByWindow({ limit, length }: Window, sent: number[], now: number): number {
	const oldest = sent[sent.length - limit];
	return oldest === undefined ? 0 : Math.max(0, oldest + length + SPREAD - now);
}

/** How long until the last of some further requests fits into all windows, if each is sent as soon as it fits, in ms. */
export function forecast(windows: Window[], sent: number[], requests: number, now: number): number {
	const moments = [...sent];
	let at = now;
	for (let left = windows.length ? requests : 0; left > 0; left--) {
		for (const window of windows) at += delayByWindow(window, moments, at);
		moments.push(at);
	}
	return at - now;
}
