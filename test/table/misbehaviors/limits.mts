import { failPermanently, failTransiently, repeats } from './misbehavior.mts';
import type { Misbehavior, Target } from './misbehavior.mts';
import type { Reply } from '../service/replies.mts';
import { page, tooMany, unavailable, withHeaders } from '../service/replies.mts';

const ABSURD = ['9999999999999', '604800', '-5', 'soon', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT'];

/** Calls without an API key have no plan. */
const countsLimits = ({ job }: Target) =>
	job.as === undefined && !job.operation.startsWith('portalSignIn');

const nothingRemains = (reply: Reply, more: Record<string, string>): Reply =>
	withHeaders(reply, { 'x-ratelimit-remaining': '0', ...more });

/** Refusals, outages, and headers about limits that nobody can take at their word. */
export const refusals: Misbehavior[] = [
	{
		name: 'answers 429 without Retry-After, once',
		times: 1,
		plan: () => ({ instead: () => tooMany({}) }),
	},
	...ABSURD.map(
		(value): Misbehavior => ({
			name: `answers 429 with Retry-After: ${value}, once`,
			times: 1,
			spreads: true,
			plan: () => ({ instead: () => tooMany({ 'retry-after': value }) }),
			ends: () => ({ mayFail: 'refused', done: [0] }),
		}),
	),
	{
		name: 'always answers 429, without Retry-After',
		spreads: true,
		plan: () => ({ instead: () => tooMany({}) }),
		ends: () => ({ mayFail: 'refused', done: [0] }),
		options: { longestWait: 1 },
	},
	{
		name: 'says that less than nothing remains',
		plan: () => ({ delivery: { headers: { 'x-ratelimit-remaining': '-1' } } }),
		credential: { rateLimit: 'enterprise' },
	},
	{
		name: 'answers 503, once',
		times: 1,
		plan: () => ({ instead: () => unavailable({ 'retry-after': '0' }) }),
		ends: failTransiently('unavailable', 0),
	},
	{
		name: 'answers 503 with an absurd Retry-After, once',
		times: 1,
		plan: () => ({ instead: () => unavailable({ 'retry-after': '9999999999999' }) }),
		ends: (target) =>
			repeats(target)
				? { mayFail: 'unavailable', done: [0] }
				: { failure: 'unavailable', done: [0] },
	},
	{
		name: 'always answers 503',
		plan: () => ({ instead: () => unavailable() }),
		ends: failPermanently('unavailable', 0),
	},
	{
		name: 'always answers 500 with a web page',
		plan: () => ({ instead: () => page(500) }),
		ends: failPermanently('failed', 0),
	},
	...[
		['in milliseconds', () => ({ 'x-ratelimit-reset': String(Date.now() + 1_000) })] as const,
		['as seconds from now', () => ({ 'x-ratelimit-reset': '1' })] as const,
	].map(
		([unit, reset]): Misbehavior => ({
			name: `says that nothing remains, and gives the reset ${unit}`,
			times: 1,
			costs: 'time',
			meets: countsLimits,
			plan: () => ({ change: (reply) => nothingRemains(reply, reset()) }),
			credential: { rateLimit: 'enterprise' },
		}),
	),
	{
		name: 'says that nothing remains, and gives no reset that can be read',
		times: 1,
		meets: countsLimits,
		plan: () => ({
			change: (reply) => nothingRemains(reply, { 'x-ratelimit-reset': 'in a moment' }),
		}),
		// Nobody knows how long that holds, so what comes next may have to wait for longer than it may.
		spreads: true,
		ends: () => ({ mayFail: 'refused', done: [0] }),
		credential: { rateLimit: 'enterprise' },
		options: { longestWait: 1 },
	},
];
