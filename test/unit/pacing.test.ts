import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallScope, sendUntilAnswered } from '../../nodes/Dossier/api/attempts';
import type { Clock } from '../../nodes/Dossier/api/clock';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { planWindows } from '../../nodes/Dossier/api/limits';
import type { Window } from '../../nodes/Dossier/api/limits';
import { Pacer } from '../../nodes/Dossier/api/pacing';
import type { Patience } from '../../nodes/Dossier/api/pacing';
import { BUSINESS, fixedWindows, slidingWindows, tokenBucket } from './limitedServices';
import type { LimitedAnswer, SentHeaders } from './limitedServices';
import { HOUR, MINUTE, START, VirtualClock } from './virtualClock';

const patience = (windows: Window[], more: Partial<Patience> = {}): Patience => ({
	windows,
	credential: '1',
	longestWait: Infinity,
	...more,
});

/** Sends requests one after the other, each of which takes 20 ms. */
async function sendAll(
	count: number,
	start: number,
	windows: Window[],
	skew: number,
	headers: SentHeaders,
) {
	const clock = new VirtualClock(start);
	const service = fixedWindows(clock, headers, skew);
	const pacer = new Pacer(clock);
	let refused = 0;
	for (let n = 0; n < count; n++) {
		const admission = await pacer.enter(patience(windows));
		clock.pass(20);
		const answer = service();
		if (answer.statusCode === 429) refused++;
		pacer.leave(admission, answer);
	}
	return { took: clock.now() - start, refused };
}

describe('350 requests within the limits of the Business plan', () => {
	// From 12 seconds into a minute: 48 s to its end, two full minutes, and the last 50 requests.
	const shortest = 48_000 + 2 * MINUTE + 50 * 20;

	it.each([0, 3_600_000, -90_000])(
		'take hardly longer than the windows if the clock of the service is %i ms off',
		async (skew) => {
			const headers = { reset: 'epochSeconds' } as const;
			const { took, refused } = await sendAll(350, START + 12_000, BUSINESS, skew, headers);
			const theirs = 48_000 - (((skew % MINUTE) + MINUTE) % MINUTE);
			expect(refused).toBe(0);
			expect(took).toBeLessThan((shortest - 48_000 + ((theirs + MINUTE) % MINUTE)) * 1.05);
		},
	);

	it.each(['epochSeconds', 'epochMilliseconds', 'seconds', 'milliseconds'] as const)(
		'take hardly longer than the windows if X-RateLimit-Reset counts %s, with Rate Limit off too',
		async (reset) => {
			for (const windows of [BUSINESS, []]) {
				const { took, refused } = await sendAll(350, START + 12_000, windows, 0, { reset });
				expect(refused).toBe(0);
				expect(took).toBeLessThan(shortest * 1.05);
			}
		},
	);

	it('are never refused if the service says only what remains', async () => {
		const { refused, took } = await sendAll(350, START + 12_000, BUSINESS, 0, {});
		expect(refused).toBe(0);
		expect(took).toBeLessThan(shortest + MINUTE);
	});

	it('are never refused if the service says only what remains and Rate Limit is off', async () => {
		const { refused, took } = await sendAll(350, START + 12_000, [], 0, {});
		expect(refused).toBe(0);
		expect(took).toBeLessThan(shortest + MINUTE);
	});
});

it('keeps to the hour as well as to the minute', async () => {
	const { took, refused } = await sendAll(1_200, START, BUSINESS, 0, { reset: 'epochSeconds' });
	expect(refused).toBe(0);
	expect(took).toBeGreaterThanOrEqual(60 * MINUTE);
	expect(took).toBeLessThan(63 * MINUTE);
});

it('keeps to a chosen limit even if the service would allow more', async () => {
	const clock = new VirtualClock();
	const service = fixedWindows(clock, { reset: 'epochSeconds' });
	const windows = planWindows({
		rateLimit: 'custom',
		requestsPerMinute: 20,
		requestsPerHour: 0,
	});
	const pacer = new Pacer(clock);
	for (let n = 0; n < 61; n++) {
		pacer.leave(await pacer.enter(patience(windows)), service());
	}
	expect(clock.now() - START).toBeGreaterThanOrEqual(3 * MINUTE);
	expect(clock.now() - START).toBeLessThan(4 * MINUTE);
});

it('keeps to the limits of each of two credentials of one organization that work at once', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	const sendFor = async (credential: string, limit: number) => {
		const windows = [{ limit, length: MINUTE, chosen: true }];
		for (let n = 0; n <= limit; n++) {
			const admission = await pacer.enter(patience(windows, { credential }));
			if (n === limit) return admission.sentAt - START;
			await clock.sleep(20);
			pacer.leave(admission, { statusCode: 200, headers: {} });
		}
		return 0;
	};
	const [first, second] = await Promise.all([sendFor('a', 20), sendFor('b', 60)]);
	for (const overLimit of [first, second]) {
		expect(overLimit).toBeGreaterThanOrEqual(MINUTE);
		expect(overLimit).toBeLessThan(MINUTE + 1_000);
	}
});

const refusal = (headers: LimitedAnswer['headers'] = {}) => ({ statusCode: 429, headers });

it('makes all requests wait at one gate after a refusal', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	pacer.leave(await pacer.enter(patience([])), refusal({ 'retry-after': '7' }));
	await Promise.all([pacer.enter(patience([])), pacer.enter(patience([]))]);
	expect(clock.now() - START).toBeGreaterThanOrEqual(7_000);
});

it.each([{ 'retry-after': '9999999999999' }, { 'retry-after': '604800' }])(
	'does not close the gate for longer than the longest window: %j',
	async (headers) => {
		const clock = new VirtualClock();
		const pacer = new Pacer(clock);
		pacer.leave(await pacer.enter(patience([])), refusal(headers));
		await pacer.enter(patience([]));
		expect(clock.now() - START).toBe(HOUR);
	},
);

it('does not believe a number of remaining requests that is always 0', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	for (let n = 0; n < 20; n++) {
		const answer = { statusCode: 200, headers: { 'x-ratelimit-remaining': '0' } };
		pacer.leave(await pacer.enter(patience([])), answer);
	}
	expect(clock.now()).toBe(START);
});

it('subtracts requests in flight from those that remain', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	const reset = {
		'x-ratelimit-reset': String(START / 1000 + 60),
		date: new Date(START).toUTCString(),
	};
	const answer = { statusCode: 200, headers: { ...reset, 'x-ratelimit-remaining': '2' } };
	pacer.leave(await pacer.enter(patience(BUSINESS)), answer);
	await pacer.enter(patience(BUSINESS));
	await pacer.enter(patience(BUSINESS));
	await expect(pacer.enter(patience(BUSINESS, { longestWait: 0 }))).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
	});
});

it('says when a request will fit instead of waiting longer than allowed', async () => {
	const pacer = new Pacer(new VirtualClock());
	const windows = [{ limit: 1, length: MINUTE }];
	await pacer.enter(patience(windows));
	await expect(pacer.enter(patience(windows, { longestWait: 1_000 }))).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
		facts: { until: '2026-03-31T12:01:00.000Z' },
	});
});

it('says so at once to a request that may wait less than those in the queue', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	const windows = [{ limit: 1, length: MINUTE }];
	await pacer.enter(patience(windows));
	const waiting = pacer.enter(patience(windows));
	await expect(pacer.enter(patience(windows, { longestWait: 10_000 }))).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
	});
	expect(clock.now()).toBe(START);
	await waiting;
});

it('ends a wait at once when the execution is cancelled', async () => {
	const clock: Clock = { now: () => START, sleep: () => new Promise(() => undefined) };
	const pacer = new Pacer(clock);
	const windows = [{ limit: 1, length: MINUTE }];
	await pacer.enter(patience(windows));
	const cancel = new AbortController();
	const waiting = pacer.enter(patience(windows, { signal: cancel.signal }));
	cancel.abort();
	await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
});

describe('A service that answers only 429', () => {
	/** Sends calls as a run of the node does, and tells what became of them. */
	async function run(
		clock: VirtualClock,
		{
			calls,
			concurrency = 5,
			windows,
			longestWait,
		}: { calls: number; concurrency?: number; windows: Window[]; longestWait: number },
		ask: () => Promise<LimitedAnswer>,
	) {
		const pacer = new Pacer(clock);
		const scope = new CallScope({ concurrency, longestWait, timeout: 1_000 });
		const asked: Array<{ at: number; isRefused: boolean }> = [];
		const context = {
			endpoint: endpoints['documents.upload'],
			isRecognised: false,
			connection: { root: 'https://api.example', windows, credential: '1' },
			policy: { concurrency, longestWait, timeout: 1_000 },
			pacer,
			scope,
			clock,
		};
		const send = async () => {
			const answer = await ask();
			asked.push({ at: clock.now() - START, isRefused: answer.statusCode === 429 });
			return answer;
		};
		let begun = 0;
		let done = 0;
		const runners = Array.from({ length: concurrency }, async () => {
			while (begun++ < calls) {
				await sendUntilAnswered(context, send, async () => await Promise.resolve());
				done++;
			}
		});
		await Promise.all(runners);
		const share = (list: typeof asked) =>
			list.filter(({ isRefused }) => isRefused).length / Math.max(1, list.length);
		return {
			done,
			took: clock.now() - START,
			refused: asked.filter(({ isRefused }) => isRefused).length,
			refusedLater: share(asked.filter(({ at }) => at > MINUTE)),
		};
	}

	it.each([
		['off', [], 100, 5],
		['off', [], 100, 16],
		['off', [], 500, 5],
		['off', [], 10, 5],
		['Enterprise, which is wrong', planWindows({ rateLimit: 'enterprise' }), 100, 5],
	] as Array<[string, Window[], number, number]>)(
		'in a sliding window, with Rate Limit %s (%#): no call is lost, below 5 %% refused after the first window',
		async (_, windows, limit, concurrency) => {
			const clock = new VirtualClock();
			const answer = slidingWindows(clock, [{ limit, length: MINUTE }]);
			const calls = 12 * limit;
			const result = await run(
				clock,
				{ calls, concurrency, windows, longestWait: 90_000 },
				async () => {
					await clock.sleep(20);
					return answer();
				},
			);
			expect(result.done).toBe(calls);
			expect(result.refused).toBeGreaterThan(0);
			expect(result.refusedLater).toBeLessThan(0.05);
			// The windows alone take eleven minutes.
			expect(result.took).toBeLessThan(14 * MINUTE);
		},
	);

	it('in sliding windows of a minute and an hour: below 5 % refused after the first minute', async () => {
		const clock = new VirtualClock();
		const answer = slidingWindows(clock, BUSINESS);
		const options = { calls: 2_500, windows: [], longestWait: HOUR };
		const result = await run(clock, options, async () => {
			await clock.sleep(20);
			return answer();
		});
		expect(result.done).toBe(2_500);
		expect(result.refusedLater).toBeLessThan(0.05);
		expect(result.took).toBeLessThan(3 * HOUR);
	});

	it('and fills a bucket of 10 with 100 tokens per minute: below 5 % refused after the first minute', async () => {
		const clock = new VirtualClock();
		const answer = tokenBucket(clock, 100, 10);
		const options = { calls: 600, windows: [], longestWait: 90_000 };
		const result = await run(clock, options, async () => {
			await clock.sleep(20);
			return answer();
		});
		expect(result.done).toBe(600);
		expect(result.refused).toBeGreaterThan(0);
		expect(result.refusedLater).toBeLessThan(0.05);
		expect(result.took).toBeLessThan(20 * MINUTE);
	});

	it('is learned again when it accepts far more than before', async () => {
		const clock = new VirtualClock();
		const few = slidingWindows(clock, [{ limit: 10, length: MINUTE }]);
		const many = slidingWindows(clock, [{ limit: 500, length: MINUTE }]);
		const options = { calls: 1_000, windows: [], longestWait: 90_000 };
		const result = await run(clock, options, async () => {
			await clock.sleep(20);
			return clock.now() - START < 3 * MINUTE ? few() : many();
		});
		expect(result.done).toBe(1_000);
		expect(result.took).toBeLessThan(20 * MINUTE);
	});

	it('as a real HTTP server: no call is lost, below 5 % refused after the first window', async () => {
		const clock = new VirtualClock();
		const answer = slidingWindows(clock, [{ limit: 100, length: MINUTE }]);
		const server = createServer((_, response) => response.writeHead(answer().statusCode).end());
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const options = { calls: 1_000, windows: [], longestWait: 90_000 };
		const result = await run(clock, options, async () => {
			const { status } = await clock.during(() => fetch(`http://127.0.0.1:${port}/`));
			return { statusCode: status, headers: {} };
		});
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
		expect(result.done).toBe(1_000);
		expect(result.refused).toBeGreaterThan(0);
		expect(result.refusedLater).toBeLessThan(0.05);
	});
});
