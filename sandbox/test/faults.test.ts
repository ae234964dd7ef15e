import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, refusalOf, refused, uploadOf } from './client.ts';
import { controlOf } from './control.ts';

let sandbox: Sandbox;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
	sandbox = await createSandbox();
});
beforeEach(() => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
});
afterEach(async () => {
	await controlOf(sandbox).client.delete('/faults');
});
afterAll(async () => {
	await sandbox.close();
});

async function fault(plan: object) {
	const { status, data } = await controlOf(sandbox).client.post('/faults', plan);
	expect(status).toBe(201);
	return data;
}

const total = async () => (await client.get('/dossiers')).data.pagination.total;

test('a status comes as often as said, with its Retry-After, and nothing is done', async () => {
	await fault({ operation: 'dossiers.create', status: 429, retry_after: 7, times: 2 });
	for (let n = 0; n < 2; n++) {
		const answer = await client.post('/dossiers', { title: 'a' });
		expect(refusalOf(answer)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
		expect(answer.headers['retry-after']).toBe('7');
	}
	expect(await total()).toBe(0);
	expect((await client.post('/dossiers', { title: 'a' })).status).toBe(201);
});

test('a code of its own, or a page in place of the error object', async () => {
	await fault({ operation: 'dossiers.list', status: 503, code: 'MAINTENANCE', times: 1 });
	expect(refusalOf(await client.get('/dossiers'))).toEqual(refused(503, 'MAINTENANCE'));
	await fault({ operation: 'dossiers.list', status: 502, text: '<h1>Bad Gateway</h1>', times: 1 });
	const page = await client.get('/dossiers');
	expect(page.status).toBe(502);
	expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(page.data).toBe('<h1>Bad Gateway</h1>');
});

test('a fault for every request hits addresses without an operation too', async () => {
	await fault({ operation: '*', status: 500, times: 2 });
	expect((await client.get('/nothing')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('a connection that breaks before leaves nothing, one that breaks while answering leaves what was done', async () => {
	await fault({ operation: 'dossiers.create', connection: 'before', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(0);
	await fault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(1);
});

test('an idempotency key makes good for a connection that broke while answering', async () => {
	const headers = { 'Idempotency-Key': 'once' };
	await fault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' }, { headers })).rejects.toThrow();
	expect((await client.post('/dossiers', { title: 'a' }, { headers })).status).toBe(201);
	expect(await total()).toBe(1);
});

test('a file is cut short without a sign of it, or breaks off', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const content = Buffer.alloc(100_000, 'x');
	const document = (await client.post(`/dossiers/${id}/documents`, uploadOf(content))).data;
	const path = `/documents/${document.id}/download`;
	await fault({ operation: 'documents.download', body: 'truncated', times: 1 });
	const cut = await client.get(path, { responseType: 'arraybuffer' });
	expect(cut.status).toBe(200);
	expect(cut.headers['content-length']).toBe('50000');
	expect(Buffer.from(cut.data)).toHaveLength(50_000);
	await fault({ operation: 'documents.download', connection: 'while', times: 1 });
	await expect(client.get(path, { responseType: 'arraybuffer' })).rejects.toThrow();
	expect(Buffer.from((await client.get(path, { responseType: 'arraybuffer' })).data)).toHaveLength(
		100_000,
	);
});

test('a delay, and a body that comes slowly, take time of the movable clock', async () => {
	await fault({ operation: 'dossiers.list', delay_ms: 3_600_000, times: 1 });
	let answered = false;
	const delayed = client.get('/dossiers').then((answer) => {
		answered = true;
		return answer;
	});
	await total();
	expect(answered).toBe(false);
	sandbox.clock.move(3_600_000);
	expect((await delayed).status).toBe(200);

	await fault({ operation: 'dossiers.list', body: 'slow', bytes_per_second: 1000, times: 1 });
	expect((await client.get('/dossiers')).data.data).toEqual([]);
});

test('with the same seed, lots fall on the same requests', async () => {
	const rows = [];
	for (const seed of [7, 7, 8]) {
		const { id } = await fault({ operation: 'dossiers.list', status: 500, probability: 0.5, seed });
		const row = [];
		for (let n = 0; n < 20; n++) row.push((await client.get('/dossiers')).status);
		rows.push(row.join(' '));
		await controlOf(sandbox).client.delete(`/faults/${id}`);
	}
	expect(rows[0]).toMatch(/200.*500|500.*200/);
	expect(rows[1]).toBe(rows[0]);
	expect(rows[2]).not.toBe(rows[0]);
});

test('what was hit is counted, and a fault that cannot be is refused in a sentence', async () => {
	const { id } = await fault({ operation: 'health.get', status: 500, times: 3 });
	const control = controlOf(sandbox).client;
	expect((await control.get('/faults')).data.data).toEqual([
		{ id, hits: 0, plan: { operation: 'health.get', status: 500, times: 3 } },
	]);
	for (const plan of [
		{ status: 500 },
		{ operation: 'none', status: 500 },
		{ operation: '*' },
		{ operation: '*', status: 99 },
		{ operation: '*', staus: 500 },
		{ operation: '*', status: 503, retry_after: 'a\r\nX-Other: b' },
	]) {
		const answer = await control.post('/faults', plan);
		expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_PARAMETER'));
		expect(answer.data.error.message).toMatch(/^[A-Za-z].+\.$/);
	}
});
