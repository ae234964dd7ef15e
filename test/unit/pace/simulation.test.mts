/** Imports at services that limit as the plans say. The page of rate limits shows the figures. */
import { planWindows } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { HOUR, MINUTE, START, VirtualClock } from '../virtualClock.mts';
import { CONCURRENCY, Limiter, sendCalls } from './limitedService.mts';
import type { Rule, LimitHeaders } from './limitedService.mts';

interface Case {
	plan: 'business' | 'enterprise';
	kind: Rule['kind'];
	says: LimitHeaders;
	calls: number;
	/** From a request to its answer, in ms. */
	latency: number;
	/** At which share of an hour the work begins. */
	phase: number;
	/** How many n8n processes do it, and how many runs in each. */
	processes?: number;
	runs?: number;
	/** How many requests another program sends at the beginning of each minute. */
	foreign?: number;
	longestWait?: number;
}

/** How long a client takes that sends whenever a request fits, in ms. */
function findShortest(limiter: Limiter, { calls, latency }: Case, begun: number): number {
	const free = Array.from({ length: CONCURRENCY }, () => begun);
	let now = begun;
	for (let n = 0; n < calls; n++) {
		now = Math.max(now, free[n % CONCURRENCY] ?? begun);
		now += limiter.measureWait(now);
		limiter.take(now);
		free[n % CONCURRENCY] = now + latency;
	}
	return now + latency - begun;
}

async function simulate(one: Case) {
	const {
		plan,
		kind,
		says,
		calls,
		latency,
		phase,
		processes = 1,
		runs = 1,
		foreign,
		longestWait,
	} = one;
	const windows = planWindows({ rateLimit: plan });
	// Nothing that a process waits for changes while it sleeps, so it sleeps in one go.
	const isAlone = processes === 1 && !foreign;
	const clock = new VirtualClock(START + phase * HOUR, isAlone ? Infinity : undefined);
	const begun = clock.now();
	const limiter = new Limiter({ kind, windows });
	let refused = 0;
	let sent = 0;
	let others = 0;
	let isOver = false;

	const send = async () => {
		// Answers take up to a fifth more or less.
		const way = (latency / 2) * (0.8 + 0.4 * ((sent++ * 0.618) % 1));
		await clock.sleep(way);
		const now = clock.now();
		const isRefused = !limiter.take(now);
		if (isRefused) refused++;
		const headers = limiter.headers(says, isRefused, now);
		await clock.sleep(way);
		return { statusCode: isRefused ? 429 : 200, headers };
	};
	const sendForeign = async (amount: number) => {
		while (!isOver) {
			for (let n = 0; n < amount; n++) if (limiter.take(clock.now())) others++;
			await clock.sleep(MINUTE - (clock.now() % MINUTE));
		}
	};

	if (foreign) void sendForeign(foreign);
	const share = Math.ceil(calls / processes / runs);
	const work = Array.from({ length: processes }, () => new Pacer(windows, clock)).flatMap((pacer) =>
		Array.from({ length: runs }, () => sendCalls(share, send, { clock, pacer, longestWait })),
	);
	const lost = await Promise.all(work);
	isOver = true;
	const took = clock.now() - begun;
	// Who is not told when a window ends has to allow for every beginning, as a sliding window does.
	const known = new Limiter({ kind: says === 'all' ? kind : 'sliding', windows });
	return {
		refused,
		lost: lost.reduce((a, b) => a + b),
		others,
		ratio: took / findShortest(known, one, begun),
	};
}

const SERVICES = (['business', 'enterprise'] as const).flatMap((plan) =>
	(['fixed', 'sliding'] as const).flatMap((kind) =>
		(['nothing', 'remaining', 'all'] as const).map((says) => ({ plan, kind, says })),
	),
);

describe.each(SERVICES)(
	'A service with the $plan plan and $kind windows that says $says',
	(service) => {
		it.each(
			service.plan === 'business'
				? [
						[250, 20, 0.37],
						[650, 2_000, 0.512],
						[1_100, 200, 0.992],
					]
				: [
						[1_200, 20, 0.37],
						[2_000, 2_000, 0.512],
						[10_300, 200, 0.992],
					],
		)(
			'refuses none of %i requests of one process, which come nearly as fast as the plan allows',
			async (calls, latency, phase) => {
				const one = { ...service, calls, latency, phase, longestWait: 1.5 * HOUR };
				const { refused, lost, ratio } = await simulate(one);
				expect({ refused, lost }).toEqual({ refused: 0, lost: 0 });
				expect(ratio).toBeLessThan(1.1);
			},
			60_000,
		);

		const amount = service.plan === 'business' ? 400 : 1_600;
		it.each([
			['two processes share it', { processes: 2, runs: 5, latency: 20, phase: 0.37 }],
			['two processes share it', { processes: 2, latency: 500, phase: 0.992 }],
			['another program uses half of it', { foreign: amount / 8, latency: 20, phase: 0.992 }],
		])('loses nothing if %s', async (_, more) => {
			const { lost, refused, others } = await simulate({ ...service, calls: amount, ...more });
			expect(lost).toBe(0);
			expect(refused + others).toBeGreaterThan(40);
		});
	},
);
