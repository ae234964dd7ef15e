/** The node in n8n's editor, in a real browser: found, connected, filled in, run, and read. */
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { CredentialReference } from '../../scripts/host/rest.mts';
import { eventually } from './browser.mts';
import { openEditor } from '../../scripts/editor/editor.mts';
import { addDocument, dossierWith } from './examples/records.mts';
import type { Editor } from '../../scripts/editor/editor.mts';
import { OPENING_MS, openLive, root } from './live.mts';
import type { Live } from './live.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from './triggers.mts';
import { buildWorkflow, dossierStep, readFiles, START } from '../../scripts/host/steps.mts';
import type { Step } from '../../scripts/host/steps.mts';

const SCAN = join(root, 'examples/files/2026-003 Chloé Dubois/Passport scan.jpg');

let live: Live;
let editor: Editor;
let credential: CredentialReference;
beforeAll(async () => {
	live = await openLive();
	editor = await openEditor(live.host);
	credential = await live.credential();
	for (const [reference, title] of Object.entries(CASES)) {
		await live.service.post('/dossiers', { reference, title });
	}
}, OPENING_MS);
afterAll(async () => {
	await editor?.close();
	await live?.close();
});

const CASES = {
	'2026-001': 'Müller GmbH',
	'2026-002': 'Yamada Taro',
	'2026-003': 'Chloé Dubois',
	'2026-004': 'Łódź Logistics',
};

const step = (parameters: INodeParameters): Step =>
	dossierStep('Dossier', credential, parameters, 'continueRegularOutput');

/** Waits until the form has exactly these labels. */
const waitForLabels = async (labels: string[]) =>
	await eventually(async () => expect(await editor.labels()).toEqual(labels));

/** Opens a workflow in the editor, and the form of its last step. */
async function openLast(name: string, steps: Step[]): Promise<void> {
	const { id } = await importWorkflow(live.session, buildWorkflow(name, steps));
	await editor.openWorkflow(id);
	await editor.openNode(steps.at(-1)?.name ?? '');
}

describe('The panel of nodes', () => {
	beforeAll(async () => {
		const { id } = await importWorkflow(live.session, buildWorkflow('Panel', [START]));
		await editor.openWorkflow(id);
		await editor.page.getByTestId('node-creator-plus-button').click();
	});

	it('adds an operation by its name', async () => {
		const { page } = editor;
		await page.getByTestId('node-creator-search-bar').fill('dossier');
		const found = page.getByTestId('node-creator-item-name');
		await found.getByText('Dossier', { exact: true }).click();
		await found.getByText('Upload document', { exact: true }).click();
		await editor.form.waitFor();
		await waitForLabels([
			'Resource',
			'Operation',
			'Dossier',
			'Files',
			'Input Binary Field',
			'Category',
			'If Document Exists',
			'Dry Run',
			'Options',
		]);
	});
});

describe('The credential', () => {
	beforeAll(async () => {
		const unconnected = { ...step({ resource: 'dossier', operation: 'getAll' }), credentials: {} };
		await openLast('Credential', [START, unconnected]);
		const { page } = editor;
		await page.getByTestId('node-credentials-select').click();
		await page.getByTestId('node-credentials-select-item-new').click();
		await page.getByTestId('credential-edit-dialog').waitFor();
	});

	async function fill(name: string, text: string): Promise<void> {
		await editor.field(name).locator('input').fill(text);
	}

	it('warns of a live key for the sandbox before anything is sent', async () => {
		await editor.choose('environment', 'Sandbox');
		await fill('sandboxUrl', `${live.sandbox.url}/v1`);
		await fill('organizationId', live.organization.id);
		const warning = editor.page.getByText('A live key (sk_live_) does not belong in the sandbox.');
		expect(await warning.isVisible()).toBe(false);
		await fill('apiKey', live.organization.liveKey);
		await warning.waitFor();
	});

	it('says what is wrong with a key', async () => {
		const { page } = editor;
		await fill('apiKey', 'sk_test_wrong');
		await page.getByText('A live key (sk_live_) does not').waitFor({ state: 'hidden' });
		await page.getByTestId('credential-save-button').click();
		await page.getByText('More details').click();
		await page.getByText('Check the API key in the credential').waitFor();
	});

	it('connects with the right key', async () => {
		const { page } = editor;
		await fill('apiKey', live.organization.testKey);
		// The form takes over what is typed a moment later
		const save = page.getByTestId('credential-save-button');
		await until('connection', async () => {
			// It can go between two looks at it
			if ((await save.count()) > 0) await save.click({ timeout: 1_000 }).catch(() => undefined);
			return (await save.count()) === 0;
		});
		await editor.execute();
		await editor.output.getByText('2026-003').first().waitFor();
	});

	it('shows four fields, and the others one by one as they are asked for', async () => {
		const { page } = editor;
		await page.getByTestId('credential-edit-button').click();
		await page.getByText('Connection tested successfully').waitFor();
		await editor.field('moreSettings').waitFor();
		const limit = editor.field('rateLimit');
		const signature = editor.field('signatureScheme');
		expect(await limit.isVisible()).toBe(false);
		await editor.field('moreSettings').click();
		await limit.waitFor();
		expect(await signature.isVisible()).toBe(false);
		await editor.field('contractOverrides').click();
		await signature.waitFor();
		await page.keyboard.press('Escape');
	});
});

describe('An upload', () => {
	beforeAll(async () => {
		await openLast('Upload', [
			START,
			readFiles(SCAN),
			step({ resource: 'document', operation: 'upload' }),
		]);
	});

	it('goes to the dossier that was searched and picked from the list', async () => {
		expect(await editor.search('dossierId', 'chlo', '2026-003')).toEqual([
			'2026-003 – Chloé Dubois',
		]);
		await editor.page.getByTestId('rlc-item').click();
		await editor.choose('category', 'Identity Document');
		await editor.execute();
		await editor.output.getByText('Passport scan.jpg').first().waitFor();
		// The file is handed on, so n8n shows it first
		await editor.output.getByText('Table', { exact: true }).click();
		await editor.output.getByText('identity_document').first().waitFor();
	});

	it('asks for the name of a category only if it is your own', async () => {
		expect(await editor.labels()).not.toContain('Category Name');
		await editor.choose('category', 'Your Own…');
		await eventually(async () => expect(await editor.labels()).toContain('Category Name'));
	});

	it('asks for an address instead of a field if the file is on the web', async () => {
		await editor.choose('filesFrom', 'File at a Web Address');
		await eventually(async () => {
			const labels = await editor.labels();
			expect(labels).toContain('File URL');
			expect(labels).not.toContain('Input Binary Field');
		});
	});
});

describe('A download', () => {
	beforeAll(async () => {
		await openLast('Download', [START, step({ resource: 'document', operation: 'download' })]);
	});

	it('asks for the dossier, whose documents are then listed', async () => {
		await waitForLabels([
			'Resource',
			'Operation',
			'Dossier',
			'Document',
			'Put Output File in Field',
			'Options',
		]);
		await editor.form.getByText('Choose it first').waitFor();
		await editor.pick('dossierOfList', '', 'Chloé Dubois');
		await editor.pick('documentId', 'pass', 'Passport scan.jpg – identity_document');
	});

	it('gives the file, which the editor can show', async () => {
		await editor.execute();
		await editor.output.getByTestId('radio-button-binary').click();
		await editor.output.getByTestId('ndv-view-binary-data').click();
		const image = editor.page.locator('[class*=binary] img, embed, object').first();
		await image.waitFor();
	});

	it('needs no dossier if the document is given by its ID', async () => {
		await editor.page
			.getByTestId('resource-locator-documentId')
			.getByTestId('rlc-mode-selector')
			.click();
		await editor.page.getByTestId('mode-id').last().click();
		await eventually(async () => expect(await editor.labels()).not.toContain('Dossier'));
	});
});

describe('The trigger', () => {
	const trigger = (): Step => ({
		name: 'Dossier Trigger',
		type: 'n8n-nodes-dossier.dossierTrigger',
		typeVersion: 1.1,
		parameters: {},
		credentials: { dossierApi: credential },
		webhookId: 'd1a5f6f6-3f7c-4a1e-8c55-3c1f5a0c7e11',
	});

	beforeAll(async () => {
		await openLast('Trigger', [trigger()]);
	});

	it('explains itself, and shows its address', async () => {
		const { page } = editor;
		await page.getByText('When will this node trigger my flow?').click();
		await page.getByText('cause the event in the service').waitFor();
		await page.getByText('Webhook URLs').click();
		await page.getByText('Production URL').click();
		await page.getByText(`${live.host.url}/webhook/d1a5f6f6`).waitFor();
	});

	it('explains the manual steps if the service has no registration', async () => {
		const steps = editor.form.getByText("Copy the 'Production URL' from 'Webhook URLs' above.");
		expect(await steps.isVisible()).toBe(false);
		await editor.choose('registration', 'Manual');
		await steps.waitFor();
		await editor.choose('registration', 'Automatic');
	});

	it('gets a test event, and leaves no registration behind', async () => {
		const { webhooks, idle } = observeTriggers(live);
		await editor.field('download').click();
		await editor.page.getByTestId('trigger-execute-button').click();
		await until('registration', async () => (await webhooks()).length === 1);
		await addDocument(live, (await dossierWith(live, '2026-004')) ?? '', 'Waybill.txt');
		await idle();
		await editor.output.getByTestId('node-run-status-success').waitFor();
		await editor.output.getByTestId('radio-button-table').click();
		await editor.output.getByText('document.uploaded').first().waitFor();
		await editor.output.getByTestId('radio-button-binary').click();
		await editor.output.getByText('Waybill.txt').waitFor();
		await until('end of the registration', async () => (await webhooks()).length === 0);
	});
});

describe('In the dark theme', () => {
	it('the node has an icon of its own', async () => {
		const { page } = editor;
		await page.emulateMedia({ colorScheme: 'dark' });
		await openLast('Dark', [START, step({ resource: 'dossier', operation: 'upsert' })]);
		await page.locator('img[src$="dossier.dark.svg"]').first().waitFor();
	});
});
