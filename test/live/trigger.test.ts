/** The trigger in a real n8n: what a person sees who activates a workflow with it, and what strangers and accidents cannot do. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { importWorkflow } from '../../scripts/host/rest.ts';
import type { StoredWorkflow } from '../../scripts/host/rest.ts';
import { readWorkflow } from '../../scripts/intake/examples.ts';
import { OPENING_MS, openLive, root } from './live.ts';
import type { Live } from './live.ts';
import { until } from '../../scripts/process/until.ts';
import { expectOneRunEach, observeTriggers, STANDARD_WEBHOOKS } from './triggers.ts';
import type { Delivery, Webhook } from './triggers.ts';
import { triggerStep, buildWorkflow } from '../../scripts/host/steps.ts';
import { readItems } from '../../scripts/host/executions.ts';

let live: Live;
let triggers: ReturnType<typeof observeTriggers>;
beforeAll(async () => {
	live = await openLive();
	triggers = observeTriggers(live);
}, OPENING_MS);
afterAll(() => live.close());

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));

async function newDossier(reference: string): Promise<string> {
	const body = { title: reference, reference };
	return (await live.service.post<{ id: string }>('/dossiers', body)).data.id;
}

async function uploadTo(dossier: string, name: string): Promise<void> {
	const { status } = await live.service.post(`/dossiers/${dossier}/documents`, {
		file_name: name,
		mime_type: 'application/pdf',
		category: 'invoice',
		content_base64: content.toString('base64'),
	});
	expect(status).toBe(201);
}

describe('The example workflow', () => {
	let workflow: StoredWorkflow;
	let dossier: string;
	let webhook: Webhook;

	beforeAll(async () => {
		const path = join(root, 'examples/document-received.json');
		const imported = await readWorkflow(path, await live.credential());
		workflow = await importWorkflow(live.session, imported);
		dossier = await newDossier('2026-077');
	});

	async function lastDelivery(): Promise<Delivery> {
		const [delivery] = await triggers.deliveries();
		if (!delivery) throw new Error('Nothing was delivered.');
		return delivery;
	}

	it('registers its address when it is published', async () => {
		webhook = await triggers.activate(workflow);
		expect(webhook).toMatchObject({
			url: expect.stringContaining(`${live.host.url}/webhook/`),
			events: ['document.uploaded'],
			status: 'active',
		});
		expect(await triggers.webhooks()).toEqual([webhook]);
	});

	it.each(['HEAD', 'GET'])('answers a service that tries the address by %s', async (method) => {
		const { status } = await live.session.request({ method, url: webhook.url });
		expect(status).toBe(200);
	});

	it('runs once for an upload, with the file', async () => {
		await uploadTo(dossier, 'Rechnung 請求書.pdf');
		// Under load, n8n lists an execution as finished a moment before it gives out its data.
		const item = await until('output of the workflow', async () => {
			const [execution] = await triggers.finished(workflow, 1);
			return execution && readItems(execution, 'What Arrived')[0];
		});
		expect(item.json).toMatchObject({
			summary: 'Rechnung 請求書.pdf (invoice, 300000 bytes) arrived in dossier 2026-077',
			checksum_sha256: createHash('sha256').update(content).digest('hex'),
		});
		expect(item.binary?.data).toMatchObject({
			fileName: 'Rechnung 請求書.pdf',
			mimeType: 'application/pdf',
			bytes: 300_000,
		});
	});

	it('takes a delivery that comes again without running again', async () => {
		await triggers.redeliver(await lastDelivery());
		await triggers.idle();
		const { attempts } = await lastDelivery();
		expect(attempts.map(({ status, answer }) => [status, answer])).toEqual([
			[200, '{"ok":true}'],
			[200, '{"ok":true,"note":"duplicate"}'],
		]);
		expect(await triggers.listRuns(workflow)).toMatchObject({ count: 1 });
	});

	it('keeps its registration when n8n is started again, and runs on', async () => {
		await uploadTo(dossier, 'second.pdf');
		await triggers.idle();
		await triggers.finished(workflow, 2);
		await live.restartHost();
		await until('answer at the address', async () => await triggers.answersAt(webhook));
		expect(await triggers.webhooks()).toEqual([webhook]);
		await uploadTo(dossier, 'third.pdf');
		await triggers.idle();
		await triggers.finished(workflow, 3);
		expect(await triggers.listRuns(workflow)).toMatchObject({ count: 3 });
	});

	it('is no longer called once it is deactivated', async () => {
		await triggers.deactivate(workflow);
		await triggers.noRegistration();
	});

	it('can be deactivated while the service is down, and is registered once when it is activated again', async () => {
		webhook = await triggers.activate(workflow);
		await live.stopSandbox();
		await triggers.deactivate(workflow);
		await until('word about it in the log', async () => {
			const log = await Promise.resolve(live.host.group.tail());
			return log.some((line) => line.includes('could not remove its webhook: Nothing answers'));
		});
		await live.startSandbox();
		expect(await triggers.webhooks()).toEqual([webhook]);
		await triggers.activate(workflow);
		expect(await triggers.webhooks()).toEqual([webhook]);
		await uploadTo(dossier, 'fourth.pdf');
		await triggers.idle();
		await triggers.finished(workflow, 4);
		await triggers.deactivate(workflow);
		await triggers.noRegistration();
	});
});

/** Set DELIVERIES for more. */
const EVENTS = Number(process.env.DELIVERIES ?? 1_000);
/** For how long to wait for any step with them: a slow machine that does other work runs two in a second. */
const MINUTES = Math.ceil(EVENTS / 120);

describe(`Of ${EVENTS} events, a tenth of them broken on the way,`, () => {
	it(
		'each runs the workflow once, and nothing else does',
		async () => {
			// A scheme that signs the time, so that what is stale is seen
			await live.control.dialect.set({ signature: STANDARD_WEBHOOKS });
			const scheme = { contractOverrides: true, signatureScheme: 'standard', tolerance: 300 };
			const trigger = triggerStep(await live.credential(scheme), { registration: 'automatic' });
			const workflow = await importWorkflow(live.session, buildWorkflow('Many events', [trigger]));
			const webhook = await triggers.activate(workflow);
			expect(await triggers.webhooks()).toEqual([webhook]);
			const load = { events: EVENTS, share: 0.1, minutes: MINUTES };
			await expectOneRunEach(live, { workflow, webhook }, load);
			await triggers.deactivate(workflow);
			await triggers.noRegistration();
		},
		MINUTES * 180_000,
	);
});
