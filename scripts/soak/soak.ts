import { setTimeout as wait } from 'node:timers/promises';
import { activateWorkflow, importWorkflow } from '../host/rest.ts';
import type { StoredWorkflow, WorkflowFile } from '../host/rest.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { showProgress } from '../process/terminal.ts';
import { Account } from './account.ts';
import type { Failure, Report } from './account.ts';
import { CLOCK_SPEED, runClock } from './clock.ts';
import { Jobs } from './jobs.ts';
import { LONG_SCHEDULE, planTroubles, SHORT_SCHEDULE } from './plan.ts';
import { calculateRise, Sampler } from './samples.ts';
import type { Rise, Sample } from './samples.ts';
import { settle } from './settle.ts';
import type { Settlement } from './settle.ts';
import { openReportReceiver, openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { Troubles } from './troubles.ts';
import { verify } from './verify.ts';
import type { Verdict } from './verify.ts';
import { buildEventWorkflow, buildJobWorkflow, JOB_KINDS } from './workflows.ts';
import type { EventSource, JobKind } from './workflows.ts';

const MINUTE = 60_000;
const LONG_MINUTES = 10;
const SAMPLES = 300;
const UP_MS = 240_000;
/** A run that is shorter is not judged by how memory, handles and sockets develop: n8n has barely warmed up. */
const JUDGED_MINUTES = 30;
const LARGEST_RISE = 1.1;

interface SoakOptions {
	/** The checkout. */
	root: string;
	minutes: number;
	seed: number;
	/** Whether n8n runs in queue mode. */
	isQueue: boolean;
}

/** A trouble that was made; times in ms since the begin. */
export interface StrikeResult {
	kind: string;
	begin: number;
	end: number;
	hits: number;
}

export interface SoakResult {
	/** ISO 8601 */
	date: string;
	minutes: number;
	seed: number;
	queue: boolean;
	clock_speed: number;
	jobs: Record<JobKind, number> & { repeated: number };
	downloads: { equal: number; different: number };
	verdict: Verdict;
	failures: Failure[];
	settlement: Omit<Settlement, 'begin'>;
	strikes: StrikeResult[];
	/** Of n8n. */
	rise: Rise;
	n8n: Sample[];
	sandbox: Sample[];
	/** Whether nothing is lost, nothing doubled without a reason, and in a long run nothing has risen. */
	passed: boolean;
}

/** Runs n8n and a failing service for some minutes, and compares the result with the jobs. */
export async function soak(lifecycle: RunLifecycle, options: SoakOptions): Promise<SoakResult> {
	const { root, minutes, seed, isQueue } = options;
	const { signal } = lifecycle;
	const account = new Account();
	const isLong = minutes >= LONG_MINUTES;
	const stage = await openStage(lifecycle, { root, isQueue, canFill: isLong });
	const reportTo = await openReportReceiver(lifecycle, (report, path) => {
		account.reports.push(readReport(report, path));
	});
	const { webhook, poll } = await publishWorkflows(stage, reportTo, signal);

	const begin = Date.now();
	const end = begin + minutes * MINUTE;
	const interval = Math.max(500, (minutes * MINUTE) / SAMPLES);
	const n8n = new Sampler(begin, interval, () => stage.n8n.pids());
	const sandbox = new Sampler(begin, interval, () => [stage.sandbox.group.pid]);
	const clock = new AbortController();
	const running = runClock(stage, AbortSignal.any([clock.signal, signal]));
	const jobs = new Jobs(stage, account, signal);
	const troubles = new Troubles(stage, webhook, account, signal);
	const plan = planTroubles(seed, isLong ? LONG_SCHEDULE : SHORT_SCHEDULE);

	const progress = showProgress(`Soaking for ${minutes} minutes with seed ${seed}`);
	const detail = setInterval(() => {
		progress.detail(`${jobs.total} jobs, ${troubles.strikes.length} troubles`);
	}, 1_000);
	try {
		let isOver = false;
		const striking = async () => {
			await troubles.run(plan, end);
			await wait(Math.max(0, end - Date.now()), undefined, { signal });
			isOver = true;
		};
		await Promise.all([jobs.run(seed, () => isOver), striking()]);
	} finally {
		clearInterval(detail);
		progress.end(`Soaked: ${jobs.counts.upload} uploads, ${troubles.strikes.length} troubles.`);
	}
	const settlement = await settle(stage, [webhook, poll], signal);
	const { redelivered, retried, forgotten } = settlement;
	clock.abort();
	await running;
	const samples = { n8n: await n8n.end(), sandbox: await sandbox.end() };
	const rise = calculateRise(samples.n8n);
	const verdict = await verify(stage, account, { ...troubles, settlement });
	return {
		date: new Date(begin).toISOString(),
		minutes,
		seed,
		queue: isQueue,
		clock_speed: CLOCK_SPEED,
		jobs: { ...jobs.counts, repeated: jobs.repeated },
		downloads: account.downloads,
		verdict,
		failures: account.failures,
		settlement: { redelivered, retried, forgotten },
		strikes: troubles.strikes.map((strike) => ({
			...strike,
			begin: strike.begin - begin,
			end: strike.end - begin,
		})),
		rise,
		...samples,
		passed: hasPassed(verdict, account) && (minutes < JUDGED_MINUTES || isLevel(rise)),
	};
}

/** Stores and activates all workflows; gives those with a trigger, once the service knows of both. */
async function publishWorkflows(
	stage: Stage,
	reportTo: string,
	signal: AbortSignal,
): Promise<Record<EventSource, StoredWorkflow>> {
	const { session } = stage.n8n;
	const { id, name } = stage.credential;
	const credential = { id, name };
	const publish = async (file: WorkflowFile) => {
		const workflow = await importWorkflow(session, file);
		await activateWorkflow(session, workflow);
		return workflow;
	};
	for (const kind of JOB_KINDS) await publish(buildJobWorkflow(kind, credential));
	const webhook = await publish(buildEventWorkflow('webhook', credential, reportTo));
	const poll = await publish(buildEventWorkflow('poll', credential, reportTo));
	const hasRegistered = async () =>
		(await stage.control.get<{ data: unknown[] }>('/webhooks')).data.data.length > 0;
	const hasPolled = async () => {
		const { data } = await stage.control.get<{ data: Array<{ operation: string }> }>('/journal');
		return data.data.some(({ operation }) => operation === 'audit.list');
	};
	for (const until = Date.now() + UP_MS; ; await wait(250, undefined, { signal })) {
		if ((await hasRegistered()) && (await hasPolled())) return { webhook, poll };
		if (Date.now() > until) throw new Error('The triggers did not begin within four minutes.');
	}
}

function readReport(report: unknown, path: string): Report {
	const { data, delivery } = report as { data: { document_id: string }; delivery: { id: string } };
	const source = path === '/poll' ? 'poll' : 'webhook';
	return { source, document: data.document_id, delivery: delivery.id, at: Date.now() };
}

function hasPassed(
	{ files, removals, dossiers, descriptions, events }: Verdict,
	{ downloads }: Account,
): boolean {
	const { webhook, poll } = events;
	const wrong = [files.lost, files.unexpected, removals.lost, dossiers.lost, dossiers.doubled];
	const doubled = [...files.doubled, ...webhook.doubled, ...poll.doubled];
	return (
		[...wrong, descriptions.lost, webhook.lost, poll.lost].every((one) => one.length === 0) &&
		downloads.different === 0 &&
		doubled.every(({ reason }) => reason !== undefined)
	);
}

const isLevel = ({ memory, handles, sockets }: Rise) =>
	[memory, handles, sockets].every((factor) => factor <= LARGEST_RISE);
