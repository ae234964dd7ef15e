import { makeUpload } from './clients.ts';
import { hostile, usePages, findUnescaped } from './page.ts';

const sections = ['/', '/requests', '/webhooks', '/outbox', '/controls', '/faults'];

const { browser, client, open, organization, sandbox, submit } = usePages();

const records = () => `/records/${organization().id}/live`;

const dossierWith = async (fields: Record<string, unknown>): Promise<string> =>
	(await client.post('/dossiers', fields)).data.id;

test.each(sections)('%s loads nothing from other hosts and has nothing inline', async (path) => {
	const { status, data, headers } = await browser.get(path);
	expect(status).toBe(200);
	const policy = String(headers['content-security-policy']);
	expect(policy).toContain("default-src 'none'");
	expect(policy).not.toMatch(/unsafe|https?:|\*/);
	expect(headers['x-content-type-options']).toBe('nosniff');
	expect(data).not.toMatch(/<style|<script(?! src="\/_sandbox\/page\.js" defer)| style="| on\w+="/);
	const loaded = [...data.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address);
	expect(loaded.filter((address) => !/^(\/_sandbox\/|#|\?|data:image\/)/.test(address))).toEqual(
		[],
	);
});

test.each(sections)(
	'%s has the headings, landmarks and labels that a screen reader needs',
	async (path) => {
		const page = await open(path);
		expect(page).toMatch(
			/<html lang="en">[^]*<a class="skip" href="#content">[^]*<main id="content"/,
		);
		expect(page.match(/<h1>/g)).toHaveLength(1);
		expect(page).toMatch(/<a href="[^"]*" aria-current="page"/);
		const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
		expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
		const labelled = new Set([...page.matchAll(/<label for="([^"]+)"/g)].map(([, id]) => id));
		const controls = [...page.matchAll(/<(?:input|select)\s([^>]*)>/g)].map(
			([, attributes]) => attributes ?? '',
		);
		const named = controls.filter((attributes) => !attributes.includes('type="hidden"'));
		for (const attributes of named)
			expect(labelled).toContain(/id="([^"]+)"/.exec(attributes)?.[1]);
	},
);

test('the overview shows where the service is and every key of an organization', async () => {
	const page = await open('/');
	const { liveKey, testKey, customerToken, tenantId } = organization();
	const shown = [
		`${sandbox().url}/v1`,
		liveKey,
		testKey,
		customerToken,
		tenantId,
		sandbox().operatorToken,
	];
	for (const text of shown) expect(page).toContain(`<code>${text}</code`);
});

test('hostile titles, names and references stay text on every page that shows them', async () => {
	const { element, script, attribute } = hostile;
	const id = await dossierWith({
		title: element,
		reference: attribute,
		description: script,
		tags: [element],
		custom_fields: { [script]: { isEscaped: true, text: element } },
	});
	const upload = makeUpload('a', { file_name: "a' onmouseover='x.txt", title: script });
	expect((await client.post(`/dossiers/${id}/documents`, upload)).status).toBe(201);
	await client.post('/tasks', { title: script, dossier_id: id });
	await client.post('/portal/invite', {
		email: 'jana.vogt@customer.example',
		first_name: element,
		dossier_ids: [id],
		message: `${script}${attribute}`,
	});
	await client.get('/dossiers', { params: { q: element } });
	await client.put(`/dossiers/${id}`, { title: attribute });
	for (const path of [
		`${records()}/dossiers`,
		`${records()}/dossiers?q=${encodeURIComponent(attribute)}`,
		`${records()}/dossiers/${id}`,
		`${records()}/portal-users`,
		`${records()}/tasks`,
		`${records()}/audit-log`,
		'/requests',
		'/outbox',
		'/',
	]) {
		const page = await open(path);
		expect([path, findUnescaped(page)]).toEqual([path, []]);
	}
	expect(await open(`${records()}/tasks`)).toContain('&lt;/title&gt;');
	const title = /<title>([^<]*)<\/title>/.exec(await open(`${records()}/dossiers/${id}`))?.[1];
	expect(title).toContain(
		'&quot; autofocus onfocus=&quot;document.title=1&quot; x=&#39; – Dossier sandbox',
	);
});

test('lists are paged, searched and kept apart by organization and kind of key', async () => {
	await submit(`${records()}/dossiers`, `${records()}/examples`, { dossiers: '30' });
	const first = await open(`${records()}/dossiers`);
	expect(first).toContain('Page 1 of 2, 30 in all');
	expect(await open(`${records()}/dossiers?page=2`)).toContain('Page 2 of 2');
	expect(await open(`${records()}/dossiers?q=van 9`)).toContain('Purchase of a delivery van 9');
	expect(await open(`${records()}/dossiers?q=nothing+such`)).toContain('Nothing matches');
	expect(await open(`/records/${organization().id}/test/dossiers`)).toContain(
		'There are no dossiers yet',
	);
	expect((await browser.get(`/records?in=${organization().id}/test`)).headers.location).toBe(
		`/_sandbox/records/${organization().id}/test/dossiers`,
	);
});

test('a form from a page of another site does nothing', async () => {
	const body = new URLSearchParams({ hours: '5' });
	for (const headers of [
		{ Origin: 'https://elsewhere.example' },
		{ Origin: 'null' },
		{ 'Sec-Fetch-Site': 'cross-site' },
		{ Host: 'elsewhere.example' },
	]) {
		const { status } = await browser.post('/controls/clock', body, { headers });
		expect([headers, status]).toEqual([headers, 403]);
	}
	expect((await sandbox().clock.read()).offset_ms).toBe(0);
});

test('an unknown address is answered with a page that says so', async () => {
	for (const path of ['/nothing', '/records/org_x/live/dossiers', `${records()}/dossiers/dos_x`]) {
		const { status, data } = await browser.get(path);
		expect([path, status]).toEqual([path, 404]);
		expect(data).toContain('<h1><bdi>Page not found</bdi></h1>');
	}
	const { data } = await browser.get('/api/nothing');
	expect(JSON.parse(data).error.code).toBe('ROUTE_NOT_FOUND');
});
