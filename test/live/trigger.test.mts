/** The trigger in a real n8n: what a person sees who activates a workflow with it, and what strangers and accidents cannot do. */
import { importWorkflow } from '../../scripts/host/rest.mts';
import { importExample } from './examples/imported.mts';
import { addDocument, newDossier } from './examples/records.mts';
import { OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';
import { until } from '../../scripts/process/until.mts';
import { expectOneRunEach, observeTriggers } from './triggers.mts';
import { triggerStep, buildWorkflow } from '../../scripts/host/steps.mts';

let live: Live;
let triggers: ReturnType<typeof observeTriggers>;
beforeAll(async () => {
	live = await openLive();
	triggers = observeTriggers(live);
}, OPENING_MS);
afterAll(() => live.close());

it(
	'The example workflow has one registration from its publication to its end, also when n8n is started again',
	async () => {
		const workflow = await importExample(live, 'document-received.json');
		const dossier = await newDossier(live, '2026-077');
		const webhook = await triggers.activate(workflow);
		expect(webhook).toMatchObject({
			url: expect.stringContaining(`${live.host.url}/webhook/`),
			events: ['document.uploaded'],
			status: 'active',
		});
		await addDocument(live, dossier, 'first.pdf');
		await triggers.awaitRuns(workflow, 1);
		await live.restartHost();
		await until('answer at the address', async () => await triggers.answersAt(webhook));
		expect(await triggers.webhooks()).toEqual([webhook]);
		await addDocument(live, dossier, 'second.pdf');
		await triggers.awaitRuns(workflow, 2);
		expect(await triggers.listRuns(workflow)).toMatchObject({ count: 2 });
		await triggers.deactivate(workflow);
		await triggers.awaitNoRegistration();
	},
	OPENING_MS,
);

/** Set DELIVERIES for more. */
const EVENTS = Number(process.env.DELIVERIES ?? 1_000);
/** For how long to wait for any step with them: a slow machine that does other work runs two in a second. */
const MINUTES = Math.ceil(EVENTS / 120);

describe(`Of ${EVENTS} events, a tenth of them broken on the way,`, () => {
	it(
		'each runs the workflow once, and nothing else does',
		async () => {
			// A scheme that signs the time, so that what is stale is seen
			await live.control.switches.change({ switches: { signature: 'standard' } });
			const scheme = { contractOverrides: true, signatureScheme: 'standard', tolerance: 300 };
			const trigger = triggerStep(await live.credential(scheme), { registration: 'automatic' });
			const workflow = await importWorkflow(live.session, buildWorkflow('Many events', [trigger]));
			const webhook = await triggers.activate(workflow);
			expect(await triggers.webhooks()).toEqual([webhook]);
			const load = { events: EVENTS, share: 0.1, minutes: MINUTES };
			await expectOneRunEach(live, { workflow, webhook }, load);
			await triggers.deactivate(workflow);
			await triggers.awaitNoRegistration();
		},
		MINUTES * 180_000,
	);
});
