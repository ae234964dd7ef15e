import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, openWindow } from '../editor/browser.mts';
import { startScreencast } from '../editor/screencast.mts';
import { buildWorkflow, dossierStep, START, triggerStep } from '../host/steps.mts';
import type { Step } from '../host/steps.mts';
import { importWorkflow } from '../host/rest.mts';
import type { CredentialReference } from '../host/rest.mts';
import { until } from '../process/until.mts';
import { encodeGif } from './animation.mts';
import { readIntake, shorten, storeCredential } from './studio.mts';
import type { Studio } from './studio.mts';

/** Small enough that it is legible in the column of a README. */
const CANVAS = { width: 1120, height: 600 };
const FORM = { width: 1400, height: 1000 };
/** Up to the last requests; the keys below them are of no use to a reader. */
const OVERVIEW = { width: 1100, height: 1450 };
const OUTBOX = { width: 1100, height: 1060 };
/** How long the service takes for each file, so that one can see it, in milliseconds. */
const SLOW_MS = 350;
/** How long a reader looks at one thing, in milliseconds. */
const LOOK_MS = 1_500;

/** Makes every picture of the README and the documents. */
export async function takePictures(studio: Studio, folder: string): Promise<void> {
	const credential = await storeCredential(studio);
	await takeCanvas(studio, credential, join(folder, 'canvas.gif'));
	await takeDownload(studio, credential, join(folder, 'editor-download.png'));
	await takeTrigger(studio, credential, join(folder, 'editor-trigger.png'));
	await takeSandbox(studio, folder);
}

/** The intake at work on the canvas, and then one of the files as it came back. */
async function takeCanvas(
	studio: Studio,
	credential: CredentialReference,
	path: string,
): Promise<void> {
	const { editor, host, sandbox } = studio;
	const { page } = editor;
	for (const operation of ['documents.upload', 'documents.download']) {
		await sandbox.control.faults.add({ operation, delay_ms: SLOW_MS });
	}
	await page.setViewportSize(CANVAS);
	const intake = shorten(await readIntake(studio, credential));
	await editor.openWorkflow((await importWorkflow(host.session, intake)).id);
	// Fits the view to the workflow
	await page.keyboard.press('1');
	await page.waitForTimeout(LOOK_MS);
	const screencast = await startScreencast(page);
	await page.waitForTimeout(LOOK_MS / 2);
	await page.getByTestId('execute-workflow-button').click();
	const done = page.getByText('Workflow executed successfully').first();
	await done.waitFor();
	await page.waitForTimeout(LOOK_MS);
	await page.locator('.el-notification__closeBtn').first().click();
	await done.waitFor({ state: 'hidden' });
	await editor.openNode('Read It Back');
	const scan = editor.output.locator('[data-test-id=ndv-binary-data_0]');
	await scan.first().waitFor();
	await page.waitForTimeout(LOOK_MS);
	await writeFile(path, encodeGif(await screencast.end()));
	await sandbox.control.faults.clear();
}

async function openStep(studio: Studio, name: string, steps: Step[]): Promise<void> {
	const { editor, host } = studio;
	await editor.page.setViewportSize(FORM);
	const { id } = await importWorkflow(host.session, buildWorkflow(name, steps));
	await editor.openWorkflow(id);
	await editor.openNode(steps.at(-1)?.name ?? '');
}

/** The form of a download, with the file beside it. */
async function takeDownload(
	studio: Studio,
	credential: CredentialReference,
	path: string,
): Promise<void> {
	const { editor } = studio;
	const parameters = { resource: 'document', operation: 'download' };
	await openStep(studio, 'Download', [START, dossierStep('Dossier', credential, parameters)]);
	await editor.pick('dossierOfList', '', 'Chloé Dubois');
	await editor.pick('documentId', 'pass', 'Passport scan.jpg');
	await editor.execute();
	await editor.output.getByTestId('radio-button-binary').click();
	await editor.output.getByTestId('ndv-view-binary-data').click();
	await editor.page.waitForFunction(
		"document.querySelector('[data-test-id=output-panel] img[src*=binary-data]')?.naturalWidth > 0",
	);
	await take(editor.page, path);
}

/** The trigger with a test event and its file. */
async function takeTrigger(
	studio: Studio,
	credential: CredentialReference,
	path: string,
): Promise<void> {
	const { editor, service } = studio;
	await openStep(studio, 'Trigger', [triggerStep(credential, { download: true })]);
	await editor.page.getByTestId('trigger-execute-button').click();
	await until('registration', async () => {
		const { data } = await service.get<{ data: unknown[] }>('/webhooks');
		return data.data.length > 0;
	});
	await service.post(`/dossiers/${await findDossier(studio, '2026-004')}/documents`, {
		file_name: 'Waybill.txt',
		mime_type: 'text/plain',
		category: 'other',
		content_base64: Buffer.from('Łódź – Gdynia, 12 pallets').toString('base64'),
	});
	await editor.output.getByTestId('node-run-status-success').waitFor();
	await editor.output.getByTestId('radio-button-binary').click();
	await editor.output.getByText('Waybill.txt').waitFor();
	await take(editor.page, path);
}

async function findDossier({ service }: Studio, reference: string): Promise<string> {
	type List = { data: Array<{ id: string }> };
	const { data } = await service.get<List>('/dossiers', { params: { reference } });
	return data.data[0]?.id ?? '';
}

/** The pages of the sandbox: the overview, and the outbox in dark mode. */
async function takeSandbox(studio: Studio, folder: string): Promise<void> {
	const { sandbox, service } = studio;
	const dossier_ids = [await findDossier(studio, '2026-001')];
	const phone = '+4915112345678';
	const invitation = { first_name: 'Jana', last_name: 'Vogt', phone, dossier_ids };
	await service.post('/portal/invite/qr', invitation);
	await service.post('/portal/auth/sms-otp', { phone }, { baseURL: `${sandbox.url}/api/v1` });
	const browser = await launchBrowser();
	try {
		const shots = [
			['light', '/', OVERVIEW],
			['dark', '/outbox', OUTBOX],
		] as const;
		for (const [colorScheme, path, viewport] of shots) {
			const page = await openWindow(browser, sandbox.url, { viewport, colorScheme });
			await page.goto(`${sandbox.url}/_sandbox${path}`);
			await take(page, join(folder, `sandbox-${colorScheme}.png`));
		}
	} finally {
		await browser.close();
	}
}

/** A screenshot without what only belongs to the moment. */
async function take(page: Page, path: string): Promise<void> {
	await page.mouse.move(0, 0);
	await page.screenshot({ path, animations: 'disabled' });
}
