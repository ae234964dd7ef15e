import { gzipSync } from 'node:zlib';
import { expectRefusal, makeForm, makeUpload } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, customer, anyone, control } = useSandbox();

const createDossier = async () =>
	String((await client.post('/dossiers', { title: 'Case' })).data.id);
const readJournal = async (params: object = {}) =>
	(await control.client.get('/journal', { params })).data.data;

test('HEAD of a download or of an export is not in the audit log', async () => {
	const dossier = await createDossier();
	const upload = makeUpload('a');
	const { id } = (await client.post(`/dossiers/${dossier}/documents`, upload)).data;
	const countEntries = async (action: string) =>
		(await client.get('/audit-log', { params: { action } })).data.pagination.total;
	const head = await client.head(`/documents/${id}/download`);
	expect([head.status, head.headers['content-length']]).toEqual([200, '1']);
	expect((await client.head('/audit-log/export')).status).toBe(200);
	expect(await countEntries('document.downloaded')).toBe(0);
	expect(await countEntries('audit_log.exported')).toBe(0);
	await client.get(`/documents/${id}/download`);
	expect(await countEntries('document.downloaded')).toBe(1);
});

test('a compressed body is refused instead of read as it is', async () => {
	const dossier = await createDossier();
	const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
	const body = gzipSync(JSON.stringify({ title: 'Compressed' }));
	for (const path of ['/dossiers', '/tasks', `/dossiers/${dossier}/documents`]) {
		const answer = await client.post(path, body, { headers });
		expectRefusal(answer, 400, 'UNSUPPORTED_MEDIA_TYPE');
		expect(answer.data.error.message).toContain('Content-Encoding gzip');
	}
	const form = makeForm('a', 'a.txt');
	const options = { headers: { 'Content-Encoding': 'br' } };
	const answer = await client.post(`/dossiers/${dossier}/documents`, form, options);
	expectRefusal(answer, 400, 'UNSUPPORTED_MEDIA_TYPE');
	const plain = { headers: { 'Content-Encoding': 'identity' } };
	expect((await client.post('/dossiers', { title: 'Plain' }, plain)).status).toBe(201);
});

test('the journal can be read on from a number without a gap, however small its pages', async () => {
	await control.client.delete('/journal');
	for (let n = 0; n < 7; n++) await client.get('/dossiers', { params: { q: `word${n}` } });
	const seen: string[] = [];
	let after = 0;
	for (;;) {
		const entries = await readJournal({ after, limit: 3 });
		if (entries.length === 0) break;
		seen.push(...entries.map(({ url }: { url: string }) => url).reverse());
		after = entries[0].n;
	}
	expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `/v1/dossiers?q=word${n}`));
	const latest = await readJournal({ limit: 2 });
	expect(latest.map(({ url }: { url: string }) => url)).toEqual([
		'/v1/dossiers?q=word6',
		'/v1/dossiers?q=word5',
	]);
});

test('a switch takes a number for its text', async () => {
	const { status, data } = await control.client.patch('/switches', {
		switches: { uploadRefusal: 415 },
	});
	expect([status, data.switches.uploadRefusal.value]).toEqual([200, '415']);
});

test('without rate limits, nobody waits for the next link or code', async () => {
	const statuses = [];
	for (let n = 0; n < 3; n++) {
		const link = await anyone.post('/portal/auth/magic-link', { email: 'kim@client.example' });
		const code = await anyone.post('/portal/auth/sms-otp', { phone: '+493012345678' });
		statuses.push(link.status, code.status);
	}
	expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
});

test('a due date that no year of four digits can hold in UTC is refused', async () => {
	const due_at = '9999-12-31T23:59:59-12:00';
	const created = await client.post('/tasks', { title: 'Late', due_at });
	expectRefusal(created, 422, 'VALIDATION_ERROR');
	expect(created.data.error.details[0].field).toBe('due_at');
	const { id } = (await client.post('/tasks', { title: 'Call' })).data;
	const patched = await client.patch(`/tasks/${id}`, { due_at });
	expectRefusal(patched, 422, 'VALIDATION_ERROR');
	const listed = await client.get('/tasks', { params: { due_before: due_at } });
	expectRefusal(listed, 400, 'INVALID_PARAMETER');
	const dossier = await client.post('/dossiers', { title: 'Late', due_at });
	expectRefusal(dossier, 422, 'VALIDATION_ERROR');
	const last = '9999-12-31T23:59:59Z';
	expect((await client.post('/tasks', { title: 'Last', due_at: last })).status).toBe(201);
	expect((await customer.get('/tenants/workspace-bootstrap')).status).toBe(200);
});
