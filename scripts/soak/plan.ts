import { unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';
import type { RandomGenerator } from 'pure-rand';

/** The troubles that every soak makes: some strike calls, some deliveries, the last one n8n itself. */
const TROUBLE_KINDS = [
	'errors',
	'outage',
	'stalls',
	'cut bodies',
	'lost answers',
	'limits',
	'changed secret',
	'dropped registration',
	'changed dialect',
	'clock skew',
	'killed n8n',
] as const;

/** The trouble that only a long soak has time for. */
const LONG_TROUBLE_KINDS = ['network gone'] as const;

export type TroubleKind = (typeof TROUBLE_KINDS | typeof LONG_TROUBLE_KINDS)[number];

const LARGEST_SEED = 1e6;

/** How long a trouble lasts at least, in ms. */
const DURATION = { least: 4_000, most: 9_000 };
const LONG_DURATION = { least: 60_000, most: 150_000 };

export interface Trouble {
	kind: TroubleKind;
	/** How long the service works without trouble before it begins, in ms. */
	quietMs: number;
	/** How long it lasts at least, in ms. It also lasts until it has struck. */
	durationMs: number;
	/** Seeds the faults that strike by probability: from 1 to below `LARGEST_SEED`. */
	seed: number;
}

/** The numbers of one seed, one after the other. */
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

/** Which troubles a soak makes, and the time without trouble between two of them, in ms. */
interface Schedule {
	kinds: TroubleKind[];
	/** The kinds that last for minutes. */
	lasting: TroubleKind[];
	quiet: { least: number; most: number };
}

/** A short soak has little quiet, so that each kind comes. */
export const SHORT_SCHEDULE: Schedule = {
	kinds: [...TROUBLE_KINDS],
	lasting: [],
	quiet: { least: 2_000, most: 5_000 },
};
export const LONG_SCHEDULE: Schedule = {
	kinds: [...TROUBLE_KINDS, ...LONG_TROUBLE_KINDS],
	lasting: ['outage', 'network gone'],
	quiet: { least: 10_000, most: 30_000 },
};

/** An endless sequence of troubles from a seed: each kind comes once before any comes again, in a new order each time. */
export function* planTroubles(
	seed: number,
	{ kinds, lasting, quiet }: Schedule,
): Generator<Trouble> {
	const random = seedRandom(seed);
	for (;;) {
		const ordered = kinds.map((kind) => ({ kind, order: pickNumber(random, 0, LARGEST_SEED) }));
		for (const { kind } of ordered.sort((a, b) => a.order - b.order)) {
			const { least, most } = lasting.includes(kind) ? LONG_DURATION : DURATION;
			yield {
				kind,
				quietMs: pickNumber(random, quiet.least, quiet.most),
				durationMs: pickNumber(random, least, most),
				seed: pickNumber(random, 1, LARGEST_SEED - 1),
			};
		}
	}
}
