import { connect, makeUpload } from './clients.mts';
import { findUnescaped, hostile, readCopies, runCurl, usePages } from './page.mts';

const sections = ['/', '/requests', '/webhooks', '/outbox', '/controls', '/faults'];

const { browser, client, control, customer, open, organization, sandbox, submit } = usePages();

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
		const labeled = new Set([...page.matchAll(/<label for="([^"]+)"/g)].map(([, id]) => id));
		const controls = [...page.matchAll(/<(?:input|select)\s([^>]*)>/g)].map(
			([, attributes]) => attributes ?? '',
		);
		const named = controls.filter((attributes) => !attributes.includes('type="hidden"'));
		for (const attributes of named) expect(labeled).toContain(/id="([^"]+)"/.exec(attributes)?.[1]);
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

/** The lines of requests on a page: status, request and error code. */
const linesOn = (page: string) =>
	[...page.matchAll(/<summary>([^]*?)<\/summary>/g)].map(([, line = '']) =>
		line
			.replace(/<span class="quiet"[^]*$/, '')
			.replaceAll(/<[^>]*>/g, ' ')
			.replaceAll(/\s+/g, ' ')
			.trim(),
	);

test('a line has the error code, and the details below begin with the indented body', async () => {
	await client.post('/dossiers', { reference: 'A-1' });
	const page = await open('/requests');
	expect(linesOn(page)).toEqual(['400 POST /v1/dossiers MISSING_REQUIRED_FIELD']);
	const text = page.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"');
	expect(text).toMatch(
		/Request\s+19 bytes\s+\{\n {2}"reference": "A-1"\n\}\s+[^{]*Authorization: /i,
	);
	expect(text).toMatch(/Answer[^]*\{\n {2}"error": \{\n {4}"code": "MISSING_REQUIRED_FIELD"/);
});

test('the list is filtered by outcome, operation and words', async () => {
	await client.post('/dossiers', { title: 'Lease' });
	await client.post('/dossiers', { title: '' });
	await client.get('/tasks', { params: { q: 'van' } });
	await control.client.post('/faults', { operation: 'tasks.list', status: 503 });
	await client.get('/tasks');
	const find = async (query: string) => linesOn(await open(`/requests?${query}`));
	expect(await find('outcome=2')).toEqual(['200 GET /v1/tasks?q=van', '201 POST /v1/dossiers']);
	expect(await find('outcome=4')).toEqual(['422 POST /v1/dossiers VALIDATION_ERROR']);
	expect(await find('outcome=5')).toEqual(['503 GET /v1/tasks INTERNAL_ERROR fault']);
	expect(await find('operation=dossiers.create')).toHaveLength(2);
	expect(await find('q=Q%3DVAN')).toEqual(['200 GET /v1/tasks?q=van']);
	expect(await find('q=validation')).toEqual(['422 POST /v1/dossiers VALIDATION_ERROR']);
	const { headers } = await client.get('/dossiers');
	expect(await find(`q=${headers['x-request-id']}`)).toEqual(['200 GET /v1/dossiers']);
	expect(await open('/requests?outcome=none')).toContain('No request matches.');
});

test('a request is copied as a curl command that does the same again', async () => {
	await client.post('/dossiers', { title: "Marta's lease $(id) `id`" });
	const copies = readCopies(await open('/requests'));
	const again = await runCurl(copies.get('Copy as curl POST /v1/dossiers') ?? '');
	expect(again).toMatchObject({ status: 201, data: { title: "Marta's lease $(id) `id`" } });
	expect((await client.get('/dossiers')).data.pagination.total).toBe(2);
});

test('the command has the token of the customer who called', async () => {
	await customer.get('/tenants/workspace-bootstrap');
	const copies = readCopies(await open('/requests'));
	const [command = ''] = copies.values();
	expect(command).toContain(`Bearer ${organization().customerToken}`);
	expect(await runCurl(command)).toMatchObject({ status: 200 });
});

test('the command of a request with a large body names a file, and a key that no page shows stays masked', async () => {
	await client.post('/dossiers', { title: 'a', description: 'b'.repeat(6000) });
	const { data: key } = await control.client.post(
		`/organizations/${sandbox().organizations[0]?.id}/keys`,
		{},
	);
	const { data: further } = await control.client.post('/organizations', { plan: 'business' });
	await connect(sandbox(), { ...further, liveKey: key.key }).get('/tasks');
	const copies = readCopies(await open('/requests'));
	expect(copies.get('Copy as curl POST /v1/dossiers')).toMatch(/--data-binary @FILE$/);
	expect(copies.get('Copy as curl GET /v1/tasks')).toMatch(/Bearer sk_live_…\w{4}'/);
	expect(copies.get('Copy as curl GET /v1/tasks')).not.toContain(key.key);
});

test('a request with misspelled fields is marked, counted on the overview, and found by a filter', async () => {
	const { data: dossier } = await client.post('/dossiers', {
		title: 'Lease',
		refrence: 'A-1',
		contact: { name: 'Jana', fone: '1' },
		custom_fields: { anything: 1 },
	});
	await client.get('/dossiers', { params: { stauts: 'closed', page: 1 } });
	await client.get('/tasks', { params: { status: 'pending', q: 'a' } });
	await client.post(`/dossiers/${dossier.id}/documents`, {
		file_name: 'a.txt',
		mime_type: 'text/plain',
		content_base64: 'YQ==',
		categry: 'x',
		category: 'other',
	});
	const page = await open('/requests?outcome=unknown');
	expect(linesOn(page)).toEqual([
		`201 POST /v1/dossiers/${dossier.id}/documents 1 unknown field`,
		'200 GET /v1/dossiers?stauts=closed&amp;page=1 1 unknown field',
		'201 POST /v1/dossiers 2 unknown fields',
	]);
	expect(page).toContain('<bdi>refrence, contact.fone</bdi>');
	expect(page).toContain('<bdi>?stauts</bdi>');
	expect(await open('/')).toMatch(/>3 requests<\/a>\s+with\s+unknown fields/);
	const { data } = await control.client.get('/journal');
	expect(data.data.at(-1).unknown_fields).toEqual(['refrence', 'contact.fone']);
});

test('the cursor of a list is known if lists come by cursor, and only then', async () => {
	await control.change({ switches: { lists: 'cursor' } });
	await client.get('/dossiers', { params: { limit: 5 } });
	expect(await open('/requests?outcome=unknown')).toContain('No request matches.');
	await control.change({ profile: 'default' });
	expect(linesOn(await open('/requests?outcome=unknown'))).toHaveLength(1);
});
