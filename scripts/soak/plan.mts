import { unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';
import type { RandomGenerator } from 'pure-rand';
import type { SandboxProcess } from '../process/sandbox.mts';

/** How much faster the service's clock runs than the machine's: a month in an hour. */
export const CLOCK_SPEED = 720;

/** A fault as the control room of the sandbox takes it, without the calls that it strikes. */
export type FaultPlan = Omit<
	Parameters<SandboxProcess['control']['faults']['add']>[0],
	'operation'
>;

/** The troubles that are a fault of some or all calls. */
export const FAULTS = {
	errors: { status: 503, code: 'SERVICE_UNAVAILABLE', retry_after: '1', probability: 0.5 },
	outage: { status: 502, text: '<html><h1>502 Bad Gateway</h1></html>' },
	stalls: { delay_ms: 60_000 * CLOCK_SPEED, probability: 0.5 },
	'cut bodies': { body: 'truncated', probability: 0.5 },
	'lost answers': { connection: 'while', probability: 0.5 },
	limits: {
		status: 429,
		code: 'RATE_LIMITED',
		retry_after: '2',
		headers: { 'X-RateLimit-Remaining': '0' },
		probability: 0.6,
	},
} satisfies Record<string, FaultPlan>;

/** Some troubles strike calls, some deliveries, the last one n8n itself. */
const TROUBLE_KINDS = [
	...(Object.keys(FAULTS) as Array<keyof typeof FAULTS>),
	'changed secret',
	'clock skew',
	'killed n8n',
] as const;

export type TroubleKind = (typeof TROUBLE_KINDS)[number];

const LARGEST_SEED = 1e6;

/** How long a trouble lasts at least, in ms. */
const DURATION = { least: 4_000, most: 9_000 };
/** The same for an outage in a long soak. */
const LONG_DURATION = { least: 60_000, most: 150_000 };
/** The time without trouble between two of them, in ms: little in a short soak, so that each kind comes. */
const QUIET = { least: 2_000, most: 5_000 };
const LONG_QUIET = { least: 10_000, most: 30_000 };

export interface Trouble {
	kind: TroubleKind;
	/** How long the service works without trouble before it begins, in ms. */
	quietMs: number;
	/** How long it lasts at least, in ms. It also lasts until it has struck. */
	durationMs: number;
	/** Seeds the faults that strike by probability: from 1 to below `LARGEST_SEED`. */
	seed: number;
}

/** A PRNG, begun with a seed. */
export type Random = RandomGenerator;

export const seedRandom = (seed: number): Random => xoroshiro128plus(seed);

/** A whole number between two others, both included. */
export function pickNumber(random: Random, least: number, most: number): number {
	return unsafeUniformIntDistribution(least, most, random);
}

/** One of several values, of which there is at least one. */
export function pickOne<T>(random: Random, [first, ...others]: readonly [T, ...T[]]): T {
	return others[pickNumber(random, 0, others.length) - 1] ?? first;
}

/** An endless sequence of troubles from a seed: each kind comes once before any comes again, in a new order each time. */
export function* planTroubles(seed: number, isLong: boolean): Generator<Trouble> {
	const quiet = isLong ? LONG_QUIET : QUIET;
	const random = seedRandom(seed);
	for (;;) {
		const ordered = TROUBLE_KINDS.map((kind) => ({
			kind,
			order: pickNumber(random, 0, LARGEST_SEED),
		}));
		for (const { kind } of ordered.sort((a, b) => a.order - b.order)) {
			const { least, most } = isLong && kind === 'outage' ? LONG_DURATION : DURATION;
			yield {
				kind,
				quietMs: pickNumber(random, quiet.least, quiet.most),
				durationMs: pickNumber(random, least, most),
				seed: pickNumber(random, 1, LARGEST_SEED - 1),
			};
		}
	}
}
