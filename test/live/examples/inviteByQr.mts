import axios from 'axios';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import type { Browser, Page } from 'playwright-core';
import { deactivateWorkflow } from '../../../scripts/host/rest.mts';
import type { StoredWorkflow } from '../../../scripts/host/rest.mts';
import { launchBrowser, openWindow } from '../../../scripts/editor/browser.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import { importExample, publishForm } from './imported.mts';
import { newDossier, listPortalUsers } from './records.mts';

const FRONT_DESK = { username: 'desk', password: 'for-this-test-alone' };

export async function fillIn(page: Page, url: string, reference: string): Promise<void> {
	await page.goto(url);
	await page.getByLabel('Dossier reference').fill(reference);
	await page.getByLabel('First name').fill('Tari');
	await page.getByLabel('Last name').fill('Okafor');
	await page.getByLabel('Email').fill('tari@client.example');
	await page.getByRole('button', { name: 'Make the QR code' }).click();
}

export function inviteByQr(live: () => Live): void {
	let browser: Browser;
	let workflow: StoredWorkflow;
	let form: string;
	let dossier: string;

	beforeAll(async () => {
		browser = await launchBrowser();
		dossier = await newDossier(live(), 'Q-1');
		const credentials = {
			httpBasicAuth: { user: FRONT_DESK.username, password: FRONT_DESK.password },
		};
		workflow = await importExample(live(), 'invite-by-qr.json', { credentials });
		form = await publishForm(live().session, live().host.url, workflow, FRONT_DESK);
	});
	afterAll(async () => {
		await deactivateWorkflow(live().session, workflow);
		await browser.close();
	});

	const openForm = async () => await openWindow(browser, form, { httpCredentials: FRONT_DESK });

	it('refuses a visitor without the password', async () => {
		const { status } = await axios.get(form, { proxy: false, validateStatus: () => true });
		expect(status).toBe(401);
	});

	it('shows a QR code that leads the client into the portal', async () => {
		const page = await openForm();
		await fillIn(page, form, 'Q-1');
		const image = await page.getByRole('img', { name: 'QR code' }).screenshot();
		const { data, width, height } = PNG.sync.read(image);
		const address = jsQR(new Uint8ClampedArray(data), width, height)?.data;
		expect(await listPortalUsers(live(), dossier)).toMatchObject([
			{ email: 'tari@client.example', status: 'invited' },
		]);
		// The page begins a session with a cookie, and leads on.
		const options = { proxy: false, maxRedirects: 0, validateStatus: null } as const;
		expect(await axios.post(String(address), '', options)).toMatchObject({ status: 303 });
		expect(await listPortalUsers(live(), dossier)).toMatchObject([{ status: 'active' }]);
	});

	it('does not invite a person twice, and says why', async () => {
		const page = await openForm();
		await fillIn(page, form, 'Q-1');
		await page.getByText('Nobody was invited').waitFor();
		expect(await page.locator('body').innerText()).toContain(
			'This person has an open invitation or an active access.',
		);
		expect(await listPortalUsers(live(), dossier)).toHaveLength(1);
	});

	it('does not invite to a dossier whose reference only begins like the typed one', async () => {
		const page = await openForm();
		await fillIn(page, form, 'Q-10');
		await page.getByText('No dossier has the reference Q-10.').waitFor();
		await until('end of all executions', async () => {
			const { count } = await observeTriggers(live()).listRuns(workflow, ['success']);
			return count === 3;
		});
	});
}
