/** The pacer after refusals, also by services whose refusals and headers do not follow from a plain limit. */
import type { IDataObject } from 'n8n-workflow';
import { planWindows } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { HOUR, MINUTE, START, VirtualClock } from '../virtualClock.mts';
import { Limiter, sendCalls } from './limitedService.mts';

const SECOND = 1_000;

/** Answers after a while. */
const answerAfter =
	(clock: VirtualClock, latency: number, headers: IDataObject = {}) =>
	async () => {
		await clock.sleep(latency);
		return { statusCode: 200, headers };
	};

describe('1,000 requests to a service without a limit that refuses 6 % of them', () => {
	it.each<[string, IDataObject, number]>([
		['"Retry-After: 0"', { 'retry-after': '0' }, 20],
		['nothing', {}, 20],
		['"Retry-After: 1"', { 'retry-after': '1' }, 180],
		['that nothing remains', { 'x-ratelimit-remaining': '0' }, 20],
		['both', { 'retry-after': '1', 'x-ratelimit-remaining': '0' }, 180],
	])('succeed in a short time if it says %s', async (_, headers, seconds) => {
		const clock = new VirtualClock();
		let sent = 0;
		const send = async () => {
			// Spread like random numbers, but equal in each run.
			const isRefused = (++sent * 0.618_034 * sent) % 1 < 0.06;
			await clock.sleep(20);
			return isRefused ? { statusCode: 429, headers } : { statusCode: 200, headers: {} };
		};
		expect(await sendCalls(1_000, send, { clock })).toBe(0);
		expect(sent).toBeGreaterThan(1_030);
		expect(clock.now() - START).toBeLessThan(seconds * SECOND);
	});
});

it('uploads that take longer than the longest wait do not fail others, although few requests remain', async () => {
	const clock = new VirtualClock();
	const send = answerAfter(clock, 10 * MINUTE, { 'x-ratelimit-remaining': '3' });
	expect(await sendCalls(32, send, { clock })).toBe(0);
	expect(clock.now() - START).toBeLessThan(50 * MINUTE);
});

it("a plan's window that the service begins a little later costs no more than that", async () => {
	const clock = new VirtualClock();
	const limiter = new Limiter({ kind: 'sliding', windows: [{ limit: 100, length: MINUTE }] });
	let sent = 0;
	const send = async () => {
		// Connections are opened first.
		await clock.sleep(sent++ < 5 ? 200 : 5);
		const isRefused = !limiter.take(clock.now());
		const headers = limiter.headers('remaining', isRefused, clock.now());
		return { statusCode: isRefused ? 429 : 200, headers };
	};
	const pacer = new Pacer(planWindows({ rateLimit: 'business' }), clock);
	await sendCalls(150, send, { clock, pacer });
	expect(clock.now() - START).toBeLessThan(62 * SECOND);
});

it.each(['nothing', 'all'] as const)(
	'calls that may not wait succeed together once the window is over, if the service says %s',
	async (says) => {
		const clock = new VirtualClock();
		const pacer = new Pacer([], clock);
		const limiter = new Limiter({ kind: 'fixed', windows: [{ limit: 100, length: MINUTE }] });
		const send = async () => {
			const isRefused = !limiter.take(clock.now());
			const headers = limiter.headers(says, isRefused, clock.now());
			await clock.sleep(2 * SECOND);
			return { statusCode: isRefused ? 429 : 200, headers };
		};
		const run = { clock, pacer, longestWait: 0 };
		expect(await sendCalls(120, send, run)).toBeGreaterThan(10);
		clock.pass(MINUTE);
		expect(await sendCalls(32, send, run)).toBe(0);
	},
);

it.each([
	['how long to wait', { 'retry-after': '30' }, 4],
	['that each new minute is used up', { 'x-ratelimit-remaining': '0' }, 13],
])('a service that refuses every request and says %s is given up', async (_, headers, minutes) => {
	const clock = new VirtualClock();
	const send = async () => {
		await clock.sleep(20);
		const reset = Math.ceil((clock.now() + 1) / MINUTE) * 60;
		const date = new Date(clock.now()).toUTCString();
		return { statusCode: 429, headers: { date, 'x-ratelimit-reset': String(reset), ...headers } };
	};
	expect(await sendCalls(20, send, { clock })).toBe(20);
	expect(clock.now() - START).toBeLessThan(minutes * MINUTE);
});

it('refusals for three hours fail nothing once they are over', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer([], clock);
	const end = clock.now() + 3 * HOUR;
	const send = async () => {
		await clock.sleep(20);
		return { statusCode: clock.now() < end ? 429 : 200, headers: {} };
	};
	let failed = 0;
	while (clock.now() < end) {
		failed += await sendCalls(1, send, { clock, pacer });
		clock.pass(MINUTE);
	}
	expect(failed).toBeGreaterThan(5);
	// The next try is in a quarter of an hour at most.
	clock.pass(15 * MINUTE);
	for (let run = 0; run < 20; run++) {
		expect(await sendCalls(30, send, { clock, pacer })).toBe(0);
		clock.pass(MINUTE);
	}
});

describe('A service that refuses everything and does not say for how long', () => {
	/** When requests of one run come, in ms after the first. */
	async function watchRequests(calls: number, longestWait: number) {
		const clock = new VirtualClock();
		const seen: number[] = [];
		const send = async () => {
			seen.push(clock.now() - START);
			return await Promise.resolve({ statusCode: 429, headers: {} });
		};
		const pacer = new Pacer(planWindows({ rateLimit: 'business' }), clock);
		expect(await sendCalls(calls, send, { clock, pacer, longestWait })).toBe(calls);
		return seen;
	}

	it('is tried soon by one request, then after twice as long each time, at most a minute', async () => {
		const seen = await watchRequests(1, 5 * MINUTE);
		const waits = seen.map((at, n) => at - (seen[n - 1] ?? 0));
		expect(waits.slice(0, 12)).toEqual(
			[0, ...Array.from({ length: 11 }, (_, n) => 50 * 2 ** n)].slice(0, 12),
		);
		expect(waits[12]).toBe(MINUTE);
	});

	it('is tried by one request for all of a run, and once more before they are given up', async () => {
		const seen = await watchRequests(5, 90_000);
		expect(seen.filter((at) => at > 0)).toHaveLength(11);
		expect(seen.at(-1)).toBe(90_000);
	});
});

describe("n8n's log", () => {
	/** The warnings of a run whose second request has to wait for so long, in seconds. */
	async function warnAbout(seconds: number) {
		const clock = new VirtualClock();
		const limiter = new Limiter({
			kind: 'fixed',
			windows: [{ limit: 5, length: seconds * SECOND }],
		});
		const warnings: string[] = [];
		const send = async () => {
			const isRefused = !limiter.take(clock.now());
			const headers = limiter.headers('all', isRefused, clock.now());
			await clock.sleep(20);
			return { statusCode: isRefused ? 429 : 200, headers };
		};
		await sendCalls(6, send, { clock, warn: (message) => warnings.push(message) });
		return warnings;
	}

	it('says once until when a run waits that waits for more than ten seconds', async () => {
		expect(await warnAbout(60)).toEqual([
			expect.stringMatching(
				/^The run waits for the rate limit of the service, at least until 2026-03-31T12:01:0.*'Rate Limit' in the credential\.$/,
			),
		]);
	});

	it('says nothing of a shorter wait', async () => {
		expect(await warnAbout(8)).toEqual([]);
	});
});

it.each<[string, IDataObject, IDataObject]>([
	['nothing', {}, {}],
	['how many remain', { 'x-ratelimit-remaining': '50' }, { 'x-ratelimit-remaining': '0' }],
	['"Retry-After: 2"', {}, { 'retry-after': '2' }],
])(
	'refusals for 20 s after an hour of steady work fail nothing if the service says %s',
	async (_, good, bad) => {
		const clock = new VirtualClock();
		const pacer = new Pacer([], clock);
		const begin = clock.now() + HOUR;
		let refused = 0;
		let accepted = 0;
		const send = async () => {
			await clock.sleep(50);
			const isRefused = clock.now() >= begin && clock.now() < begin + 20 * SECOND;
			if (isRefused) refused++;
			else accepted++;
			return isRefused ? { statusCode: 429, headers: bad } : { statusCode: 200, headers: good };
		};
		for (let n = 0; n < 800; n++) {
			expect(await sendCalls(1, send, { clock, pacer })).toBe(0);
			clock.pass(5 * SECOND);
		}
		expect(refused).toBeGreaterThan(0);
		expect(accepted).toBe(800);
		expect(clock.now()).toBeLessThan(begin + 20 * MINUTE);
	},
);
