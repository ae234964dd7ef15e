import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, formOf, organizationOf, refusalOf, refused, uploadOf } from './client.ts';
import { controlOf, hour } from './control.ts';

let sandbox: Sandbox;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
	sandbox = await createSandbox();
});
beforeEach(() => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
});
afterAll(async () => {
	await sandbox.close();
});

const under = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const count = async (path: string) => (await client.get(path)).data.pagination.total;

test('the same request under the same key is done once and answered alike', async () => {
	const first = await client.post('/dossiers', { title: 'a' }, under('k1'));
	const again = await client.post('/dossiers', { title: 'a' }, under('k1'));
	expect(again.status).toBe(201);
	expect(again.data).toEqual(first.data);
	expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
	expect(await count('/dossiers')).toBe(1);
});

test('without a key, or under another, it is done again', async () => {
	await client.post('/dossiers', { title: 'a' });
	await client.post('/dossiers', { title: 'a' });
	await client.post('/dossiers', { title: 'a' }, under('k2'));
	expect(await count('/dossiers')).toBe(3);
});

test('another request under the same key is 422', async () => {
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	const other = await client.post('/dossiers', { title: 'b' }, under('k1'));
	expect(refusalOf(other)).toEqual(refused(422, 'VALIDATION_ERROR'));
	expect(other.data.error.details).toEqual([
		{ field: 'Idempotency-Key', code: 'reused', message: expect.any(String) },
	]);
	expect(await count('/dossiers')).toBe(1);
});

test('requests that come at the same time are done once', async () => {
	const answers = await Promise.all(
		Array.from({ length: 8 }, () => client.post('/dossiers', { title: 'a' }, under('k1'))),
	);
	expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
	expect(await count('/dossiers')).toBe(1);
});

test('a refused request may come again and is then done', async () => {
	await client.post('/dossiers', { title: 'a', reference: 'R' });
	const body = { title: 'b', reference: 'R' };
	expect((await client.post('/dossiers', body, under('k1'))).status).toBe(422);
	const [taken] = (await client.get('/dossiers')).data.data;
	await client.delete(`/dossiers/${taken.id}`);
	expect((await client.post('/dossiers', body, under('k1'))).status).toBe(201);
});

test('uploads count by their content, whatever the form looks like', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const path = `/dossiers/${id}/documents`;
	const form = (content: string) => formOf(content, 'note.txt');
	const first = await client.post(path, form('text'), under('f'));
	expect((await client.post(path, form('text'), under('f'))).data).toEqual(first.data);
	expect((await client.post(path, form('other'), under('f'))).status).toBe(422);
	const json = await client.post(path, uploadOf('text'), under('j'));
	expect((await client.post(path, uploadOf('text'), under('j'))).data).toEqual(json.data);
	expect(await count(path)).toBe(2);
});

test('a key is forgotten after 24 hours', async () => {
	const first = await client.post('/dossiers', { title: 'a' }, under('k1'));
	await controlOf(sandbox).move(24 * hour - 60_000);
	expect((await client.post('/dossiers', { title: 'a' }, under('k1'))).data).toEqual(first.data);
	await controlOf(sandbox).move(60_000);
	const later = await client.post('/dossiers', { title: 'a' }, under('k1'));
	expect(later.data.id).not.toBe(first.data.id);
});

test('no token is in the database with an answer that is kept, and answers go when their time is over', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'repeats-test-'));
	const stored = () => {
		const database = new DatabaseSync(join(dataDir, 'service.db'));
		const rows = database.prepare('SELECT body FROM kept_answers').all();
		database.close();
		return rows.map(({ body }) => (body instanceof Uint8Array ? Buffer.from(body) : body));
	};
	try {
		const first = await createSandbox({ dataDir });
		const organization = organizationOf(first, 'business');
		const body = { email: 'a@client.example', dossier_ids: [] };
		const invite = async (sandbox: Sandbox) =>
			(await clientOf(sandbox, organization).post('/portal/invite', body, under('k1'))).data;
		const invited = await invite(first);
		const token = String(invited.invite_url).split('/').at(-1) ?? '';
		expect(token).not.toBe('');
		await first.close();
		expect(stored()).toHaveLength(1);
		for (const one of stored()) expect(String(one)).not.toMatch(/usr_|invite_url|expires_at/);
		expect(stored().join('')).not.toContain(token);

		const second = await createSandbox({ dataDir });
		expect(await invite(second)).toEqual(invited);
		second.clock.move(24 * hour);
		await second.close();
		expect(stored()).toEqual([]);
	} finally {
		rmSync(dataDir, { recursive: true });
	}
});

test('keys of one organization mean nothing to another', async () => {
	await client.post('/dossiers', { title: 'a' }, under('k1'));
	const other = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	expect((await other.post('/dossiers', { title: 'b' }, under('k1'))).status).toBe(201);
});

test('a key that is too long is 400', async () => {
	const answer = await client.post('/dossiers', { title: 'a' }, under('k'.repeat(256)));
	expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_PARAMETER'));
});

test('the switch makes the service ignore keys', async () => {
	const plain = await createSandbox({ switches: { idempotency: 'off' } });
	try {
		const caller = clientOf(plain, plain.createOrganization({ plan: 'business' }));
		await caller.post('/dossiers', { title: 'a' }, under('k1'));
		await caller.post('/dossiers', { title: 'a' }, under('k1'));
		expect((await caller.get('/dossiers')).data.pagination.total).toBe(2);
	} finally {
		await plain.close();
	}
});
