import {
	connect,
	expectRefusal,
	findOrganization,
	makeForm,
	makePerson,
	makeUpload,
	readRefusal,
	readToken,
	refused,
} from './clients.mts';
import type { Receiver } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const { anyone, client, control, customer, sandbox, organization, registerReceiver } = useSandbox();

const url = 'http://127.0.0.1:9/hook';
const events = ['dossier.created'];

test('a registration returns the secret, and no later request does', async () => {
	const { status, data } = await client.post('/webhooks', { url, events });
	expect(status).toBe(201);
	const { secret, ...webhook } = data;
	expect(webhook).toEqual({
		id: expect.stringMatching(/^whk_/),
		url,
		events,
		status: 'active',
		created_at: expect.stringMatching(/Z$/),
	});
	expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
	expect((await client.get(`/webhooks/${webhook.id}`)).data).toEqual(webhook);
	const list = (await client.get('/webhooks')).data;
	expect(list.data).toEqual([webhook]);
	expect(list.pagination.total).toBe(1);
});

test('a registration can bring its own secret', async () => {
	const secret = 'a secret of the customer';
	expect((await client.post('/webhooks', { url, events, secret })).data.secret).toBe(secret);
});

test('a patch changes the fields that it has and nothing else', async () => {
	const { secret: _secret, ...webhook } = (await client.post('/webhooks', { url, events })).data;
	const path = `/webhooks/${webhook.id}`;
	const disabled = await client.patch(path, { status: 'disabled' });
	expect(disabled.data).toEqual({ ...webhook, status: 'disabled' });
	const moved = await client.patch(path, { url: `${url}/2`, id: 'whk_1', created_at: 'never' });
	expect(moved.data).toEqual({ ...webhook, status: 'disabled', url: `${url}/2` });
	const rotated = await client.patch(path, { secret: 'another secret of 16', status: 'active' });
	expect(rotated.data).toEqual({ ...webhook, url: `${url}/2` });
	expect((await client.get(path)).data).toEqual(rotated.data);
});

test.each([
	{ url: null },
	{ url: 'ftp://x/' },
	{ events: [] },
	{ secret: null },
	{ status: 'off' },
])('a patch with %j is refused and changes nothing', async (patch) => {
	const { secret: _secret, ...webhook } = (await client.post('/webhooks', { url, events })).data;
	const answer = await client.patch(`/webhooks/${webhook.id}`, patch);
	expectRefusal(answer, 422, 'VALIDATION_ERROR');
	expect((await client.get(`/webhooks/${webhook.id}`)).data).toEqual(webhook);
});

test('a deleted webhook and an unknown one are 404', async () => {
	const { id } = (await client.post('/webhooks', { url, events })).data;
	expect((await client.delete(`/webhooks/${id}`)).data).toEqual({ id, deleted: true });
	const none = refused(404, 'WEBHOOK_NOT_FOUND');
	expect(readRefusal(await client.get(`/webhooks/${id}`))).toEqual(none);
	expect(readRefusal(await client.patch(`/webhooks/${id}`, {}))).toEqual(none);
	expect(readRefusal(await client.delete('/webhooks/whk_1'))).toEqual(none);
	expect((await client.get('/webhooks')).data.data).toEqual([]);
});

test('the live key, the test key and each organization have separate webhooks', async () => {
	const { id } = (await client.post('/webhooks', { url, events })).data;
	const others = [
		connect(sandbox(), organization(), organization().testKey),
		connect(sandbox(), findOrganization(sandbox(), 'business')),
	];
	for (const other of others) {
		expect((await other.get(`/webhooks/${id}`)).status).toBe(404);
		expect((await other.delete(`/webhooks/${id}`)).status).toBe(404);
	}
	expect((await client.get(`/webhooks/${id}`)).status).toBe(200);
});

test('the audit log has every change to a webhook, without a secret', async () => {
	const { id, secret } = (await client.post('/webhooks', { url, events })).data;
	const next = 'another secret of 16';
	await client.patch(`/webhooks/${id}`, { secret: next, status: 'disabled' });
	await client.delete(`/webhooks/${id}`);
	const { data } = await client.get('/audit-log', { params: { target_id: id } });
	const entries: { action: string; changes: object }[] = data.data;
	expect(entries.map(({ action, changes }) => ({ action, changes }))).toEqual([
		{ action: 'webhook.deleted', changes: {} },
		{
			action: 'webhook.updated',
			changes: {
				status: { from: 'active', to: 'disabled' },
				secret: { from: '***', to: '***' },
			},
		},
		{ action: 'webhook.created', changes: {} },
	]);
	expect(JSON.stringify(data)).not.toContain(secret);
	expect(JSON.stringify(data)).not.toContain(next);
});

describe('the events of a webhook', () => {
	let hook: Receiver;
	beforeEach(async () => {
		hook = await registerReceiver([
			'document.uploaded',
			'document.deleted',
			'dossier.created',
			'portal.user_invited',
			'portal.user_accessed',
		]);
	});

	/** The deliveries since the last call. */
	async function takeEvents() {
		await control.idle();
		return hook.received.splice(0).map(({ event: { event, data } }) => ({ event, data }));
	}

	test('uploads in both formats and deletions emit events about their document', async () => {
		const { id: dossier_id, created_by } = (await client.post('/dossiers', { title: 'a' })).data;
		await takeEvents();
		const path = `/dossiers/${dossier_id}/documents`;
		const [json, form] = [
			(await client.post(path, makeUpload('a', { category: 'invoice' }))).data,
			(await client.post(path, makeForm('b', 'b.txt', { category: 'contract' }))).data,
		];
		const uploaded = [json, form].map(({ id, category }) => ({
			event: 'document.uploaded',
			data: { document_id: id, dossier_id, uploaded_by: created_by, category },
		}));
		expect(await takeEvents()).toEqual(uploaded);
		const own = await customer.post('/tenants/documents', makeUpload('c', { dossier_id }));
		expect(await takeEvents()).toMatchObject([{ data: { uploaded_by: own.data.uploaded_by } }]);
		await client.delete(`/documents/${own.data.id}`);
		await takeEvents();
		await client.delete(`/documents/${json.id}`);
		const deleted = ({ id, category }: { id: string; category: string }) => ({
			event: 'document.deleted',
			data: { document_id: id, dossier_id, deleted_by: created_by, category },
		});
		expect(await takeEvents()).toEqual([deleted(json)]);
		await client.delete(`/dossiers/${dossier_id}`);
		expect(await takeEvents()).toEqual([deleted(form)]);
	});

	test('refused requests, reading and updating emit no event', async () => {
		const { id } = (await client.post('/dossiers', { title: 'a', reference: 'r' })).data;
		expect(await takeEvents()).toHaveLength(1);
		await client.post('/dossiers', { title: 'b', reference: 'r' });
		await client.post('/dossiers', {});
		await client.put(`/dossiers/${id}`, { title: 'c' });
		await client.get(`/dossiers/${id}`);
		await client.post(`/dossiers/${id}/documents`, makeUpload('a', { category: 'No Such' }));
		await client.delete(`/dossiers/${id}`);
		expect(await takeEvents()).toEqual([]);
	});

	test.each([
		['/portal/invite', 'email'],
		['/portal/invite/qr', 'qr'],
	])('an invitation by %s emits an event, and a refused one does not', async (path, channel) => {
		const { id, created_by } = (await client.post('/dossiers', { title: 'Lease' })).data;
		await takeEvents();
		const body = { ...makePerson(), dossier_ids: [id] };
		const { data } = await client.post(path, body);
		expect((await client.post(path, body)).status).toBe(422);
		expect(await takeEvents()).toEqual([
			{
				event: 'portal.user_invited',
				data: {
					portal_user_id: data.portal_user_id,
					invite_id: data.id,
					channel,
					dossier_ids: [id],
					invited_by: created_by,
				},
			},
		]);
	});

	test('a sign-in emits an event with its method, and neither a request for a link or code nor a failed sign-in does', async () => {
		const { email, phone } = makePerson();
		const { data } = await client.post('/portal/invite', { email, phone, dossier_ids: [] });
		await takeEvents();
		const accessed = (method: string) => [
			{
				event: 'portal.user_accessed',
				data: { portal_user_id: data.portal_user_id, method },
			},
		];
		await anyone.post('/portal/auth/magic-link', { email });
		expect(await takeEvents()).toEqual([]);
		const token = readToken((await control.outbox(email))[0]?.link);
		await anyone.post('/portal/auth/magic-link', { token });
		await anyone.post('/portal/auth/magic-link', { token });
		expect(await takeEvents()).toEqual(accessed('magic_link'));
		const { challenge_id } = (await anyone.post('/portal/auth/sms-otp', { phone })).data;
		expect(await takeEvents()).toEqual([]);
		const code = (await control.outbox(phone))[0]?.code;
		await anyone.post('/portal/auth/sms-otp', { challenge_id, code });
		expect(await takeEvents()).toEqual(accessed('sms_otp'));
	});
});
