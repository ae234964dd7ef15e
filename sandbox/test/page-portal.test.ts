import type { SeededOrganization } from '../src/index.ts';
import { connect } from './clients.ts';
import { findUnescaped, hostile, usePages } from './page.ts';

const { anyone, browser, control, sandbox } = usePages();

let organization: SeededOrganization;
beforeEach(async () => {
	const body = { plan: 'business', name: 'Lindt & Sons' };
	organization = (await control.client.post('/organizations', body)).data;
});

const invite = async (fields: object) => {
	const body = { email: 'jana@customer.example', dossier_ids: [], ...fields };
	const { data } = await connect(sandbox(), organization).post('/portal/invite', body);
	return String(data.invite_url);
};

test('the page behind an invitation says who invites whom, and signs in', async () => {
	const url = await invite({ first_name: 'Jana', last_name: 'Vogt' });
	const page = await browser.get(url);
	expect(page.status).toBe(200);
	expect(page.data).toContain('Lindt &amp; Sons invites you to its portal.');
	expect(page.data).toContain('You sign in as <bdi>Jana Vogt</bdi>.');
	expect(page.headers['content-security-policy']).toContain("default-src 'none'");
	const done = await browser.post(url);
	expect(done.data).toContain('You are signed in as <bdi>Jana Vogt</bdi>.');
});

test('the page behind a QR code for nobody in particular names only the organization', async () => {
	const body = { dossier_ids: [] };
	const { data } = await connect(sandbox(), organization).post('/portal/invite/qr', body);
	const page = await browser.get(String(data.invite_url));
	expect(page.data).toContain('<p>Lindt &amp; Sons invites you to its portal.</p>');
});

test('the page behind a sign-in link names the person and the organization', async () => {
	await browser.post(await invite({}));
	await anyone.post('/portal/auth/magic-link', { email: 'jana@customer.example' });
	const { data } = await control.client.get('/outbox');
	const { data: page } = await browser.get(data.data[0].link);
	expect(page).toContain('Portal of <bdi>Lindt &amp; Sons</bdi>');
	expect(page).toContain(
		'This link signs you in. You sign in as <bdi>jana@customer.example</bdi>.',
	);
});

test('a link that is used, expired or unknown says so before anything is pressed', async () => {
	const used = await invite({});
	await browser.post(used);
	const expired = await invite({ email: 'tom@customer.example' });
	await sandbox().clock.move(15 * 24 * 60 * 60 * 1000);
	for (const [url, sentence] of [
		[used, 'This link is no longer valid. Ask for a new one.'],
		[expired, 'This link has expired. Ask for a new one.'],
		[`${sandbox().url}/_sandbox/portal/invite/unknown`, 'This link is no longer valid.'],
	] as const) {
		const { status, data } = await browser.get(url);
		expect([url, status]).toEqual([url, 401]);
		expect(data).toContain(sentence);
		expect(data).not.toContain('<button');
	}
});

test('a hostile name stays text', async () => {
	const { data } = await browser.get(await invite({ first_name: hostile.element }));
	expect(data).toContain('You sign in as <bdi>&lt;img');
	expect(findUnescaped(data)).toEqual([]);
});
