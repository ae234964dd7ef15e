/** The pages of the sandbox in a real browser: with the keyboard, on a phone, in dark mode, and without scripts. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { createSandbox } from '../../sandbox/src/index.mts';
import type { Sandbox } from '../../sandbox/src/index.mts';
import { focused, openBrowser, tabTo } from './browser.mts';

const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

let browser: Awaited<ReturnType<typeof openBrowser>>;
let sandbox: Sandbox;
let dossier = '';
let document = '';
let inviteUrl = '';

beforeAll(async () => {
	sandbox = await createSandbox();
	browser = await openBrowser(sandbox);
	const url = `${sandbox.url}/_sandbox/api/receiver`;
	await post('/webhooks', { url, events: ['dossier.created'] });
	dossier = (await post('/dossiers', { title: hostile, reference: 'x'.repeat(100) })).id;
	document = (
		await post(`/dossiers/${dossier}/documents`, {
			file_name: `${'long'.repeat(40)}.txt`,
			title: hostile,
			mime_type: 'text/plain',
			category: 'other',
			content_base64: 'YQ==',
		})
	).id;
	await post('/portal/invite', { email: 'jana.vogt@customer.example', dossier_ids: [dossier] });
	inviteUrl = (await post('/portal/invite/qr', { dossier_ids: [dossier] })).invite_url;
	await post('/tasks', { title: hostile });
});
afterAll(async () => {
	await browser.close();
	await sandbox.close();
});

/** Sends a request to the service as a program would. Throws an error if the service refuses it. */
async function post(path: string, body: object): Promise<{ id: string; invite_url: string }> {
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

/** The path of the pages with the live records. */
const recordsPath = () => `/records/${sandbox.organizations[0]?.id}/live`;
const listPages = () => [
	'/',
	`${recordsPath()}/dossiers`,
	`${recordsPath()}/dossiers/${dossier}`,
	`${recordsPath()}/documents/${document}`,
	`${recordsPath()}/portal-users`,
	`${recordsPath()}/tasks`,
	`${recordsPath()}/audit-log`,
	'/requests',
	'/webhooks',
	'/outbox',
	'/controls',
	'/faults',
];

test('Tab goes through a page with a visible focus, and can skip the navigation', async () => {
	const page = await browser.open('/');
	await page.keyboard.press('Tab');
	expect(await focused(page)).toMatchObject({
		name: 'Skip to the content',
		seen: true,
		onScreen: true,
	});
	await page.keyboard.press('Enter');
	await page.keyboard.press('Tab');
	expect(await focused(page)).toMatchObject({
		tag: 'BUTTON',
		name: 'Copy the sandbox URL for n8n',
	});
	await page.reload();
	const passed: string[] = [];
	while (passed.length < 200) {
		await page.keyboard.press('Tab');
		const element = await focused(page);
		if (!element) break;
		expect(element).toMatchObject({ seen: true, onScreen: true });
		passed.push(element.name);
	}
	expect(passed.slice(0, 4)).toEqual([
		'Skip to the content',
		'Dossier sandbox',
		'profile default',
		'no limits',
	]);
	expect(passed).toEqual(
		expect.arrayContaining(['Overview', 'Copy the live key', 'Pause', 'All requests']),
	);
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

test('a camera reads the QR code of an invitation in dark mode', async () => {
	const page = await browser.open('/outbox', { colorScheme: 'dark' });
	const { data, width, height } = PNG.sync.read(
		await page.getByRole('img', { name: /^QR code/ }).screenshot(),
	);
	expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(inviteUrl);
	await page.context().close();
});

test('a new request appears on the open page, and open details and the focus stay', async () => {
	const page = await browser.open('/requests');
	const known = page.locator('#requests details').last();
	await known.locator('summary').focus();
	await page.keyboard.press('Enter');
	const before = await focused(page);
	await post('/tasks', { title: 'Look into it' });
	await page.locator('#requests summary').first().getByText('/v1/tasks').waitFor();
	expect(await known.getAttribute('open')).not.toBeNull();
	expect((await focused(page))?.name).toBe(before?.name);
	await page.getByRole('button', { name: 'Pause' }).click();
	await page.getByRole('button', { name: 'Pause', pressed: true }).waitFor();
	await page.context().close();
});

test.each(['light', 'dark'] as const)(
	'no page scrolls sideways on a phone of 320 pixels (%s)',
	async (colorScheme) => {
		const page = await browser.open('/', { viewport: { width: 320, height: 640 }, colorScheme });
		for (const path of listPages()) {
			await page.goto(`/_sandbox${path}`);
			expect([path, await page.evaluate('inPage.width()')]).toEqual([path, 320]);
		}
		await page.context().close();
	},
);

test('on a phone, every section of the navigation is on the screen', async () => {
	const page = await browser.open('/faults', { viewport: { width: 390, height: 844 } });
	const links = await page
		.getByRole('navigation', { name: 'Control room' })
		.getByRole('link')
		.all();
	expect(links.length).toBe(7);
	for (const link of links) {
		const { x, width } = (await link.boundingBox()) ?? { x: -1, width: 0 };
		expect(x).toBeGreaterThanOrEqual(0);
		expect(x + width).toBeLessThanOrEqual(390);
	}
	await page.context().close();
});

test.each([390, 1024, 1440])('an ID stays on one line at %i pixels', async (width) => {
	const page = await browser.open(`${recordsPath()}/tasks`, { viewport: { width, height: 844 } });
	const id = page.locator('tbody code').first();
	expect((await id.boundingBox())?.height).toBeLessThan(28);
	await page.context().close();
});

test('the portal page is dark on a dark phone, and says who invites', async () => {
	const { pathname } = new URL(inviteUrl);
	const page = await browser.open(pathname.replace('/_sandbox', ''), {
		viewport: { width: 320, height: 640 },
		colorScheme: 'dark',
	});
	await page.getByText('Enterprise Organization invites you to its portal.').waitFor();
	expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
		'rgb(21, 24, 26)',
	);
	expect(await page.evaluate('inPage.faintTexts()')).toEqual([]);
	expect(await page.evaluate('inPage.width()')).toBe(320);
	await page.context().close();
});

test('on a phone, a client follows the link in a mail, opens the dossier and sends a file', async () => {
	const shared = (await post('/dossiers', { title: 'Lease of the office' })).id;
	await post('/portal/invite', { email: 'tom@customer.example', dossier_ids: [shared] });
	const page = await browser.open('/outbox?to=tom%40customer.example', {
		viewport: { width: 390, height: 844 },
		colorScheme: 'dark',
	});
	await page.getByRole('link', { name: 'Open' }).click();
	await tabTo(page, /^Sign in$/);
	await page.keyboard.press('Enter');
	await page.getByRole('link', { name: 'Lease of the office' }).click();
	const file = { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
	await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
	await page.getByRole('button', { name: 'Send the file' }).click();
	await page.getByText('Thank you. Your file has arrived.').waitFor();
	await page.getByText('scan.pdf').waitFor();
	expect(await page.evaluate('inPage.faintTexts()')).toEqual([]);
	expect(await page.evaluate('inPage.width()')).toBe(390);
	await page.context().close();
});

test.each(['light', 'dark'] as const)(
	'every text has enough contrast (%s)',
	async (colorScheme) => {
		const page = await browser.open('/', { colorScheme });
		for (const path of listPages()) {
			await page.goto(`/_sandbox${path}`);
			expect([path, await page.evaluate('inPage.faintTexts()')]).toEqual([path, []]);
		}
		await page.context().close();
	},
);

test('a person can upload a document without scripts', async () => {
	const page = await browser.open(`${recordsPath()}/dossiers/${dossier}`, {
		javaScriptEnabled: false,
	});
	expect(await page.locator('button.copy:visible').count()).toBe(0);
	await page.getByLabel('Category').selectOption('contract');
	const file = { name: 'lease ü.txt', mimeType: 'text/plain', buffer: Buffer.from('a lease') };
	await page.getByLabel('File', { exact: true }).setInputFiles(file);
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByText('The document was uploaded.').waitFor();
	await page.getByRole('link', { name: 'lease ü.txt' }).waitFor();
	await page.context().close();
});

test('no page loads anything from another host, or makes the browser report an error', () => {
	expect([...browser.hosts]).toEqual([new URL(sandbox.url).host]);
	expect(browser.complaints).toEqual([]);
});
