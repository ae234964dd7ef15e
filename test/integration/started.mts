interface Stoppable {
	stop: () => Promise<void>;
}

/** Starts something as often as a test likes; all of it is stopped after the test. */
export function useMany<Given extends unknown[], T extends Stoppable>(
	start: (...given: Given) => Promise<T>,
) {
	const started: T[] = [];
	afterEach(async () => {
		await Promise.all(started.splice(0).map(async ({ stop }) => await stop()));
	});
	return async (...given: Given): Promise<T> => {
		const one = await start(...given);
		started.push(one);
		return one;
	};
}

/**
 * What `start` gives, for all tests of the file or block that calls this, or anew for each of them. It is empty until hooks and tests
 * run, and stopped after them.
 */
export function useStarted<T extends Stoppable>(
	start: () => Promise<T>,
	anew?: 'for each test',
): T {
	const started: T = Object.create(null);
	const [before, after] = anew ? [beforeEach, afterEach] : [beforeAll, afterAll];
	before(async () => {
		Object.defineProperties(started, Object.getOwnPropertyDescriptors(await start()));
	});
	after(async () => await started.stop());
	return started;
}
