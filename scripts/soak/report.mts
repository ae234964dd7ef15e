import type { Failure } from './account.mts';
import type { Sample } from '../process/usage.mts';
import type { Settlement } from './settle.mts';
import type { Strike } from './troubles.mts';
import type { Tally } from './verify.mts';
import type { JobKind } from './workflows.mts';

const MEGABYTE = 1e6;
/** For how many equal parts of the run the memory is printed. */
const PARTS = 8;

export interface SoakResult {
	jobs: Record<JobKind, number> & { repeated: number };
	tallies: Tally[];
	failures: Failure[];
	settlement: Settlement;
	strikes: Strike[];
	n8n: Sample[];
	sandbox: Sample[];
	/** Whether nothing is lost, nothing doubled without a reason, and in a long run nothing has risen. */
	passed: boolean;
}

/** The mean of the last quarter divided by that of the second quarter, for each measure. */
export function calculateRise(samples: Sample[]): Sample {
	const average = (of: keyof Sample, from: number, to: number) => {
		const some = samples.slice(Math.floor(from * samples.length), Math.floor(to * samples.length));
		return some.reduce((sum, sample) => sum + sample[of], 0) / Math.max(1, some.length);
	};
	const compare = (of: keyof Sample) => average(of, 0.75, 1) / average(of, 0.25, 0.5);
	return { memory: compare('memory'), handles: compare('handles'), sockets: compare('sockets') };
}

/** The result in lines: what was lost, doubled and failed, and how memory, handles and sockets developed. */
export function describeSoak({ tallies, failures, settlement, ...result }: SoakResult): string[] {
	const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
	const processes = [
		['n8n', result.n8n],
		['sandbox', result.sandbox],
	] as const;
	return [
		`lost ${sum(tallies.map(({ lost }) => lost.length))}`,
		...tallies.flatMap(({ what, asked, lost, doubled }) => [
			`  ${what}: ${asked} asked for, ${lost.length} lost, ${doubled.length} doubled`,
			...lost.map((one) => `    lost ${one}`),
			...countBy(doubled.map((reason) => reason ?? 'not explained')).map(
				([reason, count]) => `    ${count} doubled: ${reason}`,
			),
		]),
		`doubled ${sum(tallies.map(({ doubled }) => doubled.length))}`,
		`failed ${sum(failures.map(({ count }) => count))}, and asked for again`,
		...failures.map(describeFailure),
		`in the end, ${settlement.redelivered} deliveries were sent again and ${settlement.retried} runs were repeated by hand`,
		`jobs ${Object.entries(result.jobs)
			.map(([kind, count]) => `${kind} ${count}`)
			.join(', ')}`,
		'troubles:',
		...countBy(result.strikes.map(({ kind }) => kind)).map(([kind, count]) => {
			const some = result.strikes.filter((strike) => strike.kind === kind);
			return `  ${kind}: ${count} times, ${sum(some.map(({ hits }) => hits))} hits`;
		}),
		'resident memory over time, in MB:',
		...processes.map(([name, samples]) => `  ${name}: ${describeMemory(samples)}`),
		'last quarter divided by the second:',
		...processes.map(([name, samples]) => `  ${name}: ${describeRise(calculateRise(samples))}`),
	];
}

/** Each text once, sorted, and how often it came. */
function countBy(texts: string[]): Array<[text: string, count: number]> {
	const counts = new Map<string, number>();
	for (const text of [...texts].sort()) counts.set(text, (counts.get(text) ?? 0) + 1);
	return [...counts];
}

/** The mean of each part of the time. */
function describeMemory(samples: Sample[]): string {
	const parts = Array.from({ length: PARTS }, (_, at) => {
		const [from, to] = [at, at + 1].map((end) => Math.floor((end / PARTS) * samples.length));
		const some = samples.slice(from, to);
		return some.reduce((sum, { memory }) => sum + memory, 0) / Math.max(1, some.length);
	});
	return parts.map((mean) => Math.round(mean / MEGABYTE)).join(' ');
}

const describeRise = (rise: Sample) =>
	Object.entries(rise)
		.map(([what, factor]: [string, number]) => `${what} ${factor.toFixed(2)} ×`)
		.join(', ');

/** A failure in one line, without the tags of the web page that n8n answers with while it starts. */
function describeFailure({ code, message, count }: Failure): string {
	const line = message
		.replace(/<!doctype[^>]*>|<title>.*<\/title>|<[^>]*>/gi, ' ')
		.replace(/\s+/g, ' ')
		.replace(/^(n8n answered: ") | (?="$)/g, '$1');
	return `  ${count} × ${code}: ${line}`;
}
