import { parse } from 'csv-parse/sync';
import {
	connect,
	expectRefusal,
	findOrganization,
	makePerson,
	makeUpload,
	readRefusal,
	readToken,
	refused,
} from './clients.mts';
import type { components } from '../src/index.mts';
import { useSandbox } from './use-sandbox.mts';

const {
	client,
	customer,
	operator,
	anyone,
	dataDir,
	sandbox,
	organization,
	connectStranger,
	openSandbox,
	withDatabase,
} = useSandbox({ plan: 'enterprise' });

type Entry = components['schemas']['AuditEntry'];

const entries = async (params: object = {}): Promise<Entry[]> =>
	(await client.get('/audit-log', { params: { per_page: 100, ...params } })).data.data;
const actions = async (params: object = {}) => (await entries(params)).map(({ action }) => action);
const exported = async (params: object = {}) => await client.get('/audit-log/export', { params });

test('every write, download, sign-in and export makes an entry, and reading makes none', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	await client.put(`/dossiers/${id}`, { title: 'Lease', status: 'in_progress' });
	const upload = async () =>
		(await client.post(`/dossiers/${id}/documents`, makeUpload('x'))).data.id;
	const [first] = [await upload(), await upload()];
	await client.get(`/documents/${first}`);
	await client.get(`/documents/${first}/download`);
	await client.delete(`/documents/${first}`);
	const task = (await client.post('/tasks', { title: 'Call', dossier_id: id })).data.id;
	await client.patch(`/tasks/${task}`, { status: 'completed' });
	const { data: invitation } = await client.post('/portal/invite', {
		...makePerson(),
		dossier_ids: [],
	});
	const token = readToken(invitation.invite_url);
	await anyone.post('/portal/auth/magic-link', { token });
	await client.delete(`/portal/users/${invitation.portal_user_id}`);
	const webhook = { url: 'http://127.0.0.1:9/', events: ['task.due_soon'] };
	const hook = (await client.post('/webhooks', webhook)).data.id;
	await client.delete(`/webhooks/${hook}`);
	await customer.patch(`/tenants/dossiers/${id}`, { type: 'lease' });
	await operator.post('/admin/feature-flags', {
		key: 'beta',
		enabled: true,
		tenant_id: organization().tenantId,
	});
	await exported();
	await client.delete(`/dossiers/${id}`);
	expect(await actions({ order: 'asc' })).toEqual([
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
		'webhook.created',
		'webhook.deleted',
		'dossier.updated',
		'feature_flag.set',
		'audit_log.exported',
		'document.deleted',
		'task.deleted',
		'dossier.deleted',
	]);
});

test('an entry says who changed what, from which address and by which request', async () => {
	const answer = await client.post(
		'/dossiers',
		{ title: 'Lease', tags: ['a'] },
		{ headers: { 'User-Agent': 'a test' } },
	);
	const { id } = answer.data;
	await client.put(`/dossiers/${id}`, { title: 'Lease', status: 'in_progress' });
	await customer.patch(`/tenants/dossiers/${id}`, { title: 'Sublease' });
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

test('a refused request makes no entry', async () => {
	await client.post('/dossiers', { title: '' });
	await client.post('/tasks', { title: 'a', dossier_id: 'none' });
	await client.get('/documents/none/download');
	await client.post('/portal/invite', { email: 'a@b.example', dossier_ids: ['none'] });
	await client.delete('/tasks/none');
	expect(await entries()).toEqual([]);
});

test('live data, test data and each organization have separate logs', async () => {
	await client.post('/dossiers', { title: 'Real' });
	const trial = connect(sandbox(), organization(), organization().testKey);
	const stranger = await connectStranger();
	for (const other of [trial, stranger]) {
		expect((await other.get('/audit-log')).data.pagination.total).toBe(0);
		const { data } = await other.get('/audit-log/export', { params: { format: 'json' } });
		expect(data).toEqual([]);
	}
});

test('the list starts with the newest entry and can be filtered by action, actor, target and time', async () => {
	const one = (await client.post('/dossiers', { title: 'One' })).data;
	await sandbox().clock.move(1000);
	const other = (await client.post('/dossiers', { title: 'Other' })).data;
	await client.post('/tasks', { title: 'Task' });
	const [, second] = await entries();
	expect(await actions()).toEqual(['task.created', 'dossier.created', 'dossier.created']);
	expect(await entries({ target_id: one.id })).toHaveLength(1);
	expect(await actions({ target_type: 'task' })).toEqual(['task.created']);
	expect(await entries({ action: 'dossier.created', actor_id: second?.actor.id })).toHaveLength(2);
	expect(await entries({ actor_id: 'nobody' })).toEqual([]);
	expect((await entries({ from: other.created_at, order: 'asc' }))[0]?.target?.id).toBe(other.id);
	expect((await entries({ to: other.created_at })).map(({ target }) => target?.id)).toEqual([
		one.id,
	]);
	const walked = [];
	for (const page of [1, 2, 3]) walked.push(...(await entries({ per_page: 1, page })));
	expect(walked).toEqual(await entries());
	const get = async (params: object) => readRefusal(await client.get('/audit-log', { params }));
	expect(await get({ from: 'yesterday' })).toEqual(refused(400, 'INVALID_PARAMETER'));
	expect(await get({ action: 'DROP TABLE' })).toEqual(refused(400, 'INVALID_PARAMETER'));
	expect(await get({ target_type: 'planet' })).toEqual(refused(400, 'INVALID_PARAMETER'));
});

test('entries with the same time keep their order', async () => {
	for (let n = 0; n < 30; n++) await client.post('/tasks', { title: `Task ${n}` });
	const labels = (await entries({ order: 'asc' })).map(({ target }) => target?.label);
	expect(labels).toEqual(Array.from({ length: 30 }, (_, n) => `Task ${n}`));
});

test('the database itself refuses to change or delete an entry', async () => {
	const own = await openSandbox({ dataDir });
	await connect(own, findOrganization(own, 'business')).post('/dossiers', { title: 'a' });
	await own.close();
	for (const change of [
		`UPDATE audit_entries SET fields = '{}'`,
		'DELETE FROM audit_entries',
		'REPLACE INTO audit_entries (dataset, fields) SELECT dataset, fields FROM audit_entries',
	]) {
		const exec = () => withDatabase((database) => database.exec(change));
		expect(exec).toThrow('The audit log is append-only.');
	}
});

test('the CSV keeps every value, and no cell starts a formula', async () => {
	const titles = ['=1+1', '+49', '-1', '@SUM(A1)', 'a "quoted", one', 'plain', 'ü 相続'];
	for (const title of titles) await client.post('/dossiers', { title });
	const answer = await exported();
	expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
	expect(answer.headers['content-disposition']).toMatch(
		/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/,
	);
	const rows: Record<string, string>[] = parse(answer.data, { columns: true });
	expect(Object.keys(rows[0] ?? {})).toEqual(
		'id,action,actor_type,actor_id,actor_name,target_type,target_id,target_label,ip_address,user_agent,request_id,created_at,changes'.split(
			',',
		),
	);
	expect(rows.map(({ target_label }) => target_label)).toEqual([
		"'=1+1",
		"'+49",
		"'-1",
		"'@SUM(A1)",
		'a "quoted", one',
		'plain',
		'ü 相続',
	]);
	const [newest] = await entries({ action: 'dossier.created' });
	expect(rows.at(-1)).toEqual({
		id: newest?.id,
		action: 'dossier.created',
		actor_type: 'api_key',
		actor_id: newest?.actor.id,
		actor_name: '',
		target_type: 'dossier',
		target_id: newest?.target?.id,
		target_label: 'ü 相続',
		ip_address: '127.0.0.1',
		user_agent: expect.stringContaining('axios'),
		request_id: newest?.request_id,
		created_at: newest?.created_at,
		changes: '{}',
	});
});

test('the JSON is the list with the oldest entry first, and the next export contains this one', async () => {
	for (const title of ['a', 'b']) await client.post('/tasks', { title });
	const before = await entries({ order: 'asc' });
	const answer = await exported({ format: 'json' });
	expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
	expect(answer.headers['content-disposition']).toMatch(/\.json"$/);
	expect(answer.data).toEqual(before);
	const again = (await exported({ format: 'json' })).data;
	expect(again.at(-1)).toMatchObject({
		action: 'audit_log.exported',
		target: { type: 'audit_log', id: null },
	});
});

test('an export contains every entry of a long log, or those between two times', async () => {
	const first = (await client.post('/dossiers', { title: 'a' })).data;
	await sandbox().clock.move(60_000);
	const owner = { organization_id: organization().id, environment: 'live' } as const;
	await sandbox().addExamples(owner, { dossiers: 1, documents: 0, tasks: 519 });
	const all = (await exported({ format: 'json' })).data;
	expect(all).toHaveLength(521);
	expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(521);
	expect(parse((await exported()).data)).toHaveLength(523);
	const later = (await exported({ format: 'json', from: all[1].created_at })).data;
	expect(later[0].id).toBe(all[1].id);
	const early = (await exported({ format: 'json', to: all[1].created_at })).data;
	expect(early.map(({ target }: { target: { id: string } }) => target.id)).toEqual([first.id]);
	expectRefusal(await exported({ format: 'xml' }), 400, 'INVALID_PARAMETER');
	expectRefusal(await exported({ to: '2026-02-30' }), 400, 'INVALID_PARAMETER');
});

test('HEAD of a download or of an export is not in the audit log', async () => {
	const dossier = (await client.post('/dossiers', { title: 'Case' })).data.id;
	const { id } = (await client.post(`/dossiers/${dossier}/documents`, makeUpload('a'))).data;
	const head = await client.head(`/documents/${id}/download`);
	expect([head.status, head.headers['content-length']]).toEqual([200, '1']);
	expect((await client.head('/audit-log/export')).status).toBe(200);
	expect(await actions({ order: 'asc' })).toEqual(['dossier.created', 'document.uploaded']);
});
