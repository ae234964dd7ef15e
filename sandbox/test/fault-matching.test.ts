import { connect, connectCustomer, makeUpload } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, customer, control, sandbox, organization, connectStranger } = useSandbox();

afterEach(async () => {
	await control.client.delete('/faults');
});

const addFault = async (plan: object) => {
	const { status, data } = await control.client.post('/faults', plan);
	expect([status, data]).toEqual([201, expect.anything()]);
	return String(data.id);
};
const createDossier = async () =>
	String((await client.post('/dossiers', { title: 'Case' })).data.id);

test('a fault strikes one record only, by the identifier in the path', async () => {
	const [struck, spared] = [await createDossier(), await createDossier()];
	await addFault({ operation: 'dossiers.get', id: struck, status: 503 });
	expect((await client.get(`/dossiers/${struck}`)).status).toBe(503);
	expect((await client.get(`/dossiers/${spared}`)).status).toBe(200);
});

test('a fault names a record by the identifier that the caller sees, in every format', async () => {
	await control.change({ switches: { ids: 'uuid' } });
	try {
		const id = await createDossier();
		expect(id).toMatch(/^[0-9a-f-]{36}$/);
		await addFault({ operation: 'dossiers.get', id, status: 503 });
		expect((await client.get(`/dossiers/${id}`)).status).toBe(503);
	} finally {
		await control.change({ profile: 'default' });
	}
});

test('a fault strikes one organization only, by its own header or by that of its tenant', async () => {
	const stranger = await connectStranger();
	await addFault({ operation: '*', organization_id: organization().id, status: 503 });
	expect((await client.get('/dossiers')).status).toBe(503);
	expect((await customer.get('/tenants/workspace-bootstrap')).status).toBe(503);
	expect((await stranger.get('/dossiers')).status).toBe(200);
	const other = await sandbox().createOrganization({ plan: 'business' });
	expect((await connectCustomer(sandbox(), other).get('/tenants/workspace-bootstrap')).status).toBe(
		200,
	);
});

test('a fault strikes requests with a header only, by its value or by its presence', async () => {
	await addFault({ operation: '*', request_headers: { 'X-Run': '7' }, status: 503 });
	await addFault({ operation: '*', request_headers: { 'Idempotency-Key': '*' }, status: 502 });
	const send = async (headers: Record<string, string>) =>
		(await client.get('/dossiers', { headers })).status;
	expect(await send({ 'x-run': '7' })).toBe(503);
	expect(await send({ 'x-run': '8' })).toBe(200);
	expect(await send({ 'idempotency-key': 'anything' })).toBe(502);
	expect(await send({})).toBe(200);
});

test('a fault lets some requests pass first, and says when it is spent', async () => {
	const id = await addFault({ operation: 'dossiers.list', status: 503, after: 2, times: 1 });
	const describe = async () =>
		(await control.client.get('/faults')).data.data.find((one: { id: string }) => one.id === id);
	const statuses = [];
	for (let n = 0; n < 4; n++) statuses.push((await client.get('/dossiers')).status);
	expect(statuses).toEqual([200, 200, 503, 200]);
	expect(await describe()).toMatchObject({ hits: 1, spent: true });
});

test('a request that another condition excludes does not count as passed', async () => {
	const id = await createDossier();
	await addFault({ operation: 'dossiers.get', id, status: 503, after: 1, times: 1 });
	const other = await createDossier();
	await client.get(`/dossiers/${other}`);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(200);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(503);
});

test('webhook faults let attempts pass first as well', async () => {
	const plan = { kind: 'duplicate', after: 3, times: 1 };
	const { status, data } = await control.client.post('/webhook-faults', plan);
	expect([status, data.plan.after]).toEqual([201, 3]);
	await control.client.delete('/webhook-faults');
});

test.each([
	[{ operation: '*', early: true, delay_ms: 1 }, 'An early answer needs a status or a text.'],
	[{ operation: '*', request_headers: {} }, 'request_headers'],
	[{ operation: '*', headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers'],
	[{ operation: '*', silent: 'often' }, 'before, while, after'],
	[{ operation: '*', id: 'dos_1' }, 'does nothing'],
])('the fault %j is refused with a sentence', async (plan, sentence) => {
	const { status, data } = await control.client.post('/faults', plan);
	expect(status).toBe(400);
	expect(data.error.message).toContain(sentence);
});

test('the answer to a struck upload leaves nothing behind', async () => {
	const id = await createDossier();
	await addFault({ operation: 'documents.upload', status: 503, times: 1 });
	const path = `/dossiers/${id}/documents`;
	expect((await client.post(path, makeUpload('a'))).status).toBe(503);
	expect((await client.get(path)).data.pagination.total).toBe(0);
	const again = connect(sandbox(), organization());
	expect((await again.post(path, makeUpload('a'))).status).toBe(201);
});
