import { wallClock } from '../../../nodes/Dossier/api/clock';
import type { Clock } from '../../../nodes/Dossier/api/clock';
import { planWindows } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import type { Patience } from '../../../nodes/Dossier/api/pace/pacing';
import { MINUTE, START, VirtualClock } from '../virtualClock.mts';
import { Limiter } from './limitedService.mts';

const PATIENT: Patience = { longestWait: Infinity };

const BUSINESS = planWindows({ rateLimit: 'business' });

const ONE_A_MINUTE = [{ limit: 1, length: MINUTE }];

it('keeps to the hour of the plan as well as to the minute', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(BUSINESS, clock);
	for (let n = 0; n < 1_200; n++) {
		pacer.leave(await pacer.enter(PATIENT), { statusCode: 200, headers: {} });
	}
	expect(clock.now() - START).toBeGreaterThanOrEqual(60 * MINUTE);
	expect(clock.now() - START).toBeLessThan(63 * MINUTE);
});

it('keeps to a chosen limit even if the service would allow more', async () => {
	const clock = new VirtualClock();
	const limiter = new Limiter({ kind: 'fixed', windows: [{ limit: 100, length: MINUTE }] });
	const windows = planWindows({ rateLimit: 'custom', requestsPerMinute: 20, requestsPerHour: 0 });
	const pacer = new Pacer(windows, clock);
	for (let n = 0; n < 61; n++) {
		const admission = await pacer.enter(PATIENT);
		expect(limiter.take(clock.now())).toBe(true);
		const headers = limiter.headers('all', false, clock.now());
		pacer.leave(admission, { statusCode: 200, headers });
	}
	expect(clock.now() - START).toBeGreaterThanOrEqual(3 * MINUTE);
	expect(clock.now() - START).toBeLessThan(4 * MINUTE);
});

it('does not wait for moments of the future if the clock of the machine was set back', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(ONE_A_MINUTE, clock);
	await pacer.enter(PATIENT);
	clock.pass(-10 * MINUTE);
	await pacer.enter({ longestWait: 0 });
	expect(clock.now() - START).toBe(-10 * MINUTE);
});

it('makes all requests wait at one gate after a refusal', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer([], clock);
	const refusal = { statusCode: 429, headers: { 'retry-after': '7' } };
	pacer.leave(await pacer.enter(PATIENT), refusal);
	await Promise.all([pacer.enter(PATIENT), pacer.enter(PATIENT)]);
	expect(clock.now() - START).toBeGreaterThanOrEqual(7_000);
});

it('lets one more request try every three seconds as long as no answer comes', async () => {
	const pacer = new Pacer([], new VirtualClock());
	const refusal = { statusCode: 429, headers: { 'retry-after': '1' } };
	pacer.leave(await pacer.enter(PATIENT), refusal);
	const tries = [1, 2, 3].map(async () => (await pacer.enter(PATIENT)).sentAt - START);
	expect(await Promise.all(tries)).toEqual([1_000, 4_000, 7_000]);
});

it('sends requests in the order in which they began to wait', async () => {
	const pacer = new Pacer(ONE_A_MINUTE, new VirtualClock());
	const sent: number[] = [];
	const enter = async (number: number) => {
		await pacer.enter(PATIENT);
		sent.push(number);
	};
	await Promise.all([1, 2, 3].map(enter));
	expect(sent).toEqual([1, 2, 3]);
});

it('says when a request will fit instead of waiting longer than allowed', async () => {
	const pacer = new Pacer(ONE_A_MINUTE, new VirtualClock());
	await pacer.enter(PATIENT);
	await expect(pacer.enter({ longestWait: 1_000 })).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
		facts: { until: '2026-03-31T12:01:01.000Z', by: 'credential' },
	});
});

it('says that the limit is of the service if the service refuses more', async () => {
	const pacer = new Pacer(BUSINESS, new VirtualClock());
	const refusal = { statusCode: 429, headers: { 'retry-after': '30' } };
	pacer.leave(await pacer.enter(PATIENT), refusal);
	await expect(pacer.enter({ longestWait: 1_000 })).rejects.toMatchObject({
		facts: { until: '2026-03-31T12:00:30.000Z', by: 'service' },
	});
});

it('says so at once to a request that may wait less than those in the queue', async () => {
	const clock = new VirtualClock();
	const pacer = new Pacer(ONE_A_MINUTE, clock);
	await pacer.enter(PATIENT);
	const waiting = pacer.enter(PATIENT);
	await expect(pacer.enter({ longestWait: 10_000 })).rejects.toMatchObject({
		code: 'RATE_LIMIT_WAIT_TOO_LONG',
	});
	expect(clock.now()).toBe(START);
	await waiting;
});

it('ends a wait at once when the execution is cancelled', async () => {
	const clock: Clock = {
		...wallClock,
		now: () => START,
		sleep: () => new Promise(() => undefined),
	};
	const pacer = new Pacer(ONE_A_MINUTE, clock);
	await pacer.enter(PATIENT);
	const cancel = new AbortController();
	const waiting = pacer.enter({ ...PATIENT, signal: cancel.signal });
	cancel.abort();
	await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
});
