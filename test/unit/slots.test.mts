import { pause, wallClock } from '../../nodes/Dossier/api/clock';
import type { Clock } from '../../nodes/Dossier/api/clock';
import { Slots } from '../../nodes/Dossier/api/pace/slots';
import type { Pressure } from '../../nodes/Dossier/api/pace/slots';
import { VirtualClock } from './virtualClock.mts';

it('No more pieces of work run at once than are allowed, in their order', async () => {
	const clock = new VirtualClock();
	const slots = new Slots(3);
	const begun: number[] = [];
	let [underWay, most] = [0, 0];
	const work = async (piece: number) => {
		begun.push(piece);
		most = Math.max(most, ++underWay);
		await clock.sleep(20);
		underWay--;
	};
	const pieces = Array.from({ length: 20 }, (_, piece) => piece);
	await Promise.all(
		pieces.map(async (one) => await slots.use(async () => await work(one), undefined)),
	);
	expect(most).toBe(3);
	expect(begun).toEqual(pieces);
});

/** Runs pieces of work of 20 ms each, and tells how many were under way at once in each tenth of them. */
async function run(slots: Slots, pieces: number, pressure: (underWay: number) => Pressure) {
	const clock = new VirtualClock();
	const seen: number[] = [];
	let underWay = 0;
	const work = async () => {
		seen.push(++underWay);
		const found = pressure(underWay);
		await clock.sleep(20);
		underWay--;
		return found;
	};
	await Promise.all(
		Array.from({ length: pieces }, async () => await slots.use(work, undefined, (found) => found)),
	);
	const tenth = pieces / 10;
	return Array.from({ length: 10 }, (_, n) => Math.max(...seen.slice(n * tenth, (n + 1) * tenth)));
}

describe('A number that adapts', () => {
	it('grows to the maximum while there is room to grow', async () => {
		const most = await run(new Slots(5, 16), 200, () => 'none');
		expect(most.at(-1)).toBe(16);
		expect(Math.max(...most)).toBe(16);
	});

	it('stays near what the other side bears', async () => {
		const most = await run(new Slots(5, 16), 400, (n) => (n > 8 ? 'overloaded' : 'none'));
		expect(Math.max(...most.slice(1))).toBeLessThanOrEqual(9);
		expect(Math.max(...most.slice(5))).toBeGreaterThanOrEqual(4);
	});

	it('goes down to one if the other side bears nothing', async () => {
		const most = await run(new Slots(5, 16), 100, () => 'overloaded');
		expect(most.at(-1)).toBe(1);
	});

	it('stays as it is while the work waits for the rate limit', async () => {
		const slots = new Slots(5, 16);
		expect((await run(slots, 100, () => 'paced')).at(-1)).toBe(5);
		expect((await run(slots, 100, () => 'none')).at(-1)).toBe(16);
		expect((await run(slots, 200, () => 'paced')).at(-1)).toBe(16);
	});
});

describe('Cancelling', () => {
	const never = async () => await new Promise<never>(() => undefined);

	it('ends the wait for a slot at once, and keeps no slot', async () => {
		const slots = new Slots(1);
		let release = () => {};
		const first = slots.use(
			async () => await new Promise<void>((done) => (release = done)),
			undefined,
		);
		const cancel = new AbortController();
		const second = slots.use(never, cancel.signal);
		cancel.abort();
		await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
		release();
		await first;
		await expect(slots.use(async () => await Promise.resolve('done'), undefined)).resolves.toBe(
			'done',
		);
	});

	it('keeps no slot that was handed over at the same moment', async () => {
		const slots = new Slots(1);
		const cancel = new AbortController();
		const first = slots.use(async () => {
			await Promise.resolve();
			cancel.abort();
		}, undefined);
		const second = slots.use(async () => await Promise.resolve(), cancel.signal);
		await Promise.allSettled([first, second]);
		await expect(slots.use(async () => await Promise.resolve('done'), undefined)).resolves.toBe(
			'done',
		);
	});

	it('ends a pause at once', async () => {
		const clock: Clock = { ...wallClock, now: () => 0, sleep: never };
		const cancel = new AbortController();
		const waiting = pause(clock, 3_600_000, cancel.signal);
		cancel.abort();
		await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
	});

	it('before a pause ends the pause at its beginning', async () => {
		await expect(pause(new VirtualClock(), 60_000, AbortSignal.abort())).rejects.toMatchObject({
			code: 'CANCELLED',
		});
	});
});
