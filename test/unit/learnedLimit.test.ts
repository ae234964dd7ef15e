/** The limit that the pacer learns from refusals. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallScope, sendUntilAnswered } from '../../nodes/Dossier/api/attempts';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { planWindows } from '../../nodes/Dossier/api/limits';
import type { Window } from '../../nodes/Dossier/api/limits';
import { Pacer } from '../../nodes/Dossier/api/pacing';
import { BUSINESS, slidingWindows, tokenBucket } from './limitedServices';
import type { LimitedAnswer } from './limitedServices';
import { HOUR, MINUTE, START, VirtualClock } from './virtualClock';

/** Sends calls as a run of the node does, and gives what became of them. */
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

describe('A service that answers only 429', () => {
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
