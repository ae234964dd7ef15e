import { setTimeout as wait } from 'node:timers/promises';
import { activateWorkflow, importWorkflow } from '../host/rest.mts';
import type { StoredWorkflow, WorkflowFile } from '../host/rest.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { lookAt, takeSamples } from '../process/usage.mts';
import { showProgress } from '../process/terminal.mts';
import { until } from '../process/until.mts';
import { Account } from './account.mts';
import type { Report } from './account.mts';
import { Jobs } from './jobs.mts';
import { planTroubles } from './plan.mts';
import { calculateRise } from './report.mts';
import type { SoakResult } from './report.mts';
import { isPoll, settle } from './settle.mts';
import { openReportReceiver, openStage } from './stage.mts';
import type { Stage } from './stage.mts';
import { runClock, Troubles } from './troubles.mts';
import { verify } from './verify.mts';
import { buildEventWorkflow, buildJobWorkflow, EVENT_SOURCES, JOB_KINDS } from './workflows.mts';

const MINUTE = 60_000;
/** From this length on, a run has longer outages, and more time between troubles. */
const LONG_MINUTES = 10;
const SAMPLES = 300;
/** In a shorter run, n8n is still warming up, so the rise of memory, handles and sockets is not judged. */
const JUDGED_MINUTES = 30;
const LARGEST_RISE = 1.1;

interface SoakOptions {
	/** The checkout. */
	root: string;
	minutes: number;
	seed: number;
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
	const workflows = await publishWorkflows(stage, reportTo, signal);

	const end = Date.now() + minutes * MINUTE;
	const interval = Math.max(500, (minutes * MINUTE) / SAMPLES);
	const endN8n = takeSamples(interval, async () => await lookAt(stage.host.group.pid));
	const endSandbox = takeSamples(interval, async () => await lookAt(stage.sandbox.group.pid));
	const clock = new AbortController();
	const running = runClock(stage, AbortSignal.any([clock.signal, signal]));
	const jobs = new Jobs(stage, account, signal);
	const troubles = new Troubles(stage, signal);
	const { strikes } = troubles;

	const progress = showProgress(`Soaking for ${minutes} minutes with seed ${seed}`);
	const detail = setInterval(() => {
		progress.detail(`${jobs.total} jobs, ${strikes.length} troubles`);
	}, 1_000);
	try {
		let isOver = false;
		const striking = async () => {
			await troubles.run(planTroubles(seed, minutes >= LONG_MINUTES), end);
			await wait(Math.max(0, end - Date.now()), undefined, { signal });
			isOver = true;
		};
		await Promise.all([jobs.run(seed, () => isOver), striking()]);
	} finally {
		clearInterval(detail);
		progress.end(`Soaked: ${jobs.counts.upload} uploads, ${strikes.length} troubles.`);
	}
	const settlement = await settle(stage, workflows);
	clock.abort();
	await running;
	const [n8n, sandbox] = [await endN8n(), await endSandbox()];
	const tallies = await verify(stage, account, { strikes, settlement }, signal);
	const isComplete = tallies.every(
		({ lost, doubled }) => lost.length === 0 && doubled.every((reason) => reason !== undefined),
	);
	const isStable = Object.values(calculateRise(n8n)).every((factor) => factor <= LARGEST_RISE);
	return {
		jobs: { ...jobs.counts, repeated: jobs.repeated },
		tallies,
		failures: account.failures,
		settlement,
		strikes,
		n8n,
		sandbox,
		passed: isComplete && (minutes < JUDGED_MINUTES || isStable),
	};
}

/** Stores and activates all workflows. Gives those with a trigger, once the webhook is registered and the first poll has come. */
async function publishWorkflows(
	{ host: { session }, sandbox: { control }, credential: { id, name } }: Stage,
	reportTo: string,
	signal: AbortSignal,
): Promise<StoredWorkflow[]> {
	const credential = { id, name };
	const publish = async (file: WorkflowFile) => {
		const workflow = await importWorkflow(session, file);
		await activateWorkflow(session, workflow);
		return workflow;
	};
	for (const kind of JOB_KINDS) await publish(buildJobWorkflow(kind, credential));
	const triggers: StoredWorkflow[] = [];
	for (const source of EVENT_SOURCES) {
		triggers.push(await publish(buildEventWorkflow(source, credential, reportTo)));
	}
	const haveBegun = async () =>
		(await control.webhooks.list()).length > 0 && (await control.journal.list()).some(isPoll);
	await until('beginning of the triggers', haveBegun, undefined, signal);
	return triggers;
}

function readReport(report: unknown, path: string): Report {
	const { data, delivery } = report as { data: { document_id: string }; delivery: { id: string } };
	const source = path === '/poll' ? 'poll' : 'webhook';
	return { source, document: data.document_id, delivery: delivery.id, at: Date.now() };
}
