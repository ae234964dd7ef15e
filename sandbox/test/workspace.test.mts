import type { AxiosResponse } from 'axios';
import {
	connectCustomer,
	expectRefusal,
	makeForm,
	makePerson,
	makeUpload,
	readRefusal,
	refused,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { anyone, client, customer, operator, sandbox, organization, connectStranger } = useSandbox({
	maxFileBytes: 100_000,
});

const dossier = async (fields: object = {}) =>
	(await client.post('/dossiers', { title: 'Lease', ...fields })).data;
const bootstrap = async () => (await customer.get('/tenants/workspace-bootstrap')).data;

test('the bootstrap gives the user, the tenant and the limits of the plan', async () => {
	expect(await bootstrap()).toEqual({
		user: {
			id: expect.stringMatching(/^usr_\w+$/),
			name: 'Mara Lindt',
			email: 'mara.lindt@customer.example',
		},
		tenant: {
			id: organization().tenantId,
			name: organization().name,
			organization_id: organization().id,
		},
		business_units: [
			{ id: organization().businessUnitId, name: 'Head Office' },
			{ id: expect.stringMatching(/^bu_\w+$/), name: 'Branch Office' },
		],
		plan: 'business',
		feature_flags: {
			portal_invites: true,
			portal_qr_invites: true,
			audit_log_export: true,
			workspace_writes: true,
		},
		limits: {
			requests_per_minute: 100,
			requests_per_hour: 1000,
			upload_max_bytes: 100_000,
			page_size_max: 100,
		},
	});
});

describe('creating a document in the workspace', () => {
	const path = '/tenants/documents';

	test.each(['JSON', 'a form'])(
		'takes %s, and the integration API has the document',
		async (kind) => {
			const { id } = await dossier();
			const { status, data } =
				kind === 'JSON'
					? await customer.post(path, makeUpload('text', { dossier_id: id }))
					: await customer.post(path, makeForm('text', 'note.txt', { dossier_id: id }));
			expect(status).toBe(201);
			const { user } = await bootstrap();
			expect(data).toMatchObject({ dossier_id: id, size_bytes: 4, uploaded_by: user.id });
			expect((await client.get(`/documents/${data.id}/download`)).data).toBe('text');
			expect((await client.get(`/dossiers/${id}`)).data.document_count).toBe(1);
		},
	);

	test('refuses a missing, unknown, foreign or archived dossier', async () => {
		const { id } = await dossier();
		const expectRefused = async (body: unknown, status: number, code: string) =>
			expectRefusal(await customer.post(path, body), status, code);
		await expectRefused(makeUpload('text'), 400, 'MISSING_REQUIRED_FIELD');
		await expectRefused(makeForm('text', 'a.txt'), 400, 'MISSING_REQUIRED_FIELD');
		await expectRefused(makeUpload('text', { dossier_id: 'dos_none' }), 404, 'DOSSIER_NOT_FOUND');
		const stranger = await connectStranger();
		const other = (await stranger.post('/dossiers', { title: 'Not yours' })).data;
		await expectRefused(makeUpload('text', { dossier_id: other.id }), 404, 'DOSSIER_NOT_FOUND');
		const closed = await dossier({ status: 'archived' });
		await expectRefused(
			makeUpload('text', { dossier_id: closed.id }),
			422,
			'INVALID_STATE_TRANSITION',
		);
		expect((await client.get(`/dossiers/${id}/documents`)).data.pagination.total).toBe(0);
	});
});

describe('updating a dossier in the workspace', () => {
	const patch = async (id: string, body: unknown) =>
		await customer.patch(`/tenants/dossiers/${id}`, body);

	test('is a merge patch, also of nested objects', async () => {
		const before = await dossier({
			description: 'Ground floor',
			contact: { name: 'Jana', email: 'jana@client.example' },
			tags: ['a'],
			custom_fields: { rent: 900, floor: { number: 0, name: 'ground' } },
		});
		const { status, data } = await patch(before.id, {
			description: null,
			status: 'in_progress',
			contact: { email: null, phone: '123' },
			tags: ['b'],
			custom_fields: { rent: null, floor: { name: 'first' }, deep: { new: [1] } },
			id: 'dos_mine',
			document_count: 7,
		});
		expect(status).toBe(200);
		expect(data).toEqual({
			...before,
			description: null,
			status: 'in_progress',
			contact: { name: 'Jana', email: null, phone: '123' },
			tags: ['b'],
			custom_fields: { floor: { number: 0, name: 'first' }, deep: { new: [1] } },
			updated_at: data.updated_at,
		});
		expect((await client.get(`/dossiers/${before.id}`)).data).toEqual(data);
		expect((await patch(before.id, { contact: null, tags: null })).data).toMatchObject({
			contact: null,
			tags: [],
			title: 'Lease',
		});
		expect((await patch(before.id, {})).status).toBe(200);
	});

	test('cannot change a prototype', async () => {
		const { id } = await dossier();
		const json = { headers: { 'Content-Type': 'application/json' } };
		const body =
			'{"custom_fields": {"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}}';
		const { status } = await customer.patch(`/tenants/dossiers/${id}`, body, json);
		expect(status).toBe(200);
		expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
	});

	test('applies the rules of a dossier', async () => {
		const { id } = await dossier({ reference: 'R-1' });
		await dossier({ reference: 'R-2' });
		const refusal = async (body: unknown) => readRefusal(await patch(id, body));
		expect(await refusal({ title: null })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(await refusal({ title: '' })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(await refusal({ status: 'closed' })).toEqual(refused(422, 'INVALID_STATE_TRANSITION'));
		expect(await refusal({ reference: 'R-2' })).toEqual(refused(422, 'DUPLICATE_REFERENCE'));
		const many = (from: number) =>
			Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field_${from + n}`, n]));
		expect((await patch(id, { custom_fields: many(0) })).status).toBe(200);
		expect(await refusal({ custom_fields: many(60) })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expectRefusal(await patch('none', { title: '' }), 404, 'DOSSIER_NOT_FOUND');
		expect((await client.get(`/dossiers/${id}`)).data).toMatchObject({
			reference: 'R-1',
			status: 'open',
		});
	});
});

const flag = async (fields: object) =>
	await operator.post('/admin/feature-flags', { enabled: false, ...fields });

test('the administration refuses API keys and customer tokens', async () => {
	const path = '/admin/tenants';
	expectRefusal(await anyone.get(path), 401, 'INVALID_TOKEN');
	expectRefusal(await customer.get(path), 403, 'FORBIDDEN');
	const headers = { Authorization: `Bearer ${organization().liveKey}` };
	expectRefusal(await anyone.get(path, { headers }), 401, 'INVALID_TOKEN');
	const set = await customer.post('/admin/feature-flags', { key: 'beta', enabled: true });
	expectRefusal(set, 403, 'FORBIDDEN');
});

test('an operator lists all tenants page by page', async () => {
	const seen: { id: string }[] = [];
	for (let page = 1, more = true; more; page++) {
		const { data } = await operator.get('/admin/tenants', { params: { page, per_page: 3 } });
		seen.push(...data.data);
		more = data.pagination.has_more;
	}
	expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
	expect(seen).toContainEqual({
		id: organization().tenantId,
		name: organization().name,
		organization_id: organization().id,
		plan: 'business',
		business_units: expect.arrayContaining([
			{ id: organization().businessUnitId, name: 'Head Office' },
		]),
		created_at: expect.stringMatching(/Z$/),
	});
	const wrong = await operator.get('/admin/tenants', { params: { per_page: 101 } });
	expectRefusal(wrong, 400, 'INVALID_PARAMETER');
});

test('a feature flag for a business unit overrides that of its tenant, which overrides the general one', async () => {
	const { tenantId: tenant_id, businessUnitId: business_unit_id } = organization();
	const key = 'beta.search';
	const shown = async () => (await bootstrap()).feature_flags[key];
	expect(await shown()).toBeUndefined();
	expect((await flag({ key, enabled: true })).data).toEqual({
		key,
		enabled: true,
		tenant_id: null,
		business_unit_id: null,
	});
	expect(await shown()).toBe(true);
	await flag({ key, tenant_id });
	expect(await shown()).toBe(false);
	await flag({ key, tenant_id, business_unit_id, enabled: true });
	expect(await shown()).toBe(true);
	await flag({ key, enabled: false });
	await flag({ key, tenant_id, business_unit_id, enabled: false });
	expect(await shown()).toBe(false);
	const other = connectCustomer(
		sandbox(),
		await sandbox().createOrganization({ plan: 'business' }),
	);
	const { data } = await other.get('/tenants/workspace-bootstrap');
	expect(data.feature_flags[key]).toBe(false);
});

test('a feature flag switches a feature off for a tenant', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	const upload = makeUpload('x', { dossier_id: id });
	const features: [key: string, use: () => Promise<AxiosResponse>][] = [
		['portal_invites', () => client.post('/portal/invite', { ...makePerson(), dossier_ids: [] })],
		['portal_qr_invites', () => client.post('/portal/invite/qr', { dossier_ids: [] })],
		['audit_log_export', () => client.get('/audit-log/export')],
		['workspace_writes', () => customer.patch(`/tenants/dossiers/${id}`, {})],
		['workspace_writes', () => customer.post('/tenants/documents', upload)],
	];
	for (const [key, use] of features) {
		await flag({ key, tenant_id: organization().tenantId });
		expectRefusal(await use(), 403, 'FEATURE_DISABLED');
		expect((await bootstrap()).feature_flags[key]).toBe(false);
		await flag({ key, tenant_id: organization().tenantId, enabled: true });
		expect((await use()).status).toBeLessThan(300);
	}
});

test.each([
	[{ key: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
	[{ enabled: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
	[{ enabled: 'yes' }, 422, 'VALIDATION_ERROR'],
	[{ key: 'Beta' }, 422, 'VALIDATION_ERROR'],
	[{ key: 'constructor', tenant_id: 'ten_none' }, 404, 'TENANT_NOT_FOUND'],
	[{ business_unit_id: 'bu_none' }, 422, 'VALIDATION_ERROR'],
])('the feature flag %j is refused', async (fields, status, code) => {
	expectRefusal(await flag({ key: 'beta', ...fields }), status, code);
});

test('a feature flag for a business unit of another tenant is refused', async () => {
	const other = await sandbox().createOrganization({ plan: 'business' });
	const answer = await flag({
		key: 'beta',
		tenant_id: organization().tenantId,
		business_unit_id: other.businessUnitId,
	});
	expectRefusal(answer, 422, 'VALIDATION_ERROR');
});
