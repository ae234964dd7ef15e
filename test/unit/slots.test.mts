import { pause, wallClock } from '../../nodes/Dossier/api/clock';
import type { Clock } from '../../nodes/Dossier/api/clock';
import { Slots } from '../../nodes/Dossier/api/pace/slots';
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
