import { connect } from './clients.ts';
import { readCopies, runCurl, usePages } from './page.ts';

const { client, control, customer, open, organization, sandbox } = usePages();

/** The lines of requests on a page: status, request and error code. */
const linesOn = (page: string) =>
	[...page.matchAll(/<summary>([^]*?)<\/summary>/g)].map(([, line = '']) =>
		line
			.replace(/<span class="quiet"[^]*$/, '')
			.replaceAll(/<[^>]*>/g, ' ')
			.replaceAll(/\s+/g, ' ')
			.trim(),
	);

test('a line has the error code, and what is below begins with the indented body', async () => {
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

test('a request with misspelt fields is marked, counted on the overview, and found by a filter', async () => {
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

test('the cursor of a list is known if the dialect pages by cursor, and only then', async () => {
	await control.speak({ list: { style: 'cursor', size: 'limit' } });
	await client.get('/dossiers', { params: { limit: 5 } });
	expect(await open('/requests?outcome=unknown')).toContain('No request matches.');
	await control.speak({});
	expect(linesOn(await open('/requests?outcome=unknown'))).toHaveLength(1);
});
