/** The troubles that a soak makes. The first group strikes calls, the second deliveries, the last one n8n itself. */
const TROUBLE_KINDS = [
	'errors',
	'outage',
	'stalls',
	'cut bodies',
	'lost answers',
	'limits',
	'changed secret',
	'dropped registration',
	'killed n8n',
] as const;

export type TroubleKind = (typeof TROUBLE_KINDS)[number];

export interface Trouble {
	kind: TroubleKind;
	/** How long all is well before it begins, in ms. */
	quietMs: number;
	/** How long it lasts, in ms. */
	durationMs: number;
	/** Seeds the faults that strike by probability. */
	seed: number;
}

/** The numbers of one seed, from 0 to 1 (mulberry32). */
export type Random = () => number;

export function seedRandom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A whole number between two others, both included. */
export function pickNumber(random: Random, least: number, most: number): number {
	return least + Math.floor(random() * (most - least + 1));
}

/** One of several values, of which there is at least one. */
export function pickOne<T>(random: Random, [first, ...others]: readonly [T, ...T[]]): T {
	return others[pickNumber(random, 0, others.length) - 1] ?? first;
}

/** The troubles of a seed without end: each kind comes once before any comes again, in an order of its own each time. */
export function* planTroubles(
	seed: number,
	quiet: { least: number; most: number },
): Generator<Trouble> {
	const random = seedRandom(seed);
	for (;;) {
		const kinds = TROUBLE_KINDS.map((kind) => ({ kind, order: random() }));
		for (const { kind } of kinds.sort((a, b) => a.order - b.order)) {
			yield {
				kind,
				quietMs: pickNumber(random, quiet.least, quiet.most),
				durationMs: pickNumber(random, 4_000, 9_000),
				seed: pickNumber(random, 1, 1e6),
			};
		}
	}
}
