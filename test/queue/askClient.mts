/** The examples that ask a client for documents, in an n8n whose processes share nothing but their database and their queue. */
import axios from 'axios';
import { activateWorkflow, deactivateWorkflow } from '../../scripts/host/rest.mts';
import { complaints, readItems } from '../../scripts/host/executions.mts';
import { importExample, whileActive } from '../live/examples/imported.mts';
import { addDocument, dossierWith, listTasks } from '../live/examples/records.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from '../live/triggers.mts';
import type { Cluster } from './cluster.mts';

const OFFICE = { username: 'office', password: 'for-this-test-alone' };
const REFERENCE = 'Q-1';

/** What the office fills in, in the order of the form. */
const ANSWERS = [REFERENCE, 'Tax return', '', 'Okafor', 'client@client.example', 'Statements'];

/** Asks a client, does something while the execution waits, and has the documents arrive. */
export async function askClient(cluster: Cluster, meanwhile: () => Promise<void>): Promise<void> {
	const triggers = observeTriggers(cluster);
	const answered = await importExample(cluster, 'client-answered.json');
	const asking = await importExample(cluster, 'ask-client.json', {
		settings: { category: 'other' },
		credentials: { httpBasicAuth: { user: OFFICE.username, password: OFFICE.password } },
	});
	const trigger = asking.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const form = `${cluster.webhookProcess.url}/form/${trigger?.webhookId}`;
	await activateWorkflow(cluster.session, asking);
	await whileActive(cluster, answered, async (webhook) => {
		const fields = new FormData();
		for (const [at, answer] of ANSWERS.entries()) fields.set(`field-${at}`, answer);
		const options = { auth: OFFICE, proxy: false as const, validateStatus: () => true };
		await until('form', async () => (await axios.get(form, options)).status === 200);
		expect(await axios.post(form, fields, options)).toMatchObject({ status: 200 });
		await until('waiting execution', async () => {
			const { count } = await triggers.listRuns(asking, ['waiting']);
			return count === 1;
		});
		const dossier = (await dossierWith(cluster, REFERENCE)) ?? '';
		const [task] = await listTasks(cluster, dossier);
		expect(task).toMatchObject({ status: 'pending' });
		expect(task?.description).toContain(`n8n waits at: ${cluster.webhookProcess.url}/`);

		await meanwhile();
		await until('webhook', async () => await triggers.answersAt(webhook));
		await addDocument(cluster, dossier, 'january.pdf');
		const [resuming] = await triggers.awaitRuns(answered, 1);
		expect(resuming && complaints(resuming.data)).toEqual([]);
		const [done] = await triggers.awaitRuns(asking, 1);
		expect(done?.status).toBe('success');
		expect(done && readItems(done, 'What Arrived').map(({ json }) => json)).toMatchObject([
			{ documents: [{ file_name: 'january.pdf' }] },
		]);
		expect(await listTasks(cluster, dossier)).toMatchObject([{ status: 'completed' }]);
	});
	await deactivateWorkflow(cluster.session, asking);
}
