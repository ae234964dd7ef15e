import { setTimeout as wait } from 'node:timers/promises';
import waitFor from 'p-wait-for';
import { activateWorkflow, importWorkflow } from '../host/rest.ts';
import type { StoredWorkflow, WorkflowFile } from '../host/rest.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { showProgress } from '../process/terminal.ts';
import { Account } from './account.ts';
import type { Failure, Report } from './account.ts';
import { runClock } from './clock.ts';
import { Jobs } from './jobs.ts';
import { planTroubles } from './plan.ts';
import { calculateRise, Sampler } from './samples.ts';
import type { Sample } from './samples.ts';
import { settle } from './settle.ts';
import type { Settlement } from './settle.ts';
import { openReportReceiver, openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { Troubles } from './troubles.ts';
import type { Strike } from './troubles.ts';
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
}

export interface SoakResult {
	jobs: Record<JobKind, number> & { repeated: number };
	downloads: { equal: number; different: number };
	verdict: Verdict;
	failures: Failure[];
	settlement: Settlement;
	strikes: Strike[];
	n8n: Sample[];
	sandbox: Sample[];
	/** Whether nothing is lost, nothing doubled without a reason, and in a long run nothing has risen. */
	passed: boolean;
}

/** Runs n8n and a failing service for some minutes, and compares the result with the jobs. */
export async function soak(lifecycle: RunLifecycle, options: SoakOptions): Promise<SoakResult> {
	const { root, minutes, seed } = options;
	const { signal } = lifecycle;
	const account = new Account();
	const stage = await openStage(lifecycle, root);
	const reportTo = await openReportReceiver(lifecycle, (report, path) => {
		account.reports.push(readReport(report, path));
	});
	const { webhook, poll } = await publishWorkflows(stage, reportTo, signal);

	const end = Date.now() + minutes * MINUTE;
	const interval = Math.max(500, (minutes * MINUTE) / SAMPLES);
	const n8n = new Sampler(interval, () => stage.n8n.pids());
	const sandbox = new Sampler(interval, () => [stage.sandbox.group.pid]);
	const clock = new AbortController();
	const running = runClock(stage, AbortSignal.any([clock.signal, signal]));
	const jobs = new Jobs(stage, account, signal);
	const troubles = new Troubles(stage, webhook, account, signal);
	const plan = planTroubles(seed, minutes >= LONG_MINUTES);

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
	const settlement = await settle(stage, [webhook, poll]);
	clock.abort();
	await running;
	const samples = { n8n: await n8n.end(), sandbox: await sandbox.end() };
	const rise = calculateRise(samples.n8n);
	const verdict = await verify(stage, account, { ...troubles, settlement });
	return {
		jobs: { ...jobs.counts, repeated: jobs.repeated },
		downloads: account.downloads,
		verdict,
		failures: account.failures,
		settlement,
		strikes: troubles.strikes,
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
	const message = 'The triggers did not begin within four minutes.';
	const haveBegun = async () => (await hasRegistered()) && (await hasPolled());
	await waitFor(haveBegun, { interval: 250, signal, timeout: { milliseconds: UP_MS, message } });
	return { webhook, poll };
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

const isLevel = ({ memory, handles, sockets }: Sample) =>
	[memory, handles, sockets].every((factor) => factor <= LARGEST_RISE);
