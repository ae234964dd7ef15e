/** The way from test data to live data: two workflows side by side, or one whose credential gets the live key. */
import type { AxiosInstance } from 'axios';
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { CredentialReference } from '../../scripts/host/rest.mts';
import { buildWorkflow, triggerStep } from '../../scripts/host/steps.mts';
import { openService } from '../../scripts/process/sandbox.mts';
import { until } from '../../scripts/process/until.mts';
import { HOSTS, OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';
import { observeTriggers } from './triggers.mts';
import type { Webhook } from './triggers.mts';

/** n8n's own clock has to pass a minute. */
const MINUTES = 3;

describe.each(HOSTS)('In %s', (hostName) => {
	let live: Live;
	let triggers: ReturnType<typeof observeTriggers>;
	let production: AxiosInstance;
	beforeAll(async () => {
		live = await openLive(hostName);
		triggers = observeTriggers(live);
		const { liveKey: testKey } = live.organization;
		production = openService(`${live.sandbox.url}/v1`, { ...live.organization, testKey });
	}, OPENING_MS);
	afterAll(() => live.close());

	/** What changes in the credential: a live key is never sent to a sandbox. */
	const toProduction = () => ({
		environment: 'production',
		baseUrl: `${live.sandbox.url}/v1`,
		apiKey: live.organization.liveKey,
	});

	const list = async (service: AxiosInstance) =>
		(await service.get<{ data: Webhook[] }>('/webhooks')).data.data.map(({ url }) => url);

	const noLiveRegistration = async () =>
		await until(
			'end of the registration for live data',
			async () => !(await list(production)).length,
		);

	const build = async (name: string, credential: CredentialReference) => {
		const parameters = { registration: 'automatic', events: ['dossier.created'] };
		const trigger = triggerStep(credential, parameters);
		return await importWorkflow(live.session, buildWorkflow(name, [trigger]));
	};

	it(
		'a workflow for live data runs beside the one for test data, and alone once that is unpublished',
		async () => {
			const test = await build('Test', await live.credential());
			await triggers.activate(test);
			const copy = await build('Live', await live.credential(toProduction()));
			await triggers.activate(copy);
			await until('registration for live data', async () => (await list(production)).length === 1);
			await live.service.post('/dossiers', { title: 'Test' });
			await production.post('/dossiers', { title: 'Live' });
			await triggers.awaitRuns(test, 1);
			await triggers.awaitRuns(copy, 1);
			await triggers.deactivate(test);
			await triggers.awaitNoRegistration();
			await production.post('/dossiers', { title: 'Live' });
			await triggers.awaitRuns(copy, 2);
			expect(await triggers.listRuns(test)).toMatchObject({ count: 1 });
			await triggers.deactivate(copy);
			await noLiveRegistration();
		},
		OPENING_MS,
	);

	it(
		'a published trigger follows its credential from the test key to the live key within a minute',
		async () => {
			const credential = await live.credential();
			const workflow = await build('To production', credential);
			const { url } = await triggers.activate(workflow);
			await live.service.post('/dossiers', { title: 'Test' });
			await triggers.awaitRuns(workflow, 1);
			const data = { ...live.right, ...toProduction() };
			const { name, id } = credential;
			const changed = { name, type: 'dossierApi', data };
			expect((await live.session.patch(`/credentials/${id}`, changed)).status).toBe(200);
			await until('registration for live data', async () => (await list(production))[0], MINUTES);
			await triggers.awaitNoRegistration();
			expect(await list(production)).toEqual([url]);
			await live.service.post('/dossiers', { title: 'Test' });
			await production.post('/dossiers', { title: 'Live' });
			await triggers.awaitRuns(workflow, 2);
			expect(await triggers.listRuns(workflow)).toMatchObject({ count: 2 });
			await triggers.deactivate(workflow);
			await noLiveRegistration();
		},
		OPENING_MS,
	);
});
