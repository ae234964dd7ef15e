/**
 * What `start` gives, for all tests of the file or block that calls this, or anew for each of them. It is empty until hooks and tests
 * run, and stopped after them.
 */
export function useStarted<T extends { stop: () => Promise<void> }>(
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
