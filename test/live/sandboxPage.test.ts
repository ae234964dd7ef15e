/** The sandbox's pages in a real browser: what a person does with the keyboard, on a phone, in the dark, and without scripts. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { createSandbox } from '../../sandbox/src/index.ts';
import type { Sandbox } from '../../sandbox/src/index.ts';
import { focused, openBrowser, tabTo } from './browser.ts';

const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

let browser: Awaited<ReturnType<typeof openBrowser>>;
let sandbox: Sandbox;
let receiver: Server;
let status = 204;
let dossier = '';
let inviteUrl = '';

beforeAll(async () => {
	sandbox = await createSandbox();
	browser = await openBrowser(sandbox);
	receiver = createServer((incoming, outgoing) => {
		incoming.resume().on('end', () => outgoing.writeHead(status).end());
	});
	await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
	const address = receiver.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	await service('/webhooks', { url: `http://127.0.0.1:${port}/hook`, events: ['dossier.created'] });
	dossier = (await service('/dossiers', { title: hostile, reference: 'x'.repeat(100) })).id;
	await service(`/dossiers/${dossier}/documents`, {
		file_name: `${'long'.repeat(40)}.txt`,
		title: hostile,
		mime_type: 'text/plain',
		category: 'other',
		content_base64: 'YQ==',
	});
	await service('/portal/invite', { email: 'jana.vogt@customer.example', dossier_ids: [dossier] });
	inviteUrl = (await service('/portal/invite/qr', { dossier_ids: [dossier] })).invite_url;
	await service('/tasks', { title: hostile });
});
afterAll(async () => {
	await browser.close();
	await sandbox.close();
	receiver.close();
});

/** Has the service do something as a program would. */
async function service(path: string, body: object): Promise<{ id: string; invite_url: string }> {
	const [organization] = sandbox.organizations;
	const answer = await fetch(`${sandbox.url}/v1${path}`, {
		method: 'POST',
		headers: {
			Authorization: `Bearer ${organization?.liveKey}`,
			'X-Organization-ID': organization?.id ?? '',
			'Content-Type': 'application/json',
		},
		body: JSON.stringify(body),
	});
	const json: { id: string; invite_url: string } = JSON.parse(await answer.text());
	if (answer.ok) return json;
	throw new Error(`${path} was refused: ${JSON.stringify(json)}`);
}

const records = () => `/records/${sandbox.organizations[0]?.id}/live`;
const everyPage = () => [
	'/',
	`${records()}/dossiers`,
	`${records()}/dossiers/${dossier}`,
	`${records()}/portal-users`,
	`${records()}/tasks`,
	`${records()}/audit-log`,
	'/requests',
	'/webhooks',
	'/outbox',
	'/controls',
	'/faults',
	'/reference',
];

async function signIn(page: Page): Promise<void> {
	const [organization] = sandbox.organizations;
	await page.getByText('Sign in to see all of it').click();
	await page.getByLabel('Customer token').fill(organization?.customerToken ?? '');
	await page.getByLabel('Tenant ID').fill(organization?.tenantId ?? '');
	await page.getByLabel('Business unit ID').fill(organization?.businessUnitId ?? '');
	await page.getByRole('button', { name: 'Sign in' }).click();
	await page.getByText('This is the full reference.', { exact: true }).waitFor();
}

test('the tabulator leads through a page, always seen, and first past the navigation', async () => {
	const page = await browser.open('/');
	await page.keyboard.press('Tab');
	expect(await focused(page)).toMatchObject({
		name: 'Skip to the content',
		seen: true,
		onScreen: true,
	});
	await page.keyboard.press('Enter');
	await page.keyboard.press('Tab');
	expect(await focused(page)).toMatchObject({ tag: 'BUTTON', name: 'Copy the base URL' });
	await page.reload();
	const passed: string[] = [];
	for (let there; passed.length < 200; passed.push(there.name)) {
		await page.keyboard.press('Tab');
		there = await focused(page);
		if (!there) break;
		expect(there).toMatchObject({ seen: true, onScreen: true });
	}
	expect(passed.slice(0, 4)).toEqual([
		'Skip to the content',
		'Dossier sandbox',
		'Overview',
		'Records',
	]);
	expect(passed).toEqual(expect.arrayContaining(['Copy the live key', 'Pause', 'All requests']));
	await page.context().close();
});

test('a key is copied with the keyboard', async () => {
	const page = await browser.open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
	await tabTo(page, /^Copy the live key$/);
	await page.keyboard.press('Enter');
	await page.getByText('Copied.', { exact: true }).waitFor({ state: 'attached' });
	expect(await page.evaluate('inPage.copied()')).toBe(sandbox.organizations[0]?.liveKey);
	await page.context().close();
});

test('an event that failed is sent again with the keyboard, and the page shows what came of it', async () => {
	status = 500;
	await service('/dossiers', { title: 'Lease' });
	const page = await browser.open('/webhooks?state=pending');
	await page.getByText('1 attempt: answered 500').waitFor();
	status = 204;
	await tabTo(page, /^Redeliver dossier\.created/);
	await page.keyboard.press('Enter');
	await page.waitForURL(/done=redelivered/);
	expect(await page.title()).toMatch(/^The event was sent again/);
	await page.goto(`/_sandbox/webhooks?state=delivered`);
	await page.getByText('2 attempts: answered 204').first().waitFor();
	await page.context().close();
});

test('the clock is moved by a form, and the page tells', async () => {
	const before = sandbox.clock.now();
	const page = await browser.open('/controls');
	await page.getByLabel('Hours').focus();
	await page.keyboard.type('3');
	await page.keyboard.press('Enter');
	await page.getByRole('status').getByText('The clock was moved.').waitFor();
	expect(sandbox.clock.now() - before).toBeGreaterThanOrEqual(3 * 60 * 60 * 1000);
	await page.getByRole('button', { name: "Back to this machine's time" }).click();
	await page.getByText('The service has').waitFor();
	expect(sandbox.clock.offset).toBe(0);
	await page.context().close();
});

test('the QR code of an invitation is drawn, and a camera reads it', async () => {
	const page = await browser.open('/outbox', { colorScheme: 'dark' });
	const { data, width, height } = PNG.sync.read(
		await page.getByRole('img', { name: /^QR code/ }).screenshot(),
	);
	expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(inviteUrl);
	await page.context().close();
});

test('a request appears while the list is looked at, and leaves what is open and has the keyboard as it is', async () => {
	const page = await browser.open('/requests');
	const known = page.locator('#requests details').last();
	await known.locator('summary').focus();
	await page.keyboard.press('Enter');
	const before = await focused(page);
	await service('/tasks', { title: 'Look into it' });
	await page.locator('#requests summary').first().getByText('/v1/tasks').waitFor();
	expect(await known.getAttribute('open')).not.toBeNull();
	expect((await focused(page))?.name).toBe(before?.name);
	await page.getByRole('button', { name: 'Pause' }).click();
	expect(await page.getByRole('button', { name: 'Pause' }).getAttribute('aria-pressed')).toBe(
		'true',
	);
	await page.context().close();
});

test.each(['light', 'dark'] as const)(
	'no page has to be scrolled sideways on a phone of 320 pixels (%s)',
	async (colorScheme) => {
		const page = await browser.open('/reference', {
			viewport: { width: 320, height: 640 },
			colorScheme,
		});
		await signIn(page);
		for (const path of everyPage()) {
			await page.goto(`/_sandbox${path}`);
			expect([path, await page.evaluate('inPage.width()')]).toEqual([path, 320]);
		}
		await page.context().close();
	},
);

test.each(['light', 'dark'] as const)(
	'every text stands out from its ground (%s)',
	async (colorScheme) => {
		const page = await browser.open('/', { colorScheme });
		for (const path of everyPage()) {
			await page.goto(`/_sandbox${path}`);
			expect([path, await page.evaluate('inPage.faintTexts()')]).toEqual([path, []]);
		}
		await page.context().close();
	},
);

test('hostile titles run nowhere', async () => {
	const page = await browser.open('/');
	for (const path of everyPage()) {
		await page.goto(`/_sandbox${path}`);
		expect([path, await page.locator('img[src="x"]').count()]).toEqual([path, 0]);
		expect(await page.title()).toContain('Dossier sandbox');
	}
	await page.context().close();
});

test('without scripts, a person still uploads a document', async () => {
	const page = await browser.open(`${records()}/dossiers/${dossier}`, { javaScriptEnabled: false });
	expect(await page.locator('button.copy:visible').count()).toBe(0);
	await page.getByLabel('Category').selectOption('contract');
	const file = { name: 'lease ü.txt', mimeType: 'text/plain', buffer: Buffer.from('a lease') };
	await page.getByLabel('File', { exact: true }).setInputFiles(file);
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByText('The document was uploaded.').waitFor();
	await page.getByRole('link', { name: 'lease ü.txt' }).waitFor();
	await page.context().close();
});

test('nothing was asked of another host, and no browser complained', () => {
	expect([...browser.hosts]).toEqual([new URL(sandbox.url).host]);
	expect(browser.complaints).toEqual([]);
});
