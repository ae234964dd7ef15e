/** How near the pacer comes to a client that knows the rule. The page of rate limits shows the table. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { simulate } from './simulation.mts';
import type { Case, Measured } from './simulation.mts';

const KINDS = ['fixed', 'sliding', 'bucket'] as const;
const SAYS = ['nothing', 'remaining', 'remaining and reset', 'retry-after', 'all'] as const;
const SIZES = [
	[10, 1_000],
	[20, 2_000],
	[50, 10_000],
	[100, 60_000],
	[200, 3_600_000],
] as const;
const LATENCIES = [5, 200, 2_000];
const CHANGES = [1, 0.5, 2];

/** Every kind of service, each with some other circumstances. */
function chooseCases(processes: number): Case[] {
	let n = 0;
	return SAYS.flatMap((says) =>
		KINDS.flatMap((kind) =>
			SIZES.map(([limit, length]) => {
				n++;
				const latency = LATENCIES[n % 3] ?? 5;
				const change = CHANGES[Math.floor(n / 3) % 3] ?? 1;
				const phase = (n * 0.37) % 1;
				const isHalfUsed = n % 2 === 0;
				return {
					rule: { kind, limit, length },
					says,
					isHalfUsed,
					processes,
					latency,
					change,
					phase,
				};
			}),
		),
	);
}

const median = (values: number[]) =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const SAID: Record<Case['says'], string> = {
	nothing: 'nothing',
	remaining: 'X-RateLimit-Remaining',
	'remaining and reset': 'Remaining and X-RateLimit-Reset',
	'retry-after': 'Retry-After',
	all: 'all of them',
};

/** The row of a table: the time beside the shortest, and the share of refusals. */
function formatRow(name: string, results: Measured[]): string {
	const ratios = results.map(({ ratio }) => ratio);
	const refused = results.map(({ refusedLater }) => refusedLater * 100);
	return `| ${name} | ${median(ratios).toFixed(2)} × | ${Math.max(...ratios).toFixed(1)} × | ${median(refused).toFixed(0)} % | ${Math.max(...refused).toFixed(0)} % |`;
}

const page = readFileSync(join(__dirname, '../../../docs/rate-limits.md'), 'utf8');

describe.each([
	['one n8n process', 1, 1.5],
	['three n8n processes that share the limit', 3, 3],
])('The page shows how near %s comes to the shortest time', (_, processes, most) => {
	it.each(SAYS)(
		'if the service says %s',
		async (says) => {
			const results: Measured[] = [];
			for (const one of chooseCases(processes)) {
				// An hour takes three processes long to simulate.
				if (processes > 1 && one.rule.length > 60_000) continue;
				if (one.says === says) results.push(await simulate(one));
			}
			expect(page).toContain(formatRow(SAID[says], results));
			expect(median(results.map(({ ratio }) => ratio))).toBeLessThan(most);
		},
		60_000,
	);
});

it('one process loses no item, whatever the limit is and whatever the service says', async () => {
	const cases = fc.record({
		rule: fc.record({
			kind: fc.constantFrom(...KINDS),
			limit: fc.integer({ min: 1, max: 200 }),
			length: fc.constantFrom(1_000, 3_000, 10_000, 60_000, 600_000, 3_600_000),
		}),
		says: fc.constantFrom(...SAYS),
		isHalfUsed: fc.boolean(),
		processes: fc.constant(1),
		latency: fc.integer({ min: 5, max: 1_000 }),
		change: fc.constantFrom(...CHANGES),
		phase: fc.double({ min: 0, max: 0.99, noNaN: true }),
	});
	await fc.assert(
		fc.asyncProperty(cases, async (one) => {
			const { ratio, lost } = await simulate(one);
			expect(lost).toBe(0);
			expect(ratio).toBeLessThan(6);
		}),
		{ numRuns: 30, seed: 26 },
	);
}, 60_000);

it('a plan that was chosen is never exceeded, even if the service would accept more', async () => {
	const limit = 1_000;
	const one: Case = {
		rule: { kind: 'bucket', limit, length: 1_000 },
		says: 'remaining',
		isHalfUsed: false,
		processes: 1,
		latency: 5,
		change: 1,
		phase: 0,
		windows: [{ limit: 100, length: 60_000, chosen: true }],
	};
	// 4,000 requests: 100 at once, and 100 in each further minute.
	expect((await simulate(one)).took).toBeGreaterThanOrEqual(39 * 60_000);
}, 60_000);
