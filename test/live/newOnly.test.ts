/** Only What Is New in a real n8n, which keeps between executions what a step has given out. */
import { activateWorkflow, deactivateWorkflow, importWorkflow } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { addDocument, newDossier } from './examples/records.ts';
import { HOSTS, OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { observeTriggers, until } from './triggers.ts';
import { byId, dossierStep, readItems } from './workflows.ts';

describe.each(HOSTS)('Only What Is New in %s', (host) => {
	let live: Live;
	beforeAll(async () => {
		live = await openLive(host);
	}, OPENING_MS);
	afterAll(() => live.close());

	it('gives each execution only what came since the previous one, also after n8n was restarted', async () => {
		const { finished, listRuns, readAllRuns } = observeTriggers(live);
		const dossier = await newDossier(live, 'N-1');
		await addDocument(live, dossier, 'before.pdf');
		const schedule = {
			name: 'Schedule',
			type: 'n8n-nodes-base.scheduleTrigger',
			typeVersion: 1.2,
			parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } },
		};
		const look = dossierStep(
			'New Documents',
			await live.credential(),
			{
				resource: 'document',
				operation: 'getAll',
				dossierId: byId(dossier),
				returnAll: true,
				onlyNew: true,
			},
			'stopWorkflow',
		);
		const workflow = await importWorkflow(
			live.session,
			buildWorkflow('New documents', [schedule, look]),
		);
		const runAgain = async (times: number) => {
			const { count } = await listRuns(workflow, ['success', 'error']);
			await finished(workflow, count + times);
		};
		/** The names that each execution has given out which gave any, the oldest execution first. */
		const listGiven = async () =>
			(await readAllRuns(workflow))
				.sort((one, other) => Number(one.id) - Number(other.id))
				.map((run) => readItems(run, 'New Documents').map(({ json }) => json.file_name))
				.filter(({ length }) => length);

		await activateWorkflow(live.session, workflow);
		await runAgain(2);
		expect(await listGiven()).toEqual([]);

		await addDocument(live, dossier, 'one.pdf');
		await until('first document', async () => (await listGiven()).length === 1);
		await live.restartHost(async () => {
			await addDocument(live, dossier, 'two.pdf');
			await addDocument(live, dossier, 'three.pdf');
		});
		await until('further documents', async () => (await listGiven()).length === 2);
		await runAgain(2);
		await deactivateWorkflow(live.session, workflow);
		expect(await listGiven()).toEqual([['one.pdf'], ['two.pdf', 'three.pdf']]);
		const { count } = await listRuns(workflow, ['error', 'crashed']);
		expect(count).toBe(0);
	}, 1_200_000);
});
