/** The shots of the demonstration, as CONTRIBUTING.md lists them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildWorkflow, dossierStep, readFiles, START } from '../host/steps.mts';
import { importWorkflow } from '../host/rest.mts';
import type { CredentialReference, WorkflowFile } from '../host/rest.mts';
import { readWorkflow } from '../intake/examples.mts';
import { until } from '../process/until.mts';
import { readIntake } from './studio.mts';
import type { Studio } from './studio.mts';

/** Where a shot plays. */
export interface Stage extends Studio {
	page: Page;
	/** Opens another page, which is not recorded until it is there. */
	load(open: () => Promise<void>): Promise<void>;
	/** Says a sentence from now on, and leaves time to read it. */
	say(text: string): Promise<void>;
	/** Says the same again, for example after another page was opened. */
	look(): Promise<void>;
}

export const shots: Array<(stage: Stage) => Promise<void>> = [
	showNode,
	connect,
	pasteWorkflow,
	importFolder,
	showForm,
	receiveEvent,
	meetLimit,
	showError,
	showTools,
];

/** Stores a workflow and shows the whole of it on the canvas. */
async function showCanvas(stage: Stage, workflow: WorkflowFile): Promise<string> {
	const { host, editor, page } = stage;
	const { id } = await importWorkflow(host.session, workflow);
	await stage.load(async () => {
		await editor.openWorkflow(id);
		await page.keyboard.press('1');
	});
	return id;
}

/** Runs what the canvas shows. */
async function execute({ page }: Stage): Promise<void> {
	await page.getByTestId('execute-workflow-button').click();
	const done = page.getByText('Workflow executed successfully').first();
	await done.waitFor();
	await page.locator('.el-notification__closeBtn').first().click();
	await done.waitFor({ state: 'hidden' });
}

/** The credential that the second shot makes. */
async function findCredential({ host }: Stage): Promise<CredentialReference> {
	type List = { data: Array<CredentialReference & { type: string }> };
	const { data } = await host.session.get<List>('/credentials');
	const found = data.data.find(({ type }) => type === 'dossierApi');
	if (!found) throw new Error('There is no credential.');
	return { id: found.id, name: found.name };
}

async function showNode(stage: Stage): Promise<void> {
	const { page, editor } = stage;
	await showCanvas(stage, buildWorkflow('Dossiers', [START]));
	await stage.say('A community package for a dossier and document management service');
	await page.getByTestId('canvas-handle-plus').first().click();
	await page.getByTestId('node-creator-search-bar').fill('dossier');
	const found = page.getByTestId('node-creator-item-name');
	await stage.say('One node for dossiers, documents, portal users and tasks, and two triggers');
	await found.getByText('Dossier', { exact: true }).click();
	await stage.look();
	await found.getByText('Get many dossiers', { exact: true }).click();
	await editor.form.waitFor();
}

async function connect(stage: Stage): Promise<void> {
	const { page, editor, sandbox } = stage;
	const fill = async (name: string, text: string) =>
		await editor.field(name).locator('input').fill(text);
	await page.getByRole('button', { name: 'Connect to Dossier' }).click();
	await page.getByTestId('credential-edit-dialog').waitFor();
	await editor.choose('environment', 'Sandbox');
	await fill('sandboxUrl', sandbox.baseUrl);
	await fill('organizationId', sandbox.organization.id);
	await fill('apiKey', 'sk_test_wrong');
	await stage.say('The credential: an address, a key, an organization. First with a wrong key');
	await page.getByTestId('credential-save-button').click();
	await page.getByText('More details').click();
	await stage.say('The test says what is wrong');
	await fill('apiKey', sandbox.organization.testKey);
	const save = page.getByTestId('credential-save-button');
	await until('connection', async () => {
		// It can go between two looks at it
		if ((await save.count()) > 0) await save.click({ timeout: 1_000 }).catch(() => undefined);
		return (await save.count()) === 0;
	});
	await editor.execute();
	await stage.say('With the right key, it connects');
}

async function pasteWorkflow(stage: Stage): Promise<void> {
	const { page, editor, root } = stage;
	const [, text = ''] =
		/```json\n([^]*?)```/.exec(await readFile(join(root, 'README.md'), 'utf8')) ?? [];
	const canvas = page.getByTestId('canvas-wrapper');
	await stage.load(async () => {
		await page.goto('/workflow/new');
		await canvas.waitFor();
	});
	await stage.say('The workflow of the README is pasted onto the canvas');
	await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
	await canvas.click({ position: { x: 200, y: 200 } });
	await page.keyboard.press('Control+V');
	const { name } = await findCredential(stage);
	for (const node of ['Upload a Note', 'Read It Back']) {
		await editor.openNode(node);
		await page.getByTestId('node-credentials-select').click();
		await page.getByRole('option').filter({ hasText: name, visible: true }).click();
		await page.getByTestId('ndv-close-button').click();
	}
	await page.keyboard.press('1');
	await execute(stage);
	await editor.openNode('Read It Back');
	await stage.say('A first document, uploaded and read back. Run again, it uploads nothing twice');
}

async function importFolder(stage: Stage): Promise<void> {
	const { page, editor, sandbox } = stage;
	await showCanvas(stage, await readIntake(stage, await findCredential(stage)));
	await stage.say('A whole folder: one dossier for each sub-folder, and each file compared');
	await execute(stage);
	await stage.look();
	await editor.openNode('Compare');
	await stage.say('Every file came back with the same SHA-256');
	const { url, organization } = sandbox;
	const records = `${url}/_sandbox/records/${organization.id}/test/dossiers`;
	await stage.load(async () => void (await page.goto(records)));
	await stage.say('The same dossiers in the service');
}

async function showForm(stage: Stage): Promise<void> {
	const { editor } = stage;
	const parameters = { resource: 'document', operation: 'upload' };
	const step = dossierStep('Upload', await findCredential(stage), parameters);
	await showCanvas(stage, buildWorkflow('Form', [START, readFiles('/'), step]));
	await editor.openNode('Upload');
	await editor.search('dossierId', 'chlo', '2026-003');
	await stage.say('Dossiers are searched in a list, or named by reference or ID');
	await editor.page.getByTestId('rlc-item').first().click();
	await editor.field('ifExists').click();
	await stage.say('You choose what happens to a file that is already there');
	await editor.page.keyboard.press('Escape');
}

async function receiveEvent(stage: Stage): Promise<void> {
	const { page, root, service, host } = stage;
	const path = join(root, 'examples/document-received.json');
	const id = await showCanvas(stage, await readWorkflow(path, await findCredential(stage)));
	await stage.say('A workflow that starts when a document arrives');
	await page.getByRole('button', { name: 'Publish' }).first().click();
	await page.getByTestId('workflow-publish-button').click();
	type List = { data: Array<{ id: string }> };
	await until('registration', async () => {
		const { data } = await service.get<List>('/webhooks');
		return data.data.length > 0;
	});
	const { data } = await service.get<List>('/dossiers', { params: { reference: '2026-004' } });
	await service.post(`/dossiers/${data.data[0]?.id}/documents`, {
		file_name: 'Waybill.txt',
		mime_type: 'text/plain',
		category: 'other',
		content_base64: Buffer.from('Łódź – Gdynia, 12 pallets').toString('base64'),
	});
	await stage.load(async () => {
		await page.goto(`${host.url}/workflow/${id}/executions`);
		await page.getByText('Succeeded').first().waitFor();
	});
	await stage.say('Published, it checks the signature of each event and fetches the file');
}

async function meetLimit(stage: Stage): Promise<void> {
	const { sandbox, editor } = stage;
	await sandbox.control.faults.add({
		operation: 'documents.download',
		status: 429,
		retry_after: 5,
		times: 1,
	});
	await showCanvas(stage, await readIntake(stage, await findCredential(stage)));
	await stage.say('The same import again, while the service refuses a request: too many');
	await execute(stage);
	await editor.openNode('Read It Back');
	await stage.say('The node waited as long as the service asked for, and went on');
}

async function showError(stage: Stage): Promise<void> {
	const { editor } = stage;
	const dossierId = { __rl: true, mode: 'reference', value: 'NO-SUCH' };
	const parameters = { resource: 'dossier', operation: 'get', dossierId };
	const credential = await findCredential(stage);
	const step = dossierStep('Get', credential, parameters, 'continueRegularOutput');
	await showCanvas(stage, buildWorkflow('Error', [START, step]));
	await editor.openNode('Get');
	await editor.page.getByTestId('node-execute-button').click();
	await editor.output.getByText('NO-SUCH').first().waitFor();
	await stage.say('An error has a code, says what happened and what to do; other items go on');
}

async function showTools(stage: Stage): Promise<void> {
	const path = join(stage.root, 'examples/mcp-server.json');
	await showCanvas(stage, await readWorkflow(path, await findCredential(stage)));
	await stage.say('Every operation is a tool, for agents in n8n and for MCP clients');
}
