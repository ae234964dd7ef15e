import { connect, expectRefusal, findOrganization, readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, sandbox, organization } = useSandbox();

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
