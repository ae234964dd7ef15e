import type { DossierCredential } from './address';
import type { Window } from './pacing';

const MINUTE = 60_000;
const HOUR = 3_600_000;

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

const positive = (value: unknown) => (typeof value === 'number' && value >= 1 ? value : undefined);

/** The windows that the credential's choice of plan stands for; none where requests are not to be held back. */
export function limitsOf(
	credential: Pick<DossierCredential, 'rateLimit' | 'requestsPerMinute' | 'requestsPerHour'>,
): Window[] {
	const { rateLimit, requestsPerMinute, requestsPerHour } = credential;
	if (rateLimit === 'off') return [];
	if (rateLimit !== 'custom')
		return [...PLANS[rateLimit === 'enterprise' ? 'enterprise' : 'business']];
	const windows: Window[] = [];
	const perMinute = positive(requestsPerMinute);
	const perHour = positive(requestsPerHour);
	if (perMinute) windows.push({ limit: perMinute, length: MINUTE, chosen: true });
	if (perHour) windows.push({ limit: perHour, length: HOUR, chosen: true });
	return windows;
}
