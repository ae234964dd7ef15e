import type { Clock } from '../../nodes/Dossier/api/clock';
import { planWindows } from '../../nodes/Dossier/api/pace/limits';
import type { Window } from '../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../nodes/Dossier/api/pace/pacing';
import type { Patience } from '../../nodes/Dossier/api/pace/pacing';
import { BUSINESS, fixedWindows } from './limitedServices';
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

	it('are hardly refused if the service says only what remains and Rate Limit is off', async () => {
		const { refused, took } = await sendAll(350, START + 12_000, [], 0, {});
		expect(refused).toBeLessThan(350 * 0.05);
		expect(took).toBeLessThan(shortest + MINUTE);
	});
});

it('keeps to the hour as well as to the minute', async () => {
	const { took, refused } = await sendAll(1_200, START, BUSINESS, 0, { reset: 'epochSeconds' });
	// At the end of the hour nothing remains of the minute either, and the service speaks of the minute.
	expect(refused).toBeLessThanOrEqual(1);
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
	expect(clock.now() - START).toBeLessThan(1_000);
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

it('does not wait for the end of a window of which others take most, while some of it remains', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(clock);
	const window = {
		'x-ratelimit-reset': String(START / 1000 + 60),
		date: new Date(START).toUTCString(),
	};
	const run = patience([], { longestWait: 0 });
	const underWay = [];
	for (let n = 0; n < 12; n++) underWay.push(await pacer.enter(run));
	for (const remaining of ['400', '300', '200', '100']) {
		const headers = { ...window, 'x-ratelimit-remaining': remaining };
		const admission = underWay.shift();
		if (admission) pacer.leave(admission, { statusCode: 200, headers });
	}
	await pacer.enter(run);
	expect(clock.now() - START).toBeLessThan(10_000);
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
