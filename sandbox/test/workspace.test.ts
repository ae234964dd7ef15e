import { request } from 'node:http';
import { makeForm, makeUpload, readRefusal, refused, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, customer, sandbox, organization, connectStranger, listFiles } = useSandbox({
	maxFileBytes: 100_000,
	onDisk: true,
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

	test('refuses what an upload refuses, and an unknown dossier', async () => {
		const { id } = await dossier();
		const post = async (body: unknown, headers = {}) =>
			readRefusal(await customer.post(path, body, { headers }));
		expect(await post(makeUpload('text'))).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(await post(makeForm('text', 'a.txt'))).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(await post(makeUpload('text', { dossier_id: 'dos_none' }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		expect(await post(makeUpload('text', { dossier_id: id, category: 'No' }))).toEqual(
			refused(422, 'VALIDATION_ERROR'),
		);
		expect(await post(makeUpload('x'.repeat(100_001), { dossier_id: id }))).toEqual(
			refused(422, 'FILE_TOO_LARGE'),
		);
		expect(await post('{"dossier_id"', { 'Content-Type': 'application/json' })).toEqual(
			refused(400, 'INVALID_JSON'),
		);
		expect(await post('x', { 'Content-Type': 'text/plain' })).toEqual(
			refused(400, 'UNSUPPORTED_MEDIA_TYPE'),
		);
		const stranger = await connectStranger();
		const other = (await stranger.post('/dossiers', { title: 'Not yours' })).data;
		expect(await post(makeUpload('text', { dossier_id: other.id }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		const closed = await dossier({ status: 'archived' });
		expect(await post(makeUpload('text', { dossier_id: closed.id }))).toEqual(
			refused(422, 'INVALID_STATE_TRANSITION'),
		);
		expect((await client.get(`/dossiers/${id}/documents`)).data.pagination.total).toBe(0);
	});

	test('leaves nothing if the connection breaks in the middle of the body', async () => {
		const { id } = await dossier();
		const { customerToken, tenantId, businessUnitId } = organization();
		const half = JSON.stringify(makeUpload('x'.repeat(50_000), { dossier_id: id })).slice(
			0,
			30_000,
		);
		const broken = request(`${sandbox().url}/api/v1${path}`, {
			method: 'POST',
			headers: {
				Authorization: `Bearer ${customerToken}`,
				'X-Tenant-ID': tenantId,
				'X-Business-Unit-ID': businessUnitId,
				'Content-Type': 'application/json',
				'Content-Length': 70_000,
			},
		});
		const closed = new Promise((resolve) => broken.on('error', resolve));
		broken.write(half);
		await waitUntil(() => listFiles('incoming').length === 1);
		broken.destroy(new Error('The connection broke.'));
		await closed;
		await waitUntil(() => listFiles('incoming').length === 0);
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
		expect(readRefusal(await patch('none', { title: '' }))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
		expect((await client.get(`/dossiers/${id}`)).data).toMatchObject({
			reference: 'R-1',
			status: 'open',
		});
	});
});
