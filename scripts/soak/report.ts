import type { SoakResult } from './soak.ts';
import { calculateRise } from './samples.ts';
import type { Sample } from './samples.ts';
import type { Strike } from './troubles.ts';
import type { DoubledEvent, LostEvent } from './verify.ts';

const MEGABYTE = 1e6;
/** The parts of the time for which the memory is printed. */
const PARTS = 8;

/** The result in lines: what was lost, doubled and failed, and how memory, handles and sockets developed. */
export function describeSoak({ verdict, downloads, failures, ...result }: SoakResult): string[] {
	const { files, removals, dossiers, descriptions, events } = verdict;
	const { webhook, poll } = events;
	const lost = [files, removals, dossiers, descriptions, webhook, poll].reduce(
		(sum, one) => sum + one.lost.length,
		0,
	);
	const doubled = [files, dossiers, webhook, poll].reduce(
		(sum, one) => sum + one.doubled.length,
		0,
	);
	return [
		`lost ${lost}`,
		`  files: ${files.asked} asked for, ${files.lost.length} lost, ${files.doubled.length} doubled, ${files.unexpected.length} not asked for`,
		`  removals of files: ${removals.asked} asked for, ${removals.lost.length} lost`,
		`  dossiers: ${dossiers.asked} asked for, ${dossiers.lost.length} lost, ${dossiers.doubled.length} doubled`,
		`  changes: ${descriptions.asked} asked for, ${descriptions.lost.length} lost`,
		`  downloads: ${downloads.equal} with an equal SHA-256, ${downloads.different} with another`,
		`  events by webhook: ${webhook.documents} of uploads, ${webhook.reported} reported, ${webhook.lost.length} lost, ${webhook.unsent} not sent since no webhook was registered`,
		...webhook.lost.map(describeLost),
		`  events by polling: ${poll.documents} of uploads, ${poll.reported} reported, ${poll.lost.length} lost`,
		...poll.lost.map(describeLost),
		`doubled ${doubled}`,
		...countReasons('files', files.doubled),
		...countReasons('events by webhook', webhook.doubled),
		...webhook.doubled.flatMap(describeDoubled),
		...countReasons('events by polling', poll.doubled),
		...poll.doubled.flatMap(describeDoubled),
		`failed ${failures.reduce((sum, { count }) => sum + count, 0)}, and asked for again`,
		...failures.map(({ code, message, count }) => `  ${count} × ${code}: ${writeLine(message)}`),
		`in the end, ${result.settlement.redelivered} deliveries were sent again and ${result.settlement.retried} runs were repeated by hand`,
		`jobs ${Object.entries(result.jobs)
			.map(([kind, count]) => `${kind} ${count}`)
			.join(', ')}`,
		'troubles:',
		...describeStrikes(result.strikes),
		'resident memory over time, in MB:',
		`  n8n: ${describeMemory(result.n8n)}`,
		`  sandbox: ${describeMemory(result.sandbox)}`,
		'last quarter beside the second:',
		`  n8n: ${describeRise(calculateRise(result.n8n))}`,
		`  sandbox: ${describeRise(calculateRise(result.sandbox))}`,
	];
}

function describeStrikes(strikes: Strike[]): string[] {
	const kinds = [...new Set(strikes.map(({ kind }) => kind))].sort();
	return kinds.map((kind) => {
		const some = strikes.filter((strike) => strike.kind === kind);
		const hits = some.reduce((sum, strike) => sum + strike.hits, 0);
		return `  ${kind}: ${some.length} times, ${hits} hits`;
	});
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

/** What helps to find out why an event was not reported: when it came, and what each attempt was answered. */
function describeLost({ document, createdAt, attempts }: LostEvent): string {
	const answers = attempts.map(({ at, status, answer, error }) =>
		`${at} ${status ?? error ?? ''} ${answer ?? ''}`.trim(),
	);
	return `    ${document} of ${createdAt}: ${answers.join('; ') || 'no attempt is known'}`;
}

/** When an event was reported each time, if nothing explains that. */
function describeDoubled({ document, reason, reported }: DoubledEvent): string[] {
	if (reason) return [];
	const times = reported.map((time) => new Date(time).toISOString());
	return [`    ${document}: reported ${times.join(' and ')}`];
}

function countReasons(what: string, doubled: Array<{ reason: string | undefined }>): string[] {
	const reasons = [...new Set(doubled.map(({ reason }) => reason))];
	return reasons.map((reason) => {
		const { length } = doubled.filter((one) => one.reason === reason);
		return `  ${what}, ${length}: ${reason ?? 'not explained'}`;
	});
}

const describeRise = ({ memory, handles, sockets }: Sample) =>
	`memory ${times(memory)}, handles ${times(handles)}, sockets ${times(sockets)}`;

/** A message in one line. n8n answers with a page while it starts. */
const writeLine = (message: string) =>
	message
		.replace(/<!doctype[^>]*>|<title>.*<\/title>|<[^>]*>/gi, ' ')
		.replace(/\s+/g, ' ')
		.replace(/^(n8n answered: ") | (?="$)/g, '$1');

const times = (factor: number) => `${factor.toFixed(2)} ×`;
