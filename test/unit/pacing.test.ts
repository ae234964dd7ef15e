import type { IDataObject } from 'n8n-workflow';
import { limitsOf } from '../../nodes/Dossier/api/limits';
import { Pacer, waitOf } from '../../nodes/Dossier/api/pacing';
import type { Clock, Window } from '../../nodes/Dossier/api/pacing';

const MINUTE = 60_000;
const BUSINESS: Window[] = [
	{ limit: 100, length: MINUTE },
	{ limit: 1_000, length: 60 * MINUTE },
];

/** A clock that stands still but for what is waited, and is not the service's by some seconds. */
function movedClock(start = 0) {
	let time = start;
	const clock: Clock & { pass(ms: number): void } = {
		now: () => time,
		sleep: async (ms) => {
			time += ms;
			await Promise.resolve();
		},
		pass: (ms) => {
			time += ms;
		},
	};
	return clock;
}

/** A service with fixed windows that begin at whole minutes and hours of its own clock. */
function fixedWindows(clock: Clock, skew: number, told: { reset: boolean }) {
	const counts = BUSINESS.map(() => ({ window: -1, count: 0 }));
	let refused = 0;
	return {
		answer(): IDataObject {
			const now = clock.now() + skew;
			const left = BUSINESS.map(({ limit, length }, index) => {
				const window = Math.floor(now / length);
				const count = counts[index]?.window === window ? counts[index].count + 1 : 1;
				counts[index] = { window, count };
				return { limit, remaining: limit - count, reset: ((window + 1) * length) / 1000 };
			});
			if (left.some(({ remaining }) => remaining < 0)) refused++;
			const tighter = left.reduce((a, b) => (b.remaining < a.remaining ? b : a));
			const headers: IDataObject = {
				date: new Date(now).toUTCString(),
				'x-ratelimit-remaining': String(Math.max(0, tighter.remaining)),
			};
			if (!told.reset) return headers;
			return {
				...headers,
				'x-ratelimit-limit': String(tighter.limit),
				'x-ratelimit-reset': String(tighter.reset),
			};
		},
		refused: () => refused,
	};
}

const patient = { longestWait: Infinity };

async function sendAll(count: number, start: number, skew: number, told: { reset: boolean }) {
	const clock = movedClock(start);
	const service = fixedWindows(clock, skew, told);
	const pacer = new Pacer(BUSINESS, clock);
	for (let n = 0; n < count; n++) {
		await pacer.enter(patient);
		clock.pass(20);
		pacer.leave(service.answer());
	}
	return { took: clock.now() - start, refused: service.refused() };
}

describe('350 requests within the limits of the Business plan', () => {
	// From 12 seconds into a minute: 48 s to its end, two full minutes, and the last 50 requests.
	const shortest = 48_000 + 2 * MINUTE + 50 * 20;

	it.each([0, 3_600_000, -90_000])(
		'take hardly longer than the windows, with the clock of the service %i ms off',
		async (skew) => {
			const { took, refused } = await sendAll(350, 12_000, skew, { reset: true });
			const theirs = 48_000 - (((skew % MINUTE) + MINUTE) % MINUTE);
			expect(refused).toBe(0);
			expect(took).toBeLessThan((shortest - 48_000 + ((theirs + MINUTE) % MINUTE)) * 1.05);
		},
	);

	it('are never refused where the service says no more than what remains', async () => {
		const { refused, took } = await sendAll(350, 12_000, 0, { reset: false });
		expect(refused).toBe(0);
		expect(took).toBeLessThan(shortest + MINUTE);
	});
});

it('keeps to the hour as well as to the minute', async () => {
	const { took, refused } = await sendAll(1_200, 0, 0, { reset: true });
	expect(refused).toBe(0);
	expect(took).toBeGreaterThanOrEqual(60 * MINUTE);
	expect(took).toBeLessThan(63 * MINUTE);
});

it('keeps to a limit that somebody chose, though the service would allow more', async () => {
	const clock = movedClock();
	const service = fixedWindows(clock, 0, { reset: true });
	const limits = limitsOf({ rateLimit: 'custom', requestsPerMinute: 20, requestsPerHour: 0 });
	const pacer = new Pacer(limits, clock);
	for (let n = 0; n < 61; n++) {
		await pacer.enter(patient);
		pacer.leave(service.answer());
	}
	expect(clock.now()).toBeGreaterThanOrEqual(3 * MINUTE);
	expect(clock.now()).toBeLessThan(4 * MINUTE);
});

it('holds everybody back at one gate after a refusal', async () => {
	const clock = movedClock();
	const pacer = new Pacer([], clock);
	pacer.close({ 'retry-after': '7' }, 1);
	await Promise.all([pacer.enter(patient), pacer.enter(patient)]);
	expect(clock.now()).toBeGreaterThanOrEqual(7_000);
});

it('counts requests under way against what remains', async () => {
	const clock = movedClock();
	const pacer = new Pacer(BUSINESS, clock);
	const reset = { 'x-ratelimit-reset': '60', date: new Date(0).toUTCString() };
	await pacer.enter(patient);
	pacer.leave({ ...reset, 'x-ratelimit-remaining': '2' });
	await pacer.enter(patient);
	await pacer.enter(patient);
	await expect(pacer.enter({ longestWait: 0 })).rejects.toMatchObject({ status: 429 });
});

it('says when there is room again, rather than wait longer than is allowed', async () => {
	const clock = movedClock();
	const pacer = new Pacer([{ limit: 1, length: MINUTE }], clock);
	await pacer.enter(patient);
	await expect(pacer.enter({ longestWait: 1_000 })).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
		message: 'The rate limit is used up until 1970-01-01T00:01:00.000Z',
	});
});

it('ends a wait when the execution is cancelled', async () => {
	const clock = movedClock();
	const pacer = new Pacer([{ limit: 1, length: MINUTE }], clock);
	await pacer.enter(patient);
	const cancel = new AbortController();
	const waiting = pacer.enter({ ...patient, signal: cancel.signal });
	cancel.abort();
	await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
	expect(clock.now()).toBeLessThan(1_000);
});

it.each([
	[{ 'retry-after': '3' }, 3_000],
	[{ 'retry-after': new Date(9_000).toUTCString(), date: new Date(5_000).toUTCString() }, 4_000],
	[{ 'x-ratelimit-reset': '65', date: new Date(5_000).toUTCString() }, 60_000],
	[{ 'retry-after': 'soon' }, undefined],
	[{}, undefined],
])('reads from %j how long to wait', (headers, wait) => {
	expect(waitOf(headers, 1_000_000)).toBe(wait);
});
