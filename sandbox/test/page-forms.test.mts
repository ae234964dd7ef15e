import type { SeededOrganization } from '../src/index.mts';
import { connect, hour, makeForm } from './clients.mts';
import { findUnescaped, hostile, usePages } from './page.mts';

const { anyone, browser, client, control, open, openReceiver, organization, sandbox, submit } =
	usePages();

const records = () => `/records/${organization().id}/live`;

const dossierWith = async (fields: Record<string, unknown>): Promise<string> =>
	(await client.post('/dossiers', fields)).data.id;

test('a person creates a dossier, uploads a document into it, and downloads it again', async () => {
	const created = await submit(`${records()}/dossiers`, `${records()}/dossiers`, {
		title: 'Lease',
		reference: '',
	});
	expect(created.status).toBe(303);
	const path = String(created.headers.location).replace(/^\/_sandbox|\?.*$/g, '');
	const content = Buffer.from('a lease <b>');
	const form = makeForm(content, 'lease ü.html', { category: 'contract', title: '' }, 'text/html');
	const uploaded = await browser.post(`${path}/documents`, form);
	expect([uploaded.status, uploaded.headers.location]).toEqual([
		303,
		`/_sandbox${path}?done=uploaded`,
	]);
	const page = await open(`${path}?done=uploaded`);
	expect(page).toContain('The document was uploaded.');
	const document = await open(/href="\/_sandbox([^"]+\/documents\/[^"]+)"/.exec(page)?.[1] ?? '');
	expect(document).toContain('a lease &lt;b&gt;');
	const address = /href="\/_sandbox([^"]+\/download)"/.exec(document)?.[1] ?? '';
	const file = await browser.get(address);
	expect(file.data).toBe('a lease <b>');
	expect(file.headers['content-disposition']).toMatch(
		/^attachment; .*filename\*=UTF-8''lease%20%C3%BC\.html/,
	);
	expect(file.headers['content-security-policy']).toContain("default-src 'none'");
	const id = path.split('/').at(-1);
	const { data } = await client.get(`/dossiers/${id}/documents`);
	expect(data.data).toEqual([
		expect.objectContaining({ title: 'lease ü.html', category: 'contract' }),
	]);
	const { data: log } = await client.get('/audit-log');
	expect(log.data.map(({ action }: { action: string }) => action)).toEqual([
		'document.downloaded',
		'document.uploaded',
		'dossier.created',
	]);
});

test('after a form, the page says who was called about it, or why nobody was', async () => {
	const create = async () => {
		const sent = await submit(`${records()}/dossiers`, `${records()}/dossiers`, { title: 'Lease' });
		return await open(String(sent.headers.location).replace('/_sandbox', ''));
	};
	expect(await create()).toContain('Nobody was called: no webhook is registered.');

	const hook = await openReceiver();
	const listenTo = async (environment: string) => {
		const fields = { organization_id: organization().id, environment, url: hook.url };
		const sent = await submit('/webhooks', '/webhooks', {
			...fields,
			'events[]': ['dossier.created'],
		});
		expect(sent.status).toBe(303);
	};
	await listenTo('test');
	expect((await create()).replaceAll(/\s+/g, ' ')).toContain(
		'Nobody was called: 1 webhook listens to test data; this is live data.',
	);
	await listenTo('live');
	const page = (await create()).replaceAll(/\s+/g, ' ');
	expect(page).toContain(`<bdi>${hook.url}</bdi> answered 204.`);
	expect(page).toMatch(/href="\/_sandbox\/webhooks#dlv_[^"]+"/);
	const again = /action="\/_sandbox(\/deliveries\/[^"]+\/redeliver)"/.exec(page)?.[1] ?? '';
	expect(
		(
			await browser.post(again, new URLSearchParams(), {
				headers: { Origin: sandbox().url, 'Sec-Fetch-Site': 'same-origin' },
			})
		).status,
	).toBe(303);
	expect(hook.received).toHaveLength(2);
});

test('a form sends an event again, and the page shows the new answer', async () => {
	const hook = await openReceiver({ status: 500, body: hostile.element });
	const fields = {
		organization_id: organization().id,
		environment: 'live',
		url: hook.url,
		'events[]': ['dossier.created'],
	};
	expect((await submit('/webhooks', '/webhooks', fields)).status).toBe(303);
	await dossierWith({ title: 'Lease' });
	await control.idle();
	const failed = await open('/webhooks');
	expect(failed).toContain('1 attempt: answered 500');
	expect(findUnescaped(failed)).toEqual([]);
	const action = /action="\/_sandbox(\/deliveries\/[^"]+\/redeliver)"/.exec(failed)?.[1] ?? '';
	hook.react(() => ({ status: 204 }));
	const { headers } = await submit('/webhooks', action, { page: '1' });
	expect(headers.location).toMatch(/^\/_sandbox\/webhooks\?page=1&done=redelivered#dlv_/);
	expect(await open('/webhooks')).toMatch(/delivered<\/span[^]*2 attempts: answered 204/);
	expect(hook.received).toHaveLength(2);
});

test('a person without a receiver sees a delivery after pressing two buttons', async () => {
	await sandbox().reset();
	const page = await open('/webhooks');
	const read = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
	const url = read('url');
	const organization_id = read('organization_id');
	expect(url).toBe(`${sandbox().url}/_sandbox/api/receiver`);
	expect((await submit('/webhooks', '/webhooks', { url, organization_id })).status).toBe(303);
	const registered = await open('/webhooks');
	expect(registered).not.toContain('Receive here');
	const action = /action="\/_sandbox(\/webhooks\/[^"]+\/test)"/.exec(registered)?.[1] ?? '';
	await submit('/webhooks', action, { event: 'document.uploaded' });
	expect(await control.idle()).toMatchObject({ idle: true, delivered: 1 });
	expect(await open('/webhooks')).toContain('1 attempt: answered 204');
});

test('a form moves the clock, and a refused form keeps what was entered', async () => {
	const before = Date.parse((await sandbox().clock.read()).now);
	expect((await submit('/controls', '/controls/clock', { hours: '2', minutes: '30' })).status).toBe(
		303,
	);
	expect(Date.parse((await sandbox().clock.read()).now) - before).toBeGreaterThanOrEqual(
		2.5 * hour,
	);
	expect(await open('/controls')).toContain('It is 2 hours 30 minutes ahead.');
	const nothing = await submit('/controls', '/controls/clock', { hours: '' });
	expect([nothing.status, nothing.data]).toEqual([
		400,
		expect.stringContaining('Enter how far the clock moves.'),
	]);
	const refused = await submit('/controls', '/controls/clock', {
		days: '99999999',
		hours: '7',
	});
	expect(refused.status).toBe(400);
	expect(refused.data).toMatch(/role="alert"[^]*between the years 1970 and 9999/);
	expect(refused.data).toContain('value="99999999"');
	await submit('/controls', '/controls/clock', { set: '2031-02-03T04:05:06' });
	expect((await sandbox().clock.read()).now).toMatch(/^2031-02-03T04:0[56]:/);
	await submit('/controls', '/controls/clock', { reset: 'true' });
	expect((await sandbox().clock.read()).offset_ms).toBe(0);
});

test('forms remove faults, and the page shows the texts in them as text', async () => {
	await control.client.post('/faults', {
		operation: 'dossiers.list',
		status: 503,
		text: hostile.element,
		headers: { 'X-Test': hostile.script },
	});
	const page = await open('/faults');
	expect(page).toContain('dossiers.list: status 503');
	expect(findUnescaped(page)).toEqual([]);
	expect((await client.get('/dossiers')).status).toBe(503);
	const removal = /action="\/_sandbox(\/faults\/[^"]+\/remove)"/.exec(page)?.[1] ?? '';
	await submit('/faults', removal, {});
	expect(await open('/faults')).not.toContain('dossiers.list: status');
	await submit('/faults', '/webhook-faults', { kind: 'duplicate', times: '2' });
	expect(await open('/faults')).toContain('Everything: kind duplicate, times 2');
	await submit('/faults', '/faults/clear', {});
	expect(await open('/faults')).not.toContain('Everything: kind');
});

test('forms apply a profile and set a single switch', async () => {
	await submit('/controls', '/controls/profile', { profile: 'given-only' });
	expect((await control.client.get('/switches')).data.profile).toBe('given-only');
	await submit('/controls', '/controls/switches', { 'switches.put': 'merges' });
	expect((await control.client.get('/switches')).data.switches.put.value).toBe('merges');
	await submit('/controls', '/controls/profile', { profile: 'default' });
	expect(
		(await submit('/controls', '/controls/limits', { rule: 'numbers', per_minute: '7' })).status,
	).toBe(400);
});

test('a reset asks first', async () => {
	await dossierWith({ title: 'Lease' });
	expect((await submit('/controls', '/controls/reset', {})).status).toBe(400);
	expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
	expect((await submit('/controls', '/controls/reset', { sure: 'yes' })).status).toBe(303);
	expect((await client.get('/dossiers')).status).toBe(401);
});

let lindt: SeededOrganization;
beforeEach(async () => {
	lindt = await sandbox().createOrganization({ plan: 'business', name: 'Lindt & Sons' });
});

const invite = async (fields: object) => {
	const body = { email: 'jana@customer.example', dossier_ids: [], ...fields };
	const { data } = await connect(sandbox(), lindt).post('/portal/invite', body);
	return String(data.invite_url);
};

test('the page behind an invitation says who invites whom, and signs in', async () => {
	const url = await invite({ first_name: 'Jana', last_name: 'Vogt' });
	const page = await browser.get(url);
	expect(page.status).toBe(200);
	expect(page.data).toContain('Lindt &amp; Sons invites you to its portal.');
	expect(page.data).toContain('You sign in as <bdi>Jana Vogt</bdi>.');
	expect(page.headers['content-security-policy']).toContain("default-src 'none'");
	const { headers } = await browser.post(url);
	const Cookie = String(headers['set-cookie']?.[0]);
	expect(await open('/portal', { Cookie })).toContain('You are signed in as <bdi>Jana Vogt</bdi>.');
});

test('the page behind a QR code for nobody in particular names only the organization', async () => {
	const body = { dossier_ids: [] };
	const { data } = await connect(sandbox(), lindt).post('/portal/invite/qr', body);
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
