/** Queue mode whose processes are killed while events come: what was acknowledged is there when they are started again. */
import { activateWorkflow, importWorkflow } from '../../scripts/host/rest.mts';
import { pollStep, buildWorkflow } from '../../scripts/host/steps.mts';
import { QUICK_NOTICE } from '../../scripts/queue/processes.mts';
import type { Worker } from '../../scripts/queue/processes.mts';
import { openEvents } from '../live/acknowledged.mts';
import type { Receiver } from '../live/acknowledged.mts';
import { OPENING_MS } from '../live/live.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from '../live/triggers.mts';
import { readItems } from '../../scripts/host/executions.mts';
import { openCluster } from './cluster.mts';
import type { Cluster } from './cluster.mts';

/** Set KILLS for more. */
const KILLS = Number(process.env.KILLS ?? 3);
const CYCLE_MS = 900_000;
const CONCURRENCY = 5;

let cluster: Cluster;
let worker: Worker;
let events: Awaited<ReturnType<typeof openEvents>>;
let receivers: Receiver[];

beforeAll(async () => {
	// n8n looks for executions that nobody runs every three hours, unless a setting makes it do so each minute.
	cluster = await openCluster({ ...QUICK_NOTICE, N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1' });
	await cluster.control.limits.set('off');
	worker = await cluster.startWorker(CONCURRENCY);
	events = await openEvents(cluster);
	receivers = [
		await events.publish('without downloads', false),
		await events.publish('with downloads', true),
	];
}, OPENING_MS);
afterAll(() => cluster.close());

/** The processes to kill in turn. All at once: a machine that runs all of n8n loses its power. */
const TARGETS: Array<[kill: () => Promise<void>, start: () => Promise<void>]> = [
	[async () => await cluster.kill('webhook'), async () => await cluster.start('webhook')],
	[async () => await cluster.kill('main'), async () => await cluster.start('main')],
	[
		async () => {
			await Promise.all([cluster.kill('main', 'webhook'), worker.group.kill()]);
		},
		async () => {
			await cluster.start('main', 'webhook');
			worker = await cluster.startWorker(CONCURRENCY);
		},
	],
];

async function accountFor(what: string) {
	const accounts = [];
	for (const receiver of receivers) {
		const account = await events.account(receiver);
		const { deliveries, crashed, failed, repeated, lost, struck } = account;
		process.stdout.write(
			`${what}, ${receiver.workflow.name}: ${deliveries} events, ${crashed} crashed and retried, ${failed} failed, ${repeated} came twice, ${lost.length} lost; struck at each kill: ${struck.join(' ')}\n`,
		);
		expect(account.unacknowledged).toEqual([]);
		accounts.push(account);
	}
	return accounts;
}

it(
	`loses no acknowledged event in ${KILLS} kills of the webhook process, the main process or everything`,
	async () => {
		for (let at = 0; at < KILLS; at++) {
			const [kill, start] = TARGETS[at % TARGETS.length] ?? [];
			if (!kill || !start) throw new Error('There is nothing to kill.');
			await events.strike(kill);
			await start();
			await events.deliverRest(receivers);
		}
		// n8n looks each minute for executions that nobody runs any more.
		const accounts = await until('a run of each event', async () => {
			const all = await accountFor(`${KILLS} kills`);
			return all.every(({ lost }) => lost.length === 0) && all;
		});
		for (const { failed } of accounts) expect(failed).toBe(0);
		for (let at = 0; at < KILLS; at++) {
			expect(accounts.some(({ struck }) => (struck[at] ?? 0) > 0)).toBe(true);
		}
	},
	CYCLE_MS * (KILLS + 1),
);

it(
	'loses only what a killed worker was running, and has it when it is delivered again to a new webhook process',
	async () => {
		const before = worker.begun.length;
		// With that many, it is never idle.
		const isBusy = () => worker.begun.length >= before + 2 * CONCURRENCY;
		await events.strike(async () => await worker.group.kill(), isBusy);
		worker = await cluster.startWorker(CONCURRENCY);
		await events.deliverRest(receivers);
		const accounts = await accountFor('the worker killed');
		const lost = accounts.flatMap((account) => account.lost);
		expect(lost).not.toEqual([]);
		for (const account of accounts) expect(account.lost).toHaveLength(account.failed);

		// The process that acknowledged them takes them for duplicates.
		await cluster.kill('webhook');
		await cluster.start('webhook');
		await events.deliverAgain(receivers, lost);
		for (const account of await accountFor('delivered again')) {
			expect(account.lost).toEqual([]);
		}
	},
	CYCLE_MS * 2,
);

it(
	'gives out everything that the poll trigger reads, though the main process is killed',
	async () => {
		const { session, service, control } = cluster;
		const credential = await cluster.credential({ rateLimit: 'off' });
		const trigger = pollStep(credential, 10, 'dossier.created');
		const workflow = await importWorkflow(session, buildWorkflow('Polled', [trigger]));
		const created: string[] = [];
		const create = async () => {
			const { data } = await service.post<{ id: string }>('/dossiers', { title: 'Polled' });
			created.push(data.id);
		};
		const untilGiven = async () =>
			await until('run for each dossier', async () => {
				const runs = await observeTriggers(cluster).readAllRuns(workflow);
				const items = runs.flatMap((run) => readItems(run, 'Trigger'));
				const text = JSON.stringify(items.map(({ json }) => json.data));
				return created.every((id) => text.includes(id));
			});
		await control.journal.clear();
		await activateWorkflow(session, workflow);
		await until('first poll', async () => {
			const entries = await control.journal.list();
			return entries.some(({ operation, status }) => operation === 'audit.list' && status);
		});
		await create();
		await untilGiven();
		for (let n = 0; n < 5; n++) await create();
		await cluster.kill('main');
		await create();
		await cluster.start('main');
		await create();
		await untilGiven();
	},
	CYCLE_MS,
);
