import type { AxiosResponse } from 'axios';
import { parse } from 'csv-parse/sync';
import type { Profile } from '../src/index.ts';
import { connectCustomer, makeForm, makeUpload, readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const profiles: Profile[] = ['default', 'given-only', 'alternate'];

describe.each(profiles)('with the profile %s', (profile) => {
	const plain = profile !== 'alternate';
	const { client, customer, operator, sandbox, organization } = useSandbox({ profile });

	const record = ({ data }: AxiosResponse) => (plain ? data : data.data);
	const at = (id: string) => encodeURIComponent(id);
	const dossier = async () => record(await client.post('/dossiers', { title: 'Lease' }));
	const listFields = ({ data }: AxiosResponse): string[] =>
		plain
			? data.error.details.map(({ field }: { field: string }) => field)
			: Object.keys(data.error.details);
	const gone = async (path: string, id: string) => {
		const answer = await client.delete(`${path}/${at(id)}`);
		expect(answer.status).toBe(plain ? 200 : 204);
		expect(answer.data).toEqual(plain ? { id, deleted: true } : '');
	};

	test('tasks.create and tasks.list work', async () => {
		const { id } = await dossier();
		const answer = await client.post('/tasks', { title: 'Call', dossier_id: id, priority: 'high' });
		expect(answer.status).toBe(201);
		expect(record(answer)).toMatchObject({ title: 'Call', dossier_id: id, status: 'pending' });
		const listed = await client.get('/tasks');
		expect(listed.data.data).toEqual([record(answer)]);
		const none = await client.get('/tasks', { params: { priority: 'low' } });
		expect(none.data.data).toHaveLength(plain ? 0 : 1);

		const wrong = await client.post('/tasks', { title: 'Call', dossier_id: 'none' });
		expect(readRefusal(wrong)).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(listFields(wrong)).toEqual(['dossier_id']);
		const untitled = await client.post('/tasks', {});
		expect(readRefusal(untitled)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		const page = plain ? { page: 0 } : { cursor: 'nonsense' };
		expect(readRefusal(await client.get('/tasks', { params: page }))).toEqual(
			refused(400, 'INVALID_PARAMETER'),
		);
	});

	test('tasks.update and tasks.delete work', async () => {
		const task = record(await client.post('/tasks', { title: 'Call', description: 'Today' }));
		const path = `/tasks/${at(task.id)}`;
		const changed = await client.patch(path, { status: 'completed', description: null });
		expect(changed.status).toBe(200);
		expect(record(changed)).toMatchObject({ title: 'Call', description: null });
		expect(record(changed).completed_at).not.toBeNull();
		expect(readRefusal(await client.patch(path, { status: 'done' }))).toEqual(
			refused(422, 'VALIDATION_ERROR'),
		);
		await gone('/tasks', task.id);
		expect(readRefusal(await client.patch(path, {}))).toEqual(refused(404, 'TASK_NOT_FOUND'));
		expect(readRefusal(await client.delete(path))).toEqual(refused(404, 'TASK_NOT_FOUND'));
	});

	test('audit.list returns the entries, and refuses invalid parameters', async () => {
		const { id } = await dossier();
		const { data } = await client.get('/audit-log', { params: { action: 'dossier.created' } });
		expect(data.data).toMatchObject([{ action: 'dossier.created', target: { id } }]);
		const params = plain ? { from: 'yesterday' } : { cursor: 'nonsense' };
		expect(readRefusal(await client.get('/audit-log', { params }))).toEqual(
			refused(400, 'INVALID_PARAMETER'),
		);
	});

	test('audit.export returns CSV or JSON', async () => {
		const { id } = await dossier();
		const path = '/audit-log/export';
		const rows: { target_id: string }[] = parse((await client.get(path)).data, { columns: true });
		expect(rows.map(({ target_id }) => target_id)).toEqual([id]);
		const { data } = await client.get(path, { params: { format: 'json' } });
		expect(data).toMatchObject([{ target: { id } }, { action: 'audit_log.exported' }]);
		expect(readRefusal(await client.get(path, { params: { format: 'xml' } }))).toEqual(
			refused(400, 'INVALID_PARAMETER'),
		);
	});

	test('workspace.bootstrap reads the context from the headers of the profile', async () => {
		const answer = await customer.get('/tenants/workspace-bootstrap');
		expect(answer.status).toBe(200);
		expect(record(answer)).toMatchObject({
			user: { name: 'Mara Lindt' },
			plan: 'business',
			limits: { page_size_max: plain ? 100 : 10 },
		});
		const { tenant, business_units } = record(answer);
		const x = plain ? 'X-' : '';
		const shown = { [`${x}Tenant-ID`]: tenant.id, [`${x}Business-Unit-ID`]: business_units[1].id };
		const again = await customer.get('/tenants/workspace-bootstrap', { headers: shown });
		expect(record(again)).toEqual(record(answer));
		const other = connectCustomer(sandbox(), organization(), plain ? '' : 'X-');
		expect(readRefusal(await other.get('/tenants/workspace-bootstrap'))).toEqual(
			refused(400, 'MISSING_REQUIRED_FIELD'),
		);
	});

	test('workspace.documents.create takes the formats of the profile', async () => {
		const { id } = await dossier();
		const json = await customer.post('/tenants/documents', makeUpload('text', { dossier_id: id }));
		const form = await customer.post(
			'/tenants/documents',
			makeForm('text', 'note.txt', { dossier_id: id }),
		);
		expect([json.status, form.status]).toEqual(
			{ default: [201, 201], 'given-only': [201, 400], alternate: [415, 201] }[profile],
		);
		const taken = plain ? json : form;
		expect(record(taken)).toMatchObject({ dossier_id: id, size_bytes: 4 });
		const nowhere = plain
			? makeUpload('text', { dossier_id: 'none' })
			: makeForm('text', 'note.txt', { dossier_id: 'none' });
		expect(readRefusal(await customer.post('/tenants/documents', nowhere))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
	});

	test('workspace.dossiers.update merges, and allows only valid transitions', async () => {
		const { id } = await dossier();
		const path = `/tenants/dossiers/${at(id)}`;
		const answer = await customer.patch(path, { custom_fields: { rent: 900 } });
		expect(answer.status).toBe(200);
		expect(record(answer)).toMatchObject({ id, title: 'Lease', custom_fields: { rent: 900 } });
		expect(readRefusal(await customer.patch(path, { status: 'archived' }))).toEqual(
			refused(422, 'INVALID_STATE_TRANSITION'),
		);
		expect(readRefusal(await customer.patch('/tenants/dossiers/none', {}))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
	});

	test('admin.tenants.list and admin.featureFlags.set work', async () => {
		const { data } = await operator.get('/admin/tenants', { params: { per_page: 10 } });
		const tenant = data.data.find(
			({ organization_id }: { organization_id: string }) =>
				!plain || organization_id === organization().id,
		);
		const flag = { key: 'beta', enabled: true, tenant_id: tenant.id };
		const answer = await operator.post('/admin/feature-flags', flag);
		expect(answer.status).toBe(200);
		expect(record(answer)).toEqual({ ...flag, business_unit_id: null });
		const none = { ...flag, tenant_id: 'none' };
		expect(readRefusal(await operator.post('/admin/feature-flags', none))).toEqual(
			refused(404, 'TENANT_NOT_FOUND'),
		);
		expect(readRefusal(await customer.get('/admin/tenants'))).toEqual(refused(403, 'FORBIDDEN'));
	});
});
