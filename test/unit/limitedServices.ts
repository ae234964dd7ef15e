/** A service that limits requests by the windows of a plan. */
import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../../nodes/Dossier/api/clock';
import type { Window } from '../../nodes/Dossier/api/pace/limits';
import { HOUR, MINUTE } from './virtualClock';

export const BUSINESS: Window[] = [
	{ limit: 100, length: MINUTE },
	{ limit: 1_000, length: HOUR },
];

/** What a service answers. */
export interface LimitedAnswer {
	statusCode: number;
	headers: IDataObject;
}

/** Which headers a service with fixed windows sends. */
export interface SentHeaders {
	reset?: 'epochSeconds' | 'epochMilliseconds' | 'seconds' | 'milliseconds';
}

/** A service whose windows begin at whole minutes and hours of its own clock, which is `skew` ms ahead. */
export function fixedWindows(clock: Clock, sent: SentHeaders, skew = 0) {
	const counts = BUSINESS.map(() => ({ window: -1, count: 0 }));
	return (): LimitedAnswer => {
		const now = clock.now() + skew;
		const windows = BUSINESS.map(({ limit, length }, index) => {
			const window = Math.floor(now / length);
			const count = counts[index]?.window === window ? counts[index].count : 0;
			return { index, window, limit, remaining: limit - count, ends: (window + 1) * length };
		});
		const isRefused = windows.some(({ remaining }) => remaining === 0);
		const left = windows.map((one) => {
			const remaining = isRefused ? one.remaining : one.remaining - 1;
			counts[one.index] = { window: one.window, count: one.limit - remaining };
			return { ...one, remaining };
		});
		const tighter = left.reduce((a, b) => (b.remaining < a.remaining ? b : a));
		const headers: IDataObject = {
			'x-ratelimit-remaining': String(tighter.remaining),
			date: new Date(now).toUTCString(),
		};
		if (sent.reset) {
			const resets = {
				epochSeconds: tighter.ends / 1000,
				epochMilliseconds: tighter.ends,
				seconds: Math.ceil((tighter.ends - now) / 1000),
				milliseconds: tighter.ends - now,
			};
			headers['x-ratelimit-limit'] = String(tighter.limit);
			headers['x-ratelimit-reset'] = String(resets[sent.reset]);
		}
		return { statusCode: isRefused ? 429 : 200, headers };
	};
}
