import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawPlot } from './plot.ts';
import type { SoakResult } from './soak.ts';
import { calculateRise } from './samples.ts';
import type { Rise, Sample } from './samples.ts';

const MEGABYTE = 1e6;

/** The result in lines: what was lost, doubled and failed, and how memory, handles and sockets developed. */
export function describeSoak({
	verdict,
	downloads,
	failures,
	rise,
	...result
}: SoakResult): string[] {
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
		`  events by polling: ${poll.documents} of uploads, ${poll.reported} reported, ${poll.lost.length} lost`,
		...(result.queue
			? [`  events that n8n forgot when a worker was killed: ${webhook.forgotten.length}`]
			: []),
		`doubled ${doubled}`,
		...countReasons('files', files.doubled),
		...countReasons('events by webhook', webhook.doubled),
		...countReasons('events by polling', poll.doubled),
		`failed ${failures.reduce((sum, { count }) => sum + count, 0)}, and asked for again`,
		...failures.map(({ code, message, count }) => `  ${count} × ${code}: ${writeLine(message)}`),
		`in the end, ${result.settlement.redelivered} deliveries were sent again and ${result.settlement.retried} runs were repeated by hand`,
		'last quarter beside the second:',
		`  n8n: ${describeRise(rise)}`,
		`  sandbox: ${describeRise(calculateRise(result.sandbox))}`,
	];
}

function countReasons(what: string, doubled: Array<{ reason: string | undefined }>): string[] {
	const reasons = [...new Set(doubled.map(({ reason }) => reason))];
	return reasons.map((reason) => {
		const { length } = doubled.filter((one) => one.reason === reason);
		return `  ${what}, ${length}: ${reason ?? 'not explained'}`;
	});
}

const describeRise = ({ memory, handles, sockets }: Rise) =>
	`memory ${times(memory)}, handles ${times(handles)}, sockets ${times(sockets)}`;

/** A message in one line. n8n answers with a page while it starts. */
const writeLine = (message: string) =>
	message
		.replace(/<!doctype[^>]*>|<title>.*<\/title>|<[^>]*>/gi, ' ')
		.replace(/\s+/g, ' ')
		.replace(/^(n8n answered: ") | (?="$)/g, '$1');

const times = (factor: number) => `${factor.toFixed(2)} ×`;

/** Writes the page `soak.md`, its plots and the result itself into a folder. */
export async function writeSoakPage(folder: string, result: SoakResult): Promise<void> {
	await mkdir(join(folder, 'images'), { recursive: true });
	await writeFile(join(folder, 'soak.json'), `${JSON.stringify(result, undefined, '\t')}\n`);
	await writeFile(join(folder, 'images/soak-memory.svg'), drawMemory(result));
	await writeFile(join(folder, 'images/soak-handles.svg'), drawHandles(result));
	await writeFile(join(folder, 'soak.md'), renderPage(result));
}

function drawMemory({ minutes, strikes, n8n, sandbox }: SoakResult): string {
	const lines = [
		{ name: 'n8n', points: selectPoints(n8n, ({ memory }) => memory / MEGABYTE) },
		{ name: 'sandbox', points: selectPoints(sandbox, ({ memory }) => memory / MEGABYTE) },
	];
	return drawPlot({ title: 'Resident memory', unit: 'MB', minutes, lines, strikes });
}

function drawHandles({ minutes, strikes, n8n, sandbox }: SoakResult): string {
	const lines = [
		{ name: 'n8n: handles', points: selectPoints(n8n, ({ handles }) => handles) },
		{ name: 'n8n: sockets', points: selectPoints(n8n, ({ sockets }) => sockets) },
		{ name: 'sandbox: sockets', points: selectPoints(sandbox, ({ sockets }) => sockets) },
	];
	return drawPlot({ title: 'Open handles and sockets', unit: 'number', minutes, lines, strikes });
}

const selectPoints = (samples: Sample[], select: (sample: Sample) => number) =>
	samples.map((sample): [number, number] => [sample.at, select(sample)]);

const FORGOTTEN_NOTE = `- **Forgotten** events were accepted by n8n, which had stored their runs. If a worker is killed, n8n 2 ends its runs with "failed to be processed too many times" and overwrites what they began with
  (\`workflow-runner.js\`), so they cannot be repeated.
`;

function renderPage(result: SoakResult): string {
	const { date, minutes, seed, queue, clock_speed: speed, jobs, strikes } = result;
	const days = Math.round((speed * minutes) / 144) / 10;
	const total = jobs.create + jobs.upload + jobs.update + jobs.synchronise + jobs.download;
	const options = `--minutes ${minutes} --seed ${seed}${queue ? ' --queue' : ''}`;
	const n8n = queue
		? 'A real n8n in queue mode (a main, a process for webhooks, two workers, PostgreSQL and Redis)'
		: 'A real n8n';
	const kinds = [...new Set(strikes.map(({ kind }) => kind))].sort();
	const rows = kinds.map((kind) => {
		const some = strikes.filter((strike) => strike.kind === kind);
		const hits = some.reduce((sum, strike) => sum + strike.hits, 0);
		return `| ${kind} | ${some.length} | ${hits} |`;
	});
	return `# Soak

What \`npm run soak -- ${options}\` found on ${date.slice(0, 10)}. ${n8n} with this package works beside the sandbox, whose clock runs ${speed} times as
fast as the machine's (${days} days in all). The harness asks n8n for ${total} jobs: to create a dossier (${jobs.create}), to upload a file (${jobs.upload}), to change a dossier (${jobs.update}), to synchronise a dossier with files, some of which are
new, changed or gone (${jobs.synchronise}), and to download a file (${jobs.download}). It asks again after a failure, as a
person would (${jobs.repeated} times). A workflow with the Dossier Trigger and one with the Dossier Poll Trigger report each uploaded document back to the harness. Deliveries reach n8n through a proxy that lets them
pass only while n8n is ready, as [the page on the trigger](trigger.md#if-n8n-is-killed) advises. Meanwhile the service fails, and n8n is killed and started again.
The harness writes down what it asks for, reads everything back from the service past n8n, and compares both. This page is written by that command.

## Result

\`\`\`
${describeSoak(result).join('\n')}
\`\`\`

- **Lost** is what was asked for and is not in the service, an event that was neither reported nor left unsent, and the removal of a file that is still there.
- **Doubled** files need a reason. The node looks for a file before it uploads it (*If Document Exists*: *Skip*). A service that stores a file only after the node has given up waiting, and after the next try has looked, gets
  it twice. No client can prevent that unless the service recognises repeated requests.
- **Not sent** are events of documents that were uploaded while the service had forgotten the registration. The service delivered them to nobody. After a while, the harness activated the workflow again, as a person would.
${queue ? FORGOTTEN_NOTE : ''}- **Failed** jobs are counted by the code that the node gives, with one of its messages. Codes that begin with \`n8n:\` come from n8n itself, which was down.

## Troubles

| trouble | times | hits |
| --- | --- | --- |
${rows.join('\n')}

- *errors*: half of all calls get 503.
- *outage*: a gateway answers every call with a page and status 502; for one minute and more in runs of ten minutes and more.
- *stalls*: half of all calls get no answer.
- *cut bodies*: half of the answer comes, as if it were whole.
- *lost answers*: the service does what it is asked, and the connection breaks in the answer.
- *limits*: 429, because others have used the limit up.
- *clock skew*: the clocks of the service's servers differ by four minutes, and some calls get 503 with the time of the next try as a date. All the time, the service's clock is far ahead of n8n's.
- *changed secret*: the service signs with another secret until somebody enters it. Counted are the deliveries that n8n refused.
- *dropped registration*: the service forgets the webhook until somebody activates the workflow again.
- *changed dialect*: the service calls one field otherwise, and refuses or ignores the old name, until somebody enters that. Counted are the jobs that failed.
- *killed n8n*: SIGKILL, and a start some seconds later; in queue mode, of one of its processes.
- *network gone*: for one minute and more, no byte passes between n8n and the service, in either direction. Counted are the connections that were tried.
- *full disk*: not a byte is free where n8n keeps its database and files. Counted are the jobs that failed.

The last two come in runs of ten minutes and more. A trouble lasts until it has struck, but a minute longer at most.

## Memory, handles and sockets

Each band is a trouble, the red ones are those in which n8n was killed. A new process begins anew. A run of half an hour and more fails if the mean of n8n's last quarter is above 1.1 times that of its second
quarter.

![Resident memory of n8n and the sandbox over time](images/soak-memory.svg)

![Handles and sockets of n8n and the sandbox over time](images/soak-handles.svg)
`;
}
