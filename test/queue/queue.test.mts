/** The package in n8n's queue mode: one main, a webhook process and two workers that do not know of each other. */
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { StoredWorkflow } from '../../scripts/host/rest.mts';
import { OPENING_MS } from '../live/live.mts';
import { until } from '../../scripts/process/until.mts';
import { expectOneRunEach, observeTriggers } from '../live/triggers.mts';
import type { Webhook } from '../live/triggers.mts';
import { buildWorkflow, byId, dossierStep, triggerStep } from '../../scripts/host/steps.mts';
import { askClient } from './askClient.mts';
import { openCluster } from './cluster.mts';
import type { Cluster } from './cluster.mts';
import { openImports, wanted } from './imports.mts';
import type { Batch } from './imports.mts';
import { QUICK_NOTICE } from '../../scripts/queue/processes.mts';
import type { Worker } from '../../scripts/queue/processes.mts';

/** Longer than any wait within a test, so that the wait fails first and names what did not come. */
const TEST_MS = 1_800_000;

let cluster: Cluster;
let triggers: ReturnType<typeof observeTriggers>;
let imports: ReturnType<typeof openImports>;
let workers: [Worker, Worker];

beforeAll(async () => {
	cluster = await openCluster(QUICK_NOTICE);
	triggers = observeTriggers(cluster);
	imports = openImports(cluster);
	workers = await Promise.all([cluster.startWorker(5), cluster.startWorker(5)]);
}, OPENING_MS);
afterAll(() => cluster.close());

describe('An import of 2,000 documents, split over twenty executions', () => {
	let workflow: StoredWorkflow;
	let batches: Batch[];
	let lost: Batch[];

	/** How many requests the service has seen so far. */
	async function requests(): Promise<number> {
		const [last] = await cluster.control.journal.list({ limit: 1 });
		return last?.n ?? 0;
	}

	const failedRuns = async () => {
		const { results } = await triggers.listRuns(workflow, ['error', 'crashed']);
		return results.map(({ id }) => id);
	};

	const ended = async () =>
		(await triggers.listRuns(workflow, ['success', 'error', 'crashed'])).count;

	it(
		'is worked on by both workers, at the pace of the plan',
		async () => {
			batches = await imports.prepare(20, 100);
			workflow = await imports.publish({});
			const before = await requests();
			for (const batch of batches) await imports.start(batch);
			// More than fit into one minute, so that both have met the limit
			await until('half of the import', async () => (await requests()) - before > 900, 10);
			for (const { begun } of workers) expect(begun).not.toEqual([]);
			// The pace is that of the plan together, so that neither takes what the other waits for
			expect(await imports.reasons(await failedRuns())).toEqual([]);
		},
		TEST_MS,
	);

	it(
		'loses only the executions of a worker that is killed, and shows them as failed',
		async () => {
			const [one] = workers;
			await one.group.kill();
			workers[0] = await cluster.startWorker(5);
			await until('end of all executions', async () => (await ended()) === batches.length, 15);
			const finished = await imports.finishedDossiers(workflow);
			lost = batches.filter(({ dossier }) => !finished.includes(dossier));
			const failed = await failedRuns();
			expect(failed).not.toEqual([]);
			const elsewhere = failed.filter((id) => !one.begun.includes(id));
			expect(await imports.reasons(elsewhere)).toEqual([]);
			expect(lost).toHaveLength(failed.length);
		},
		TEST_MS,
	);

	it(
		'has each document once after these executions are started again, with Skip',
		async () => {
			for (const batch of lost) await imports.start(batch);
			const total = batches.length + lost.length;
			await until('end of the repetition', async () => (await ended()) === total, 15);
			expect(await triggers.listRuns(workflow, ['success'])).toMatchObject({
				count: batches.length,
			});
			await cluster.control.limits.set('off');
			for (const batch of batches) {
				expect(await imports.documentsIn(batch.dossier)).toEqual(wanted(batch));
			}
		},
		TEST_MS,
	);
});

describe('A file that comes with an event', () => {
	it(
		'is downloaded and uploaded by one worker',
		async () => {
			await cluster.control.limits.set('off');
			const [from, to] = await imports.prepare(2, 1);
			if (!from || !to) throw new Error('There are no dossiers.');
			const credential = await cluster.credential();
			const trigger = triggerStep(credential, {
				download: true,
				binaryPropertyName: 'data',
				filters: { dossiers: [from.dossier] },
			});
			const copying = {
				resource: 'document',
				operation: 'upload',
				dossierId: byId(to.dossier),
				filesFrom: 'all',
				category: 'other',
			};
			const copy = dossierStep('Copy', credential, copying, 'continueRegularOutput');
			const passing = buildWorkflow('Copies', [trigger, copy]);
			const stored = await importWorkflow(cluster.session, passing);
			await triggers.activate(stored);
			const [document] = from.documents;
			await cluster.service.post(`/dossiers/${from.dossier}/documents`, {
				file_name: document?.name,
				mime_type: 'text/plain',
				category: 'invoice',
				content_base64: Buffer.from(document?.text ?? '').toString('base64'),
			});
			await triggers.awaitRuns(stored, 1);
			expect(await imports.documentsIn(to.dossier)).toEqual(wanted(from));
			const { results } = await triggers.listRuns(stored);
			const [run] = results.map(({ id }) => id);
			expect(results).toHaveLength(1);
			const begins = workers.map(({ begun }) => begun.filter((id) => id === run).length);
			expect(begins.sort()).toEqual([0, 1]);
			await triggers.deactivate(stored);
			await triggers.awaitNoRegistration();
		},
		TEST_MS,
	);
});

describe('An execution that waits for the documents of a client', () => {
	it(
		'is resumed by one that arrives after every process of n8n was killed and started again',
		async () => {
			await askClient(cluster, async () => {
				const killing = workers.map(async ({ group }) => await group.kill());
				await Promise.all([...killing, cluster.kill('main', 'webhook')]);
				[workers] = await Promise.all([
					Promise.all([cluster.startWorker(5), cluster.startWorker(5)]),
					cluster.start('main', 'webhook'),
				]);
			});
		},
		TEST_MS,
	);
});

describe('A trigger whose deliveries come to the webhook process', () => {
	const EVENTS = 300;
	/** A busy machine takes longer than the usual minute for all of them. */
	const PATIENCE_MINUTES = 10;
	let workflow: StoredWorkflow;
	let webhook: Webhook;

	beforeAll(async () => {
		await cluster.control.limits.set('off');
		// A scheme that signs the time, so that what is stale is seen
		await cluster.control.switches.change({ switches: { signature: 'standard' } });
		const scheme = { contractOverrides: true, signatureScheme: 'standard', tolerance: 300 };
		const trigger = triggerStep(await cluster.credential(scheme), {});
		workflow = await importWorkflow(cluster.session, buildWorkflow('Events', [trigger]));
		webhook = await triggers.activate(workflow);
	});

	it('is registered with the address of that process, and the main process does not answer deliveries', async () => {
		const { origin, pathname } = new URL(webhook.url);
		expect(origin).toBe(cluster.webhookProcess.url);
		const { status } = await cluster.session.post(`${cluster.main.url}${pathname}`, {});
		expect(status).toBe(404);
	});

	it(
		'runs once on a worker for each event, and not for the fifth of the deliveries that is broken on the way',
		async () => {
			const before = workers.map(({ begun }) => begun.length);
			const load = { events: EVENTS, share: 0.2, minutes: PATIENCE_MINUTES };
			await expectOneRunEach(cluster, { workflow, webhook }, load);
			const after = workers.map(({ begun }) => begun.length);
			for (const [at, count] of after.entries()) expect(count).toBeGreaterThan(before[at] ?? 0);
		},
		TEST_MS,
	);

	it(
		'runs for what a second webhook process receives from its first moment',
		async () => {
			const other = await cluster.addWebhookProcess();
			const url = other.url + new URL(webhook.url).pathname;
			await until('answer there', async () => await triggers.answersAt({ ...webhook, url }));
			await cluster.control.webhooks.update(webhook.id, { url });
			const owner = { organization_id: cluster.organization.id, environment: 'test' } as const;
			await cluster.control.webhooks.emit(owner, { event: 'document.uploaded', count: 20 });
			await triggers.idle(PATIENCE_MINUTES);
			await triggers.awaitRuns(workflow, EVENTS + 20, PATIENCE_MINUTES);
			const delivered = await triggers.deliveries({ state: 'delivered' });
			const statuses = delivered.slice(0, 20).flatMap(({ attempts }) => attempts);
			expect(statuses.map(({ status }) => status)).toEqual(Array(20).fill(200));
		},
		TEST_MS,
	);
});
