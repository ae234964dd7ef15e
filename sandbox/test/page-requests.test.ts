import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { connect, connectControl, connectCustomer } from './clients.ts';
import { connectPages, readCopies, runCurl } from './page.ts';

let sandbox: Sandbox;
let service: AxiosInstance;
let pages: ReturnType<typeof connectPages>;
beforeEach(async () => {
	sandbox = await createSandbox();
	service = connect(sandbox, sandbox.createOrganization({ plan: 'business' }));
	pages = connectPages(sandbox);
});
afterEach(() => sandbox.close());

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
	await service.post('/dossiers', { reference: 'A-1' });
	const page = await pages.page('/requests');
	expect(linesOn(page)).toEqual(['400 POST /v1/dossiers MISSING_REQUIRED_FIELD']);
	const text = page.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"');
	expect(text).toMatch(
		/Request\s+19 bytes\s+\{\n {2}"reference": "A-1"\n\}\s+[^{]*Authorization: /i,
	);
	expect(text).toMatch(/Answer[^]*\{\n {2}"error": \{\n {4}"code": "MISSING_REQUIRED_FIELD"/);
});

test('the list is filtered by outcome, operation and words', async () => {
	await service.post('/dossiers', { title: 'Lease' });
	await service.post('/dossiers', { title: '' });
	await service.get('/tasks', { params: { q: 'van' } });
	await connectControl(sandbox).client.post('/faults', { operation: 'tasks.list', status: 503 });
	await service.get('/tasks');
	const find = async (query: string) => linesOn(await pages.page(`/requests?${query}`));
	expect(await find('outcome=2')).toEqual(['200 GET /v1/tasks?q=van', '201 POST /v1/dossiers']);
	expect(await find('outcome=4')).toEqual(['422 POST /v1/dossiers VALIDATION_ERROR']);
	expect(await find('outcome=5')).toEqual(['503 GET /v1/tasks INTERNAL_ERROR fault']);
	expect(await find('operation=dossiers.create')).toHaveLength(2);
	expect(await find('q=Q%3DVAN')).toEqual(['200 GET /v1/tasks?q=van']);
	expect(await find('q=validation')).toEqual(['422 POST /v1/dossiers VALIDATION_ERROR']);
	const { headers } = await service.get('/dossiers');
	expect(await find(`q=${headers['x-request-id']}`)).toEqual(['200 GET /v1/dossiers']);
	expect(await pages.page('/requests?outcome=none')).toContain('No request matches.');
});

test('a request is copied as a curl command that does the same again', async () => {
	await service.post('/dossiers', { title: "Marta's lease $(id) `id`" });
	const copies = readCopies(await pages.page('/requests'));
	const again = await runCurl(copies.get('Copy as curl POST /v1/dossiers') ?? '');
	expect(again).toMatchObject({ status: 201, data: { title: "Marta's lease $(id) `id`" } });
	expect((await service.get('/dossiers')).data.pagination.total).toBe(2);
});

test('the command has the token of the customer who called', async () => {
	const organization = sandbox.createOrganization({ plan: 'business' });
	await connectCustomer(sandbox, organization).get('/tenants/workspace-bootstrap');
	const copies = readCopies(await pages.page('/requests'));
	const [command = ''] = copies.values();
	expect(command).toContain(`Bearer ${organization.customerToken}`);
	expect(await runCurl(command)).toMatchObject({ status: 200 });
});

test('the command of a request with a large body names a file, and a key that no page shows stays masked', async () => {
	await service.post('/dossiers', { title: 'a', description: 'b'.repeat(6000) });
	const { client } = connectControl(sandbox);
	const { data: key } = await client.post(
		`/organizations/${sandbox.organizations[0]?.id}/keys`,
		{},
	);
	const { data: further } = await client.post('/organizations', { plan: 'business' });
	await connect(sandbox, { ...further, liveKey: key.key }).get('/tasks');
	const copies = readCopies(await pages.page('/requests'));
	expect(copies.get('Copy as curl POST /v1/dossiers')).toMatch(/--data-binary @FILE$/);
	expect(copies.get('Copy as curl GET /v1/tasks')).toMatch(/Bearer sk_live_…\w{4}'/);
	expect(copies.get('Copy as curl GET /v1/tasks')).not.toContain(key.key);
});
