import { z } from 'zod';
import { newId } from './ids.mts';
import { unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';

/** How often a fault strikes what it matches, as fields of a plan. */
export const frequency = {
	after: z
		.int()
		.min(1)
		.describe('How many matches pass before the first strike; none if it is not given.')
		.optional(),
	times: z
		.int()
		.min(1)
		.describe('How many times it strikes; always if it is not given.')
		.optional(),
	probability: z
		.number()
		.min(0)
		.max(1)
		.describe('How likely it strikes a match; always if it is not given.')
		.optional(),
	seed: z
		.int()
		.min(0)
		.describe('The seed of the PRNG behind `probability`: the same seed strikes the same matches.')
		.optional(),
};

const frequencyObject = z.object(frequency);
type FaultFrequency = z.infer<typeof frequencyObject>;

/** A fault that is in force, or was: a spent one stays until it is removed. */
export interface Fault<Plan> {
	id: string;
	plan: Plan;
	/** How many times it has struck. */
	hits: number;
	/** Whether it has struck as often as it was to. */
	spent: boolean;
}

interface Entry<Plan> {
	id: string;
	plan: Plan;
	matches: number;
	hits: number;
	draw: () => number;
}

/** Faults that somebody injects on purpose. They stay until they are removed, or the sandbox ends. */
export class FaultRegistry<Plan extends FaultFrequency> {
	#entries: Entry<Plan>[] = [];

	add(plan: Plan): Fault<Plan> {
		const entry = {
			id: newId('flt'),
			plan,
			matches: 0,
			hits: 0,
			draw: createDraw(plan.seed ?? 0),
		};
		this.#entries.push(entry);
		return describeFault(entry);
	}

	list(): Fault<Plan>[] {
		return this.#entries.map(describeFault);
	}

	/** Gives false if there is no fault with this id. */
	remove(id: string): boolean {
		const before = this.#entries.length;
		this.#entries = this.#entries.filter((one) => one.id !== id);
		return this.#entries.length < before;
	}

	clear(): void {
		this.#entries = [];
	}

	/** The plans of the faults that strike now, the oldest first, each counted as a hit when it is read. */
	protected *strike(isMatch: (plan: Plan) => boolean): Generator<Plan> {
		for (const entry of this.#entries) {
			const { plan } = entry;
			if (isSpent(entry) || !isMatch(plan)) continue;
			entry.matches += 1;
			if (entry.matches <= (plan.after ?? 0)) continue;
			if (plan.probability !== undefined && entry.draw() >= plan.probability) continue;
			entry.hits += 1;
			yield plan;
		}
	}
}

/** Draws numbers from 0 to below 1: the same seed gives the same sequence. */
function createDraw(seed: number): () => number {
	const generator = xoroshiro128plus(seed);
	return () => unsafeUniformIntDistribution(0, 2 ** 31 - 1, generator) / 2 ** 31;
}

function isSpent({ plan, hits }: Entry<FaultFrequency>): boolean {
	return hits >= (plan.times ?? Infinity);
}

function describeFault<Plan extends FaultFrequency>(entry: Entry<Plan>): Fault<Plan> {
	const { id, plan, hits } = entry;
	return { id, plan, hits, spent: isSpent(entry) };
}
