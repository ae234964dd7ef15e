/** The connector's clock for a test: it jumps over every wait, and stands still while a request is under way. */
import { wallClock } from '../../nodes/Dossier/api/clock';
import { Pacer } from '../../nodes/Dossier/api/pace/pacing';
import { VirtualClock } from '../unit/virtualClock';

/**
 * Replaces the connector's clock for the tests of a file. Because it stands still while a request is under way, no machine is
 * too slow for a wait that ends with an answer. It never goes back, because the pacers live as long as the process.
 */
export function useJumpingClock(): void {
	const clock = new VirtualClock(Date.now());
	const methods = Object.getOwnPropertyDescriptors(Pacer.prototype);
	const original = Object.create(null, methods) as Pacer;
	const ends = new Map<object, () => void>();

	beforeAll(() => {
		jest.spyOn(wallClock, 'now').mockImplementation(() => clock.now());
		jest.spyOn(wallClock, 'sleep').mockImplementation(async (ms) => await clock.sleep(ms));
		jest.spyOn(Pacer.prototype, 'enter').mockImplementation(async function (this: Pacer, ...asked) {
			const admission = await original.enter.apply(this, asked);
			void clock.during(async () => await new Promise<void>((end) => ends.set(admission, end)));
			return admission;
		});
		jest.spyOn(Pacer.prototype, 'leave').mockImplementation(function (this: Pacer, ...answered) {
			ends.get(answered[0])?.();
			ends.delete(answered[0]);
			return original.leave.apply(this, answered);
		});
	});
	afterAll(() => jest.restoreAllMocks());
}
