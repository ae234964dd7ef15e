import type { Sandbox } from '../src/index.mts';
import {
	connect,
	expectRefusal,
	findOrganization,
	hour,
	makeForm,
	makeUpload,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, dataDir, connectStranger, openSandbox, withDatabase } = useSandbox();

const under = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const count = async (path: string) => (await client.get(path)).data.pagination.total;

test('a repeat with the same key gets the same answer and has no effect', async () => {
	const first = await client.post('/dossiers', { title: 'a' }, under('k1'));
	const again = await client.post('/dossiers', { title: 'a' }, under('k1'));
	expect(again.status).toBe(201);
	expect(again.data).toEqual(first.data);
	expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
	expect(await count('/dossiers')).toBe(1);
});

test('a different request with the same key is refused with 422', async () => {
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	const other = await client.post('/dossiers', { title: 'b' }, under('k1'));
	expectRefusal(other, 422, 'VALIDATION_ERROR');
	expect(other.data.error.details).toEqual([
		{ field: 'Idempotency-Key', code: 'reused', message: expect.any(String) },
	]);
	expect(await count('/dossiers')).toBe(1);
});

test('simultaneous requests with the same key take effect once', async () => {
	const answers = await Promise.all(
		Array.from({ length: 8 }, () => client.post('/dossiers', { title: 'a' }, under('k1'))),
	);
	expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
	expect(await count('/dossiers')).toBe(1);
});

test('a refused request can be repeated with the same key', async () => {
	await client.post('/dossiers', { title: 'a', reference: 'R' });
	const body = { title: 'b', reference: 'R' };
	expect((await client.post('/dossiers', body, under('k1'))).status).toBe(422);
	const [taken] = (await client.get('/dossiers')).data.data;
	await client.delete(`/dossiers/${taken.id}`);
	expect((await client.post('/dossiers', body, under('k1'))).status).toBe(201);
});

test('an upload is compared by its content, whatever the boundary of its form', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const path = `/dossiers/${id}/documents`;
	const form = (content: string) => makeForm(content, 'note.txt');
	const first = await client.post(path, form('text'), under('f'));
	expect((await client.post(path, form('text'), under('f'))).data).toEqual(first.data);
	expect((await client.post(path, form('other'), under('f'))).status).toBe(422);
	const json = await client.post(path, makeUpload('text'), under('j'));
	expect((await client.post(path, makeUpload('text'), under('j'))).data).toEqual(json.data);
	expect(await count(path)).toBe(2);
});

test('a key expires after 24 hours', async () => {
	const first = await client.post('/dossiers', { title: 'a' }, under('k1'));
	await control.move(24 * hour - 60_000);
	expect((await client.post('/dossiers', { title: 'a' }, under('k1'))).data).toEqual(first.data);
	await control.move(60_000);
	const later = await client.post('/dossiers', { title: 'a' }, under('k1'));
	expect(later.data.id).not.toBe(first.data.id);
});

test('stored answers survive a restart, and are deleted once their key has expired', async () => {
	const stored = () =>
		withDatabase((database) => database.prepare('SELECT body FROM stored_responses').all());
	const first = await openSandbox({ dataDir });
	const organization = findOrganization(first, 'business');
	const body = { email: 'a@client.example', dossier_ids: [] };
	const invite = async (own: Sandbox) =>
		(await connect(own, organization).post('/portal/invite', body, under('k1'))).data;
	const invited = await invite(first);
	await first.close();
	expect(stored()).toHaveLength(1);

	const second = await openSandbox({ dataDir });
	expect(await invite(second)).toEqual(invited);
	await second.clock.move(24 * hour);
	await second.close();
	await (await openSandbox({ dataDir })).close();
	expect(stored()).toEqual([]);
});

test('the same key of two organizations is two keys', async () => {
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	const other = await connectStranger();
	expect((await other.post('/dossiers', { title: 'b' }, under('k1'))).status).toBe(201);
});

test('a key that is too long is refused with 400', async () => {
	const answer = await client.post('/dossiers', { title: 'a' }, under('k'.repeat(256)));
	expectRefusal(answer, 400, 'INVALID_PARAMETER');
});

test('the service ignores keys if a switch says so', async () => {
	await control.change({ switches: { idempotency: 'ignored' } });
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	expect(await count('/dossiers')).toBe(2);
});
