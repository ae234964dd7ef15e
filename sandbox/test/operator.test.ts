import type { AxiosResponse } from 'axios';
import { connect, connectCustomer, expectRefusal, makePerson, makeUpload } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { customer, operator, anyone, sandbox, organization } = useSandbox();

const flag = async (fields: object) =>
	await operator.post('/admin/feature-flags', { enabled: false, ...fields });
const bootstrap = async () => (await customer.get('/tenants/workspace-bootstrap')).data;

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
	const client = connect(sandbox(), organization());
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
