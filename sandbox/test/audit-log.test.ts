import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, refusalOf, refused, uploadOf } from './client.ts';
import { customerOf, operatorOf, publicOf, somebody, tokenIn } from './people.ts';

interface Entry {
	id: string;
	action: string;
	actor: { type: string; id: string | null; name: string | null };
	target: { type: string; id: string | null; label: string | null };
	changes: Record<string, { from?: unknown; to?: unknown }>;
	request_id: string;
	created_at: string;
}

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'enterprise' });
	client = clientOf(sandbox, organization);
});

const entries = async (params: object = {}): Promise<Entry[]> =>
	(await client.get('/audit-log', { params: { per_page: 100, ...params } })).data.data;
const actions = async (params: object = {}) => (await entries(params)).map(({ action }) => action);
const exported = async (params: object = {}) => await client.get('/audit-log/export', { params });

test('every write, download, sign-in and export makes an entry; reading makes none', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	await client.put(`/dossiers/${id}`, { title: 'Lease', status: 'in_progress' });
	const upload = async () =>
		(await client.post(`/dossiers/${id}/documents`, uploadOf('x'))).data.id;
	const [first] = [await upload(), await upload()];
	await client.get(`/documents/${first}`);
	await client.get(`/documents/${first}/download`);
	await client.delete(`/documents/${first}`);
	const task = (await client.post('/tasks', { title: 'Call', dossier_id: id })).data.id;
	await client.patch(`/tasks/${task}`, { status: 'completed' });
	const { data: invitation } = await client.post('/portal/invite', {
		...somebody(),
		dossier_ids: [],
	});
	const token = tokenIn(invitation.invite_url);
	await publicOf(sandbox).post('/portal/auth/magic-link', { token });
	await client.delete(`/portal/users/${invitation.portal_user_id}`);
	const hook = (await client.post('/webhooks', { url: 'http://127.0.0.1:9/', events: [] })).data.id;
	if (hook) await client.delete(`/webhooks/${hook}`);
	await customerOf(sandbox, organization).patch(`/tenants/dossiers/${id}`, { type: 'lease' });
	await operatorOf(sandbox).post('/admin/feature-flags', {
		key: 'beta',
		enabled: true,
		tenant_id: organization.tenantId,
	});
	await exported();
	await client.delete(`/dossiers/${id}`);
	const seen = await actions({ order: 'asc' });
	expect(seen.filter((action) => !action.startsWith('webhook.'))).toEqual([
		'dossier.created',
		'dossier.updated',
		'document.uploaded',
		'document.uploaded',
		'document.downloaded',
		'document.deleted',
		'task.created',
		'task.updated',
		'portal.user_invited',
		'portal.user_signed_in',
		'portal.user_removed',
		'dossier.updated',
		'feature_flag.set',
		'audit_log.exported',
		'document.deleted',
		'task.deleted',
		'dossier.deleted',
	]);
});

test('an entry tells who did what to what, from where, and which request it was', async () => {
	const answer = await client.post(
		'/dossiers',
		{ title: 'Lease', tags: ['a'] },
		{ headers: { 'User-Agent': 'a test' } },
	);
	const { id } = answer.data;
	await client.put(`/dossiers/${id}`, { title: 'Lease', status: 'in_progress' });
	await customerOf(sandbox, organization).patch(`/tenants/dossiers/${id}`, { title: 'Sublease' });
	const [patched, updated, created] = await entries();
	expect(created).toEqual({
		id: expect.stringMatching(/^aud_\w+$/),
		action: 'dossier.created',
		actor: { type: 'api_key', id: expect.stringMatching(/^key_\w+$/), name: null },
		target: { type: 'dossier', id, label: 'Lease' },
		ip_address: '127.0.0.1',
		user_agent: 'a test',
		changes: {},
		request_id: answer.headers['x-request-id'],
		created_at: answer.data.created_at,
	});
	expect(updated?.changes).toEqual({
		status: { from: 'open', to: 'in_progress' },
		tags: { from: ['a'], to: [] },
	});
	expect(patched).toMatchObject({
		actor: { type: 'user', name: 'Mara Lindt' },
		target: { label: 'Sublease' },
		changes: { title: { from: 'Lease', to: 'Sublease' } },
	});
});

test('what was refused is not in the log', async () => {
	await client.post('/dossiers', { title: '' });
	await client.post('/tasks', { title: 'a', dossier_id: 'none' });
	await client.get('/documents/none/download');
	await client.post('/portal/invite', { email: 'a@b.example', dossier_ids: ['none'] });
	await client.delete('/tasks/none');
	expect(await entries()).toEqual([]);
});

test('live and test data, and other organizations, have logs of their own', async () => {
	await client.post('/dossiers', { title: 'Real' });
	const trial = clientOf(sandbox, organization, organization.testKey);
	const stranger = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	for (const other of [trial, stranger]) {
		expect((await other.get('/audit-log')).data.pagination.total).toBe(0);
		const { data } = await other.get('/audit-log/export', { params: { format: 'json' } });
		expect(data).toEqual([]);
	}
});

test('the list is filtered by action, actor, target and time, the newest first', async () => {
	const one = (await client.post('/dossiers', { title: 'One' })).data;
	sandbox.clock.move(1000);
	const other = (await client.post('/dossiers', { title: 'Other' })).data;
	await client.post('/tasks', { title: 'Task' });
	const [, second] = await entries();
	expect(await actions()).toEqual(['task.created', 'dossier.created', 'dossier.created']);
	expect(await entries({ target_id: one.id })).toHaveLength(1);
	expect(await actions({ target_type: 'task' })).toEqual(['task.created']);
	expect(await entries({ action: 'dossier.created', actor_id: second?.actor.id })).toHaveLength(2);
	expect(await entries({ actor_id: 'nobody' })).toEqual([]);
	expect((await entries({ from: other.created_at, order: 'asc' }))[0]?.target.id).toBe(other.id);
	expect((await entries({ to: other.created_at })).map(({ target }) => target.id)).toEqual([
		one.id,
	]);
	const walked = [];
	for (const page of [1, 2, 3]) walked.push(...(await entries({ per_page: 1, page })));
	expect(walked).toEqual(await entries());
	const get = async (params: object) => refusalOf(await client.get('/audit-log', { params }));
	expect(await get({ from: 'yesterday' })).toEqual(refused(400, 'INVALID_PARAMETER'));
	expect(await get({ action: 'DROP TABLE' })).toEqual(refused(400, 'INVALID_PARAMETER'));
	expect(await get({ target_type: 'planet' })).toEqual(refused(400, 'INVALID_PARAMETER'));
});

test('entries of one moment keep their order', async () => {
	for (let n = 0; n < 30; n++) await client.post('/tasks', { title: `Task ${n}` });
	const labels = (await entries({ order: 'asc' })).map(({ target }) => target.label);
	expect(labels).toEqual(Array.from({ length: 30 }, (_, n) => `Task ${n}`));
});

test('nobody changes or removes an entry, not even with the database in hand', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'audit-test-'));
	const own = await createSandbox({ dataDir });
	const [first] = own.organizations;
	if (!first) throw new Error('The sandbox has no organization.');
	await clientOf(own, first).post('/dossiers', { title: 'a' });
	await own.close();
	const database = new DatabaseSync(join(dataDir, 'service.db'));
	const change = `UPDATE audit_entries SET action = 'nothing.happened'`;
	expect(() => database.exec(change)).toThrow('The audit log is append-only.');
	expect(() => database.exec('DELETE FROM audit_entries')).toThrow('The audit log is append-only.');
	const replacement = 'REPLACE INTO audit_entries SELECT * FROM audit_entries';
	expect(() => database.exec(replacement)).toThrow('The audit log is append-only.');
	database.close();
	rmSync(dataDir, { recursive: true });
});
