import fc from 'fast-check';
import { importInQueueMode } from './queueMode';

it('two workers, one of which is killed and replaced, lose no item of an import at the limit of the plan', async () => {
	const cases = fc.record({
		phase: fc.integer({ min: 0, max: 59_999 }),
		latency: fc.oneof(fc.integer({ min: 5, max: 100 }), fc.integer({ min: 5, max: 2_000 })),
		effort: fc.constantFrom(0, 1, 3, 8),
		busy: fc.constantFrom(0, 100, 500),
		killedAt: fc.integer({ min: 1_000, max: 150_000 }),
		restart: fc.constantFrom(0, 5_000, 15_000),
	});
	await fc.assert(
		fc.asyncProperty(cases, async (one) => expect(await importInQueueMode(one)).toBe(0)),
		{ numRuns: 10, seed: 5 },
	);
}, 60_000);
