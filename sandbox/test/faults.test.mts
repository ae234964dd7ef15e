import type { FaultPlan } from '../src/requests/faults.mts';
import { connectCustomer, expectRefusal, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, customer, control, sandbox, organization, connectStranger } = useSandbox();

/** Hits of each fault, the oldest fault first. */
const countHits = async () => (await sandbox().faults.list()).map(({ hits }) => hits);

/** By default, of every request. */
const addFault = async (plan: Partial<FaultPlan>) =>
	await sandbox().faults.add({ operation: '*', ...plan });

const total = async () => (await client.get('/dossiers')).data.pagination.total;

test('a status strikes as often as the fault says, with its Retry-After, and the request has no effect', async () => {
	await addFault({ operation: 'dossiers.create', status: 429, retry_after: 7, times: 2 });
	for (let n = 0; n < 2; n++) {
		const answer = await client.post('/dossiers', { title: 'a' });
		expectRefusal(answer, 429, 'RATE_LIMIT_EXCEEDED');
		expect(answer.headers['retry-after']).toBe('7');
	}
	expect(await total()).toBe(0);
	expect((await client.post('/dossiers', { title: 'a' })).status).toBe(201);
});

test('a fault can answer with its own code, or with a page instead of the error object', async () => {
	await addFault({ operation: 'dossiers.list', status: 503, code: 'MAINTENANCE', times: 1 });
	expectRefusal(await client.get('/dossiers'), 503, 'MAINTENANCE');
	await addFault({
		operation: 'dossiers.list',
		status: 502,
		text: '<h1>Bad Gateway</h1>',
		times: 1,
	});
	const page = await client.get('/dossiers');
	expect(page.status).toBe(502);
	expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(page.data).toBe('<h1>Bad Gateway</h1>');
});

test('a fault for every request also strikes requests to unknown paths', async () => {
	await addFault({ operation: '*', status: 500, times: 2 });
	expect((await client.get('/nothing')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('a request has no effect if the connection breaks before it is handled, and has one if it breaks during the answer', async () => {
	await addFault({ operation: 'dossiers.create', connection: 'before', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(0);
	await addFault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(1);
	expect(await countHits()).toEqual([1, 1]);
});

test('a delayed answer comes when the clock has moved', async () => {
	await addFault({ operation: 'dossiers.list', delay_ms: 3_600_000, times: 1 });
	let answered = false;
	const delayed = client.get('/dossiers').then((answer) => {
		answered = true;
		return answer;
	});
	await waitUntil(async () => (await countHits())[0] === 1);
	await total();
	expect(answered).toBe(false);
	await sandbox().clock.move(3_600_000);
	expect((await delayed).status).toBe(200);
});

test('faults with the same seed strike the same requests', async () => {
	const rows = [];
	for (const seed of [7, 7, 8]) {
		const { id } = await addFault({
			operation: 'dossiers.list',
			status: 500,
			probability: 0.5,
			seed,
		});
		const row = [];
		for (let n = 0; n < 20; n++) row.push((await client.get('/dossiers')).status);
		rows.push(row.join(' '));
		await sandbox().faults.remove(id);
	}
	expect(rows[0]).toMatch(/200.*500|500.*200/);
	expect(rows[1]).toBe(rows[0]);
	expect(rows[2]).not.toBe(rows[0]);
});

const createDossier = async () =>
	String((await client.post('/dossiers', { title: 'Case' })).data.id);

test('a fault names a record by the identifier that the caller sees', async () => {
	await control.change({ switches: { ids: 'slashes' } });
	const id = await createDossier();
	expect(id).toContain('/');
	await addFault({ operation: 'dossiers.get', id, status: 503 });
	expect((await client.get(`/dossiers/${encodeURIComponent(id)}`)).status).toBe(503);
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
	const plan = { operation: 'dossiers.list', status: 503, after: 2, times: 1 };
	const { id } = await addFault(plan);
	const statuses = [];
	for (let n = 0; n < 4; n++) statuses.push((await client.get('/dossiers')).status);
	expect(statuses).toEqual([200, 200, 503, 200]);
	expect(await sandbox().faults.list()).toEqual([{ id, hits: 1, spent: true, plan }]);
});

test('a request that another condition excludes does not count as passed', async () => {
	const id = await createDossier();
	await addFault({ operation: 'dossiers.get', id, status: 503, after: 1, times: 1 });
	const other = await createDossier();
	await client.get(`/dossiers/${other}`);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(200);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(503);
});

test.each([
	[{ operation: '*', early: true, delay_ms: 1 }, 'An early answer needs a status or a text.'],
	[{ status: 500 }, 'operation'],
	[{ operation: 'none', status: 500 }, 'none'],
	[{ operation: '*', status: 99 }, 'status'],
	[{ operation: '*', staus: 500 }, 'staus: There is no such field. There are: operation,'],
	[{ operation: '*', status: 503, retry_after: 'a\r\nX-Other: b' }, 'retry_after'],
	[{ operation: '*', request_headers: {} }, 'request_headers'],
	[{ operation: '*', headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers'],
	[{ operation: '*', silent: 'often' }, 'before, while, after'],
	[{ operation: '*', id: 'dos_1' }, 'does nothing'],
])('the fault %j is refused with a sentence', async (plan, sentence) => {
	const answer = await control.client.post('/faults', plan);
	expectRefusal(answer, 400, 'INVALID_PARAMETER');
	expect(answer.data.error.message).toContain(sentence);
});
