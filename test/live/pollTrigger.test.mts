/** The poll trigger in a real n8n: it runs once for each upload, and loses none if n8n is killed. */
import { setTimeout as wait } from 'node:timers/promises';
import {
	activateWorkflow,
	awaitExecution,
	importWorkflow,
	listExecutions,
	retryExecution,
} from '../../scripts/host/rest.mts';
import type { StoredWorkflow } from '../../scripts/host/rest.mts';
import { pollStep, postTo, buildWorkflow } from '../../scripts/host/steps.mts';
import { openReceiver } from '../../sandbox/test/receiver.mts';
import type { Receiver } from '../../sandbox/test/receiver.mts';
import { OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';
import { until } from '../../scripts/process/until.mts';
import { lacksData } from './triggers.mts';

/** Set KILLS and EVENTS for more. */
const KILLS = Number(process.env.KILLS ?? 3);
const EVENTS = Number(process.env.EVENTS ?? 12);

/** How long after a poll n8n is killed at the latest, in ms: by then the run has ended. */
const LONGEST_MS = 1_000;
/** A start of n8n takes a minute on a busy machine. */
const CYCLE_MS = 900_000;

/** n8n 2.40 saves the position in one transaction with the execution (poll-cursor.service.js). */
const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

describe.each([
	['n8n-2', 'n8n-2', 1, {}],
	// Each time is a task of its own there: two polls that overlap begin at the same cursor, so a busy machine gets time
	['n8n-2 with durable cursors', 'n8n-2', 10, DURABLE_CURSORS],
	['n8n-1', 'n8n-1', 1, {}],
] as const)('The poll trigger in %s', (name, hostName, seconds, env) => {
	let live: Live;
	let workflow: StoredWorkflow;
	let dossier: string;
	const uploaded: string[] = [];
	let receiver: Receiver;
	/** What the workflow reported, which stands whatever n8n has stored when it is killed. */
	const listReported = () => receiver.received.map(({ event }) => event.data.document_id);

	beforeAll(async () => {
		live = await openLive(hostName, { env });
		dossier = (await live.service.post<{ id: string }>('/dossiers', { title: 'Polled' })).data.id;
		const credential = await live.credential({ rateLimit: 'off' });
		receiver = await openReceiver();
		const steps = [pollStep(credential, seconds), postTo(receiver.url)];
		workflow = await importWorkflow(live.session, buildWorkflow('Polling', steps));
	}, OPENING_MS);
	afterAll(async () => {
		await receiver.close();
		await live.close();
	});

	async function upload(count: number): Promise<void> {
		for (let n = 0; n < count; n++) {
			const form = new FormData();
			form.set('category', 'invoice');
			const file = new Blob([String(uploaded.length)], { type: 'application/pdf' });
			form.set('file', file, `${uploaded.length}.pdf`);
			const { data, status } = await live.service.post<{ id: string; data?: { id: string } }>(
				`/dossiers/${dossier}/documents`,
				form,
			);
			expect(status).toBe(201);
			uploaded.push(data.data?.id ?? data.id);
		}
	}

	/** How many polls the service has answered. */
	async function countPolls(): Promise<number> {
		const entries = await live.control.journal.list({ limit: 500 });
		return entries.filter(({ operation, status }) => operation === 'audit.list' && status).length;
	}

	async function nextPolls(count: number): Promise<void> {
		await live.control.journal.clear();
		await until('poll', async () => (await countPolls()) >= count);
	}

	const untilAllAreGiven = async () =>
		await until('report of each upload', async () => {
			const ids = new Set(listReported());
			return await Promise.resolve(uploaded.every((id) => ids.has(id)));
		});

	it('begins when it is activated, and then runs once for each upload', async () => {
		await upload(1);
		const before = uploaded.splice(0);
		await live.control.journal.clear();
		await activateWorkflow(live.session, workflow);
		await until('first poll', async () => (await countPolls()) > 0);
		await nextPolls(2);
		await upload(3);
		await untilAllAreGiven();
		await upload(2);
		await untilAllAreGiven();
		await nextPolls(2);
		expect(listReported().sort()).toEqual([...uploaded].sort());
		expect(listReported()).not.toContain(before[0]);
	}, 1_200_000);

	it('gives nothing twice after an orderly restart', async () => {
		await live.restartHost();
		await nextPolls(2);
		expect(listReported().sort()).toEqual([...uploaded].sort());
	}, 1_200_000);

	it(
		'loses nothing if n8n is killed',
		async () => {
			for (let kill = 0; kill < KILLS; kill++) {
				// n8n that is killed while it publishes the workflow at its start tries again two minutes later.
				await nextPolls(2);
				const uploading = upload(EVENTS / KILLS - 1);
				await nextPolls(1);
				await wait(LONGEST_MS * ((kill * 0.618) % 1));
				await live.host.group.kill();
				await uploading;
				await live.restartHost(async () => await upload(1));
			}
			// A run that n8n had stored when it was killed stands as crashed.
			await nextPolls(2);
			const crashed = await listExecutions(live.session, workflow, ['crashed']);
			for (const { id } of crashed) {
				// The trigger gives the events of a run again whose data n8n had not stored.
				const again = await retryExecution(live.session, id).catch((error: unknown) => {
					if (!lacksData(error)) throw error;
				});
				if (again) await awaitExecution(live.session, again, live.signal);
			}
			await untilAllAreGiven();
			const given = new Set(listReported());
			expect([...given].sort()).toEqual([...uploaded].sort());
			process.stdout.write(
				`${name}: ${uploaded.length} events, ${KILLS} kills, ${crashed.length} crashed and retried, ${receiver.received.length - given.size} given twice\n`,
			);
		},
		CYCLE_MS * KILLS,
	);
});
