/** A client who is asked for documents: the execution waits, reminds, and ends when a document arrives or the time is over. */
import type { NodeParameterValue } from 'n8n-workflow';
import type { Page } from 'playwright-core';
import { createSandbox } from '../../../sandbox/src/index.mts';
import { openReceiver } from '../../../sandbox/test/receiver.mts';
import type { Receiver } from '../../../sandbox/test/receiver.mts';
import { deactivateWorkflow } from '../../../scripts/host/rest.mts';
import type { StoredWorkflow } from '../../../scripts/host/rest.mts';
import { complaints, readItems } from '../../../scripts/host/executions.mts';
import { launchBrowser, openWindow } from '../../../scripts/editor/browser.mts';
import { openClients } from '../clients.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import { importExample, publishForm, whileActive } from './imported.mts';
import { addDocument, dossierWith, listPortalUsers, listTasks, newTask } from './records.mts';

const OFFICE = { username: 'office', password: 'for-this-test-alone' };

/** Asks a client, whose dossier is `A-` and their name, in the form of the office. */
export async function askFor(page: Page, form: string, client: string): Promise<void> {
	await page.goto(form);
	await page.getByLabel('Dossier reference').fill(`A-${client}`);
	await page.getByLabel('Dossier title').fill('Tax return');
	await page.getByLabel('Last name').fill('Okafor');
	await page.getByLabel('Email').fill(`${client}@client.example`);
	await page.getByLabel('Documents').fill('Your bank statements');
	await page.getByRole('button', { name: 'Ask the client' }).click();
	await page.getByText('Your request has arrived').waitFor();
}

/** The form of the office, for as long as the work takes. */
async function whileAsking(
	live: Live,
	settings: Record<string, NodeParameterValue>,
	work: (workflow: StoredWorkflow, ask: (client: string) => Promise<void>) => Promise<void>,
): Promise<void> {
	const credentials = {
		httpBasicAuth: { user: OFFICE.username, password: OFFICE.password },
	};
	const workflow = await importExample(live, 'ask-client.json', { settings, credentials });
	const form = await publishForm(live.session, live.host.url, workflow, OFFICE);
	const browser = await launchBrowser();
	try {
		await work(workflow, async (client) => {
			const page = await openWindow(browser, form, { httpCredentials: OFFICE });
			await askFor(page, form, client);
			await page.context().close();
		});
	} finally {
		await browser.close();
		await deactivateWorkflow(live.session, workflow);
	}
}

/** Waits until n8n has stored one execution that waits; gives the dossier and its only task. */
async function untilItWaits(live: Live, workflow: StoredWorkflow, client: string) {
	await until('waiting execution', async () => {
		const { count } = await observeTriggers(live).listRuns(workflow, ['waiting']);
		return count === 1;
	});
	const dossier = (await dossierWith(live, `A-${client}`)) ?? '';
	const tasks = await listTasks(live, dossier);
	expect(tasks).toMatchObject([
		{ title: `Documents from ${client}@client.example`, status: 'pending' },
	]);
	return { dossier, description: String(tasks[0]?.description) };
}

async function listMails({ control }: Live, client: string): Promise<Array<string | null>> {
	const messages = await control.outbox.list({ to: `${client}@client.example` });
	return messages.map(({ subject }) => subject);
}

/** A live n8n with a service of its own, which no other test uses. */
async function openApart(live: Live): Promise<{ apart: Live; close: () => Promise<void> }> {
	const sandbox = await createSandbox();
	const clients = openClients(sandbox);
	const credential: Live['credential'] = async (changes) =>
		await live.credential({ ...clients.right, ...changes });
	return { apart: { ...live, ...clients, sandbox, credential }, close: () => sandbox.close() };
}

/** n8n looks once a minute for executions whose time has come, so the other examples are tested meanwhile. */
export function askClient(live: () => Live): () => void {
	let apart: Live;
	let workflow: StoredWorkflow;
	let dossier: string;
	let close = async () => await Promise.resolve();

	it('invites the client', async () => {
		({ apart, close } = await openApart(live()));
		const settings = { remind_after: 5, give_up_after: 90, unit: 'seconds' };
		await whileAsking(apart, settings, async (asking, ask) => {
			await ask('silent');
			workflow = asking;
			({ dossier } = await untilItWaits(apart, workflow, 'silent'));
			expect(await listPortalUsers(apart, dossier)).toMatchObject([
				{ email: 'silent@client.example', status: 'invited' },
			]);
			expect(await listMails(apart, 'silent')).toContainEqual(
				expect.stringContaining('invites you to the portal'),
			);
		});
	});

	return () => {
		afterAll(async () => await close());

		it('sends one reminder, and cancels the task if nothing arrives', async () => {
			const [execution] = await observeTriggers(apart).awaitRuns(workflow, 1);
			expect(execution?.status).toBe('success');
			expect(await listTasks(apart, dossier)).toMatchObject([{ status: 'cancelled' }]);
			const mails = await listMails(apart, 'silent');
			expect([mails.length, mails]).toEqual([
				2,
				expect.arrayContaining(['Your link to the portal']),
			]);
		});
	};
}

export function clientAnswered(live: () => Live): void {
	let stranger: Receiver;
	afterEach(() => stranger.close());

	it('resumes what waits for a document, also after n8n was restarted', async () => {
		const triggers = observeTriggers(live());
		stranger = await openReceiver();
		const answered = await importExample(live(), 'client-answered.json');
		await whileAsking(live(), { category: 'other' }, async (workflow, ask) => {
			await whileActive(live(), answered, async (webhook) => {
				await ask('prompt');
				const { dossier, description } = await untilItWaits(live(), workflow, 'prompt');
				// Asked again, the client gets no second invitation and no second task
				await ask('prompt');
				const [again] = await triggers.awaitRuns(workflow, 1);
				expect(again?.status).toBe('success');
				expect(await listTasks(live(), dossier)).toHaveLength(1);

				await live().restartHost();
				await until('webhook', async () => await triggers.answersAt(webhook));
				for (const url of [stranger.url, `${description.split('n8n waits at: ')[1]}/../x`]) {
					const fields = { title: 'Of somebody else', dossier_id: dossier };
					await newTask(live(), { ...fields, description: `n8n waits at: ${url}` });
				}
				await addDocument(live(), dossier, 'invoice.pdf', 'not asked for', 'invoice');
				await triggers.awaitRuns(answered, 1);
				await untilTask(live(), dossier, workflow, 'pending');

				await addDocument(live(), dossier, 'january.pdf');
				await addDocument(live(), dossier, 'february.pdf');
				await untilTask(live(), dossier, workflow, 'completed');
				const resumed = await triggers.awaitRuns(answered, 3);
				// n8n answers that it is busy if two documents resume it at once
				expect(resumed.flatMap(({ data }) => complaints(data))).toEqual([]);
				// The address of a stranger, and one that only begins like n8n's own, were not called
				expect(resumed.flatMap((one) => readItems(one, 'Resume It')).length).toBeGreaterThan(1);
				expect(stranger.received).toEqual([]);
			});
			const done = (await triggers.awaitRuns(workflow, 2)).map((one) => ({
				turns: one.data.resultData.runData['Wait for a Document']?.length,
				arrived: readItems(one, 'What Arrived').map(({ json }) => json),
			}));
			expect(done).toContainEqual({
				turns: 2,
				arrived: [
					expect.objectContaining({
						email: 'prompt@client.example',
						documents: expect.arrayContaining([
							expect.objectContaining({ file_name: 'january.pdf' }),
						]),
					}),
				],
			});
		});
	});
}

/** Waits until the task has a status: a pending one belongs to an execution that waits. */
async function untilTask(live: Live, dossier: string, workflow: StoredWorkflow, status: string) {
	await until(`task that is ${status}`, async () => {
		const { count } = await observeTriggers(live).listRuns(workflow, ['waiting']);
		const tasks = await listTasks(live, dossier);
		const task = tasks.find(({ title }) => title.startsWith('Documents from '));
		return task?.status === status && count === (status === 'pending' ? 1 : 0);
	});
}
