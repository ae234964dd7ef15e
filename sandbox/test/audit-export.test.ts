import { parse } from 'csv-parse/sync';
import { readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, operator, sandbox, organization } = useSandbox({ plan: 'enterprise' });

const entries = async (params: object = {}) =>
	(await client.get('/audit-log', { params: { per_page: 100, ...params } })).data.data;
const exported = async (params: object = {}) => await client.get('/audit-log/export', { params });

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
		target_id: newest?.target.id,
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
	for (let n = 0; n < 520; n += 40) {
		await Promise.all(
			Array.from({ length: 40 }, async (_, m) => {
				await client.post('/tasks', { title: `Task ${n + m}` });
			}),
		);
	}
	const all = (await exported({ format: 'json' })).data;
	expect(all).toHaveLength(521);
	expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(521);
	expect(parse((await exported()).data)).toHaveLength(523);
	const later = (await exported({ format: 'json', from: all[1].created_at })).data;
	expect(later[0].id).toBe(all[1].id);
	const early = (await exported({ format: 'json', to: all[1].created_at })).data;
	expect(early.map(({ target }: { target: { id: string } }) => target.id)).toEqual([first.id]);
	expect(readRefusal(await exported({ format: 'xml' }))).toEqual(refused(400, 'INVALID_PARAMETER'));
	expect(readRefusal(await exported({ to: '2026-02-30' }))).toEqual(
		refused(400, 'INVALID_PARAMETER'),
	);
});

test('a feature flag switches the export off for a tenant', async () => {
	const set = { key: 'audit_log_export', tenant_id: organization().tenantId };
	await operator.post('/admin/feature-flags', { ...set, enabled: false });
	expect(readRefusal(await exported())).toEqual(refused(403, 'FEATURE_DISABLED'));
	expect((await client.get('/audit-log')).status).toBe(200);
});
