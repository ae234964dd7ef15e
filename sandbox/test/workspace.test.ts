import { request } from 'node:http';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, formOf, refusalOf, refused, uploadOf, waitUntil } from './client.ts';
import { controlOf } from './control.ts';
import { customerOf, operatorOf, publicOf } from './people.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let customer: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox({ maxFileBytes: 100_000 });
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	customer = customerOf(sandbox, organization);
});

const dossier = async (fields: object = {}) =>
	(await client.post('/dossiers', { title: 'Lease', ...fields })).data;
const flag = async (fields: object) =>
	await operatorOf(sandbox).post('/admin/feature-flags', { enabled: false, ...fields });
const bootstrap = async () => (await customer.get('/tenants/workspace-bootstrap')).data;

describe('who signs in to the workspace', () => {
	const path = '/tenants/workspace-bootstrap';

	test('needs a token of a customer that is not too old', async () => {
		const { tenantId, businessUnitId, liveKey } = organization;
		const get = async (token?: string) =>
			refusalOf(
				await publicOf(sandbox).get(path, {
					headers: {
						'X-Tenant-ID': tenantId,
						'X-Business-Unit-ID': businessUnitId,
						...(token !== undefined && { Authorization: `Bearer ${token}` }),
					},
				}),
			);
		expect(await get()).toEqual(refused(401, 'INVALID_TOKEN'));
		expect(await get('ct_unknown')).toEqual(refused(401, 'INVALID_TOKEN'));
		expect(await get(liveKey)).toEqual(refused(401, 'INVALID_TOKEN'));
		expect(await get(sandbox.operatorToken)).toEqual(refused(403, 'FORBIDDEN'));
		const { data } = await controlOf(sandbox).client.post('/customer-tokens', {
			organization_id: organization.id,
			expires_in: 60,
		});
		expect((await get(data.customerToken)).status).toBe(200);
		sandbox.clock.move(60_000);
		expect(await get(data.customerToken)).toEqual(refused(401, 'TOKEN_EXPIRED'));
		expect((await get(organization.customerToken)).status).toBe(200);
	});

	test('names the tenant and one of its business units', async () => {
		const other = sandbox.createOrganization({ plan: 'business' });
		const get = async (tenant: string, unit: string) =>
			refusalOf(
				await customer.get(path, {
					headers: { 'X-Tenant-ID': tenant, 'X-Business-Unit-ID': unit },
				}),
			);
		const { tenantId, businessUnitId } = organization;
		expect(await get('', businessUnitId)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(await get(tenantId, '')).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		const denied = refused(403, 'ORGANIZATION_ACCESS_DENIED');
		expect(await get(other.tenantId, other.businessUnitId)).toEqual(denied);
		expect(await get(tenantId, other.businessUnitId)).toEqual(denied);
		const { business_units } = await bootstrap();
		for (const { id } of business_units) expect((await get(tenantId, id)).status).toBe(200);
	});

	test('has a plan that includes it', async () => {
		const starter = customerOf(sandbox, sandbox.createOrganization({ plan: 'starter' }));
		expect(refusalOf(await starter.get(path))).toEqual(refused(403, 'PLAN_UPGRADE_REQUIRED'));
	});
});

test('the bootstrap tells of the user, the tenant and what the plan allows', async () => {
	expect(await bootstrap()).toEqual({
		user: {
			id: expect.stringMatching(/^usr_\w+$/),
			name: 'Mara Lindt',
			email: 'mara.lindt@customer.example',
		},
		tenant: {
			id: organization.tenantId,
			name: organization.name,
			organization_id: organization.id,
		},
		business_units: [
			{ id: organization.businessUnitId, name: 'Head Office' },
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

describe('creating a document', () => {
	const path = '/tenants/documents';

	test.each(['JSON', 'a form'])('takes %s, and the integration API sees it', async (kind) => {
		const { id } = await dossier();
		const { status, data } =
			kind === 'JSON'
				? await customer.post(path, uploadOf('text', { dossier_id: id }))
				: await customer.post(path, formOf('text', 'note.txt', { dossier_id: id }));
		expect(status).toBe(201);
		const { user } = await bootstrap();
		expect(data).toMatchObject({ dossier_id: id, size_bytes: 4, uploaded_by: user.id });
		expect((await client.get(`/documents/${data.id}/download`)).data).toBe('text');
		expect((await client.get(`/dossiers/${id}`)).data.document_count).toBe(1);
	});

	test('refuses what an upload refuses, and a dossier that is not there', async () => {
		const { id } = await dossier();
		const post = async (body: unknown, headers = {}) =>
			refusalOf(await customer.post(path, body, { headers }));
		expect(await post(uploadOf('text'))).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(await post(formOf('text', 'a.txt'))).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(await post(uploadOf('text', { dossier_id: 'dos_none' }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		expect(await post(uploadOf('text', { dossier_id: id, category: 'No' }))).toEqual(
			refused(422, 'VALIDATION_ERROR'),
		);
		expect(await post(uploadOf('x'.repeat(100_001), { dossier_id: id }))).toEqual(
			refused(422, 'FILE_TOO_LARGE'),
		);
		expect(await post('{"dossier_id"', { 'Content-Type': 'application/json' })).toEqual(
			refused(400, 'INVALID_JSON'),
		);
		expect(await post('x', { 'Content-Type': 'text/plain' })).toEqual(
			refused(400, 'UNSUPPORTED_MEDIA_TYPE'),
		);
		const stranger = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
		const other = (await stranger.post('/dossiers', { title: 'Not yours' })).data;
		expect(await post(uploadOf('text', { dossier_id: other.id }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		const closed = await dossier({ status: 'archived' });
		expect(await post(uploadOf('text', { dossier_id: closed.id }))).toEqual(
			refused(422, 'INVALID_STATE_TRANSITION'),
		);
		expect((await client.get(`/dossiers/${id}/documents`)).data.pagination.total).toBe(0);
	});

	test('leaves nothing when the body stops half way', async () => {
		const { id } = await dossier();
		const { customerToken, tenantId, businessUnitId } = organization;
		const half = JSON.stringify(uploadOf('x'.repeat(50_000), { dossier_id: id })).slice(0, 30_000);
		const broken = request(`${sandbox.url}/api/v1${path}`, {
			method: 'POST',
			headers: {
				Authorization: `Bearer ${customerToken}`,
				'X-Tenant-ID': tenantId,
				'X-Business-Unit-ID': businessUnitId,
				'Content-Type': 'application/json',
				'Content-Length': 70_000,
			},
		});
		let gone = false;
		broken.on('error', () => (gone = true));
		broken.write(half, () => broken.destroy(new Error('The line broke.')));
		await waitUntil(() => gone);
		expect((await client.get(`/dossiers/${id}/documents`)).data.pagination.total).toBe(0);
	});
});

describe('changing a dossier', () => {
	const patch = async (id: string, body: unknown) =>
		await customer.patch(`/tenants/dossiers/${id}`, body);

	test('is a merge patch, down into objects', async () => {
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

	test('cannot smuggle a prototype in', async () => {
		const { id } = await dossier();
		const json = { headers: { 'Content-Type': 'application/json' } };
		const body =
			'{"custom_fields": {"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}}';
		const { status } = await customer.patch(`/tenants/dossiers/${id}`, body, json);
		expect(status).toBe(200);
		expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
	});

	test('keeps to the rules of a dossier', async () => {
		const { id } = await dossier({ reference: 'R-1' });
		await dossier({ reference: 'R-2' });
		const refusal = async (body: unknown) => refusalOf(await patch(id, body));
		expect(await refusal({ title: null })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(await refusal({ title: '' })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(await refusal({ status: 'closed' })).toEqual(refused(422, 'INVALID_STATE_TRANSITION'));
		expect(await refusal({ reference: 'R-2' })).toEqual(refused(422, 'DUPLICATE_REFERENCE'));
		const many = (from: number) =>
			Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field_${from + n}`, n]));
		expect((await patch(id, { custom_fields: many(0) })).status).toBe(200);
		expect(await refusal({ custom_fields: many(60) })).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(refusalOf(await patch('none', { title: '' }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		expect((await client.get(`/dossiers/${id}`)).data).toMatchObject({
			reference: 'R-1',
			status: 'open',
		});
	});
});

describe('the operator', () => {
	test('is needed: keys and customers are refused', async () => {
		const paths = ['/admin/tenants'];
		for (const path of paths) {
			expect(refusalOf(await publicOf(sandbox).get(path))).toEqual(refused(401, 'INVALID_TOKEN'));
			expect(refusalOf(await customer.get(path))).toEqual(refused(403, 'FORBIDDEN'));
			const headers = { Authorization: `Bearer ${organization.liveKey}` };
			const withKey = await publicOf(sandbox).get(path, { headers });
			expect(refusalOf(withKey)).toEqual(refused(401, 'INVALID_TOKEN'));
		}
		const set = await customer.post('/admin/feature-flags', { key: 'beta', enabled: true });
		expect(refusalOf(set)).toEqual(refused(403, 'FORBIDDEN'));
	});

	test('sees all tenants, page by page', async () => {
		const operator = operatorOf(sandbox);
		const seen: { id: string }[] = [];
		for (let page = 1, more = true; more; page++) {
			const { data } = await operator.get('/admin/tenants', { params: { page, per_page: 3 } });
			seen.push(...data.data);
			more = data.pagination.has_more;
		}
		expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
		expect(seen).toContainEqual({
			id: organization.tenantId,
			name: organization.name,
			organization_id: organization.id,
			plan: 'business',
			business_units: expect.arrayContaining([
				{ id: organization.businessUnitId, name: 'Head Office' },
			]),
			created_at: expect.stringMatching(/Z$/),
		});
		const wrong = await operator.get('/admin/tenants', { params: { per_page: 101 } });
		expect(refusalOf(wrong)).toEqual(refused(400, 'INVALID_PARAMETER'));
	});

	test('sets a flag for all, for a tenant and for a business unit; the narrowest holds', async () => {
		const { tenantId: tenant_id, businessUnitId: business_unit_id } = organization;
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
		const other = customerOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
		const { data } = await other.get('/tenants/workspace-bootstrap');
		expect(data.feature_flags[key]).toBe(false);
	});

	test('switches the writes of a workspace off', async () => {
		const { id } = await dossier();
		await flag({ key: 'workspace_writes', tenant_id: organization.tenantId });
		const disabled = refused(403, 'FEATURE_DISABLED');
		expect(refusalOf(await customer.patch(`/tenants/dossiers/${id}`, {}))).toEqual(disabled);
		expect(
			refusalOf(await customer.post('/tenants/documents', uploadOf('x', { dossier_id: id }))),
		).toEqual(disabled);
		expect((await bootstrap()).feature_flags.workspace_writes).toBe(false);
		expect((await client.put(`/dossiers/${id}`, { title: 'By key' })).status).toBe(200);
	});

	test.each([
		[{ key: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
		[{ enabled: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
		[{ enabled: 'yes' }, 422, 'VALIDATION_ERROR'],
		[{ key: 'Beta' }, 422, 'VALIDATION_ERROR'],
		[{ key: 'constructor', tenant_id: 'ten_none' }, 404, 'TENANT_NOT_FOUND'],
		[{ business_unit_id: 'bu_none' }, 422, 'VALIDATION_ERROR'],
	])('cannot set %j', async (fields, status, code) => {
		expect(refusalOf(await flag({ key: 'beta', ...fields }))).toEqual(refused(status, code));
	});

	test('cannot set a flag for a business unit of another tenant', async () => {
		const other = sandbox.createOrganization({ plan: 'business' });
		const answer = await flag({
			key: 'beta',
			tenant_id: organization.tenantId,
			business_unit_id: other.businessUnitId,
		});
		expect(refusalOf(answer)).toEqual(refused(422, 'VALIDATION_ERROR'));
	});
});
