import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, organizationOf, refusalOf, refused } from './client.ts';
import { controlOf } from './control.ts';

const url = 'http://127.0.0.1:9/hook';
const events = ['dossier.created'];

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
});

test('a webhook is registered, and its secret is shown once', async () => {
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

test('a given secret is taken', async () => {
	const secret = 'a secret of the customer';
	expect((await client.post('/webhooks', { url, events, secret })).data.secret).toBe(secret);
});

test.each([
	['no address', { events }, 400, 'MISSING_REQUIRED_FIELD'],
	['no events', { url }, 400, 'MISSING_REQUIRED_FIELD'],
	['an empty list', { url, events: [] }, 422, 'VALIDATION_ERROR'],
	['an unknown event', { url, events: ['dossier.closed'] }, 422, 'VALIDATION_ERROR'],
	['an event twice', { url, events: [...events, ...events] }, 422, 'VALIDATION_ERROR'],
	['another scheme', { url: 'ftp://127.0.0.1/hook', events }, 422, 'VALIDATION_ERROR'],
	['no address at all', { url: 'hook', events }, 422, 'VALIDATION_ERROR'],
	['an impossible port', { url: 'http://127.0.0.1:99999/', events }, 422, 'VALIDATION_ERROR'],
	['a short secret', { url, events, secret: 'short' }, 422, 'VALIDATION_ERROR'],
])('a registration with %s is refused', async (_name, body, status, code) => {
	expect(refusalOf(await client.post('/webhooks', body))).toEqual(refused(status, code));
	expect((await client.get('/webhooks')).data.data).toEqual([]);
});

test('a patch changes what it names and nothing else', async () => {
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
	expect(refusalOf(answer)).toEqual(refused(422, 'VALIDATION_ERROR'));
	expect((await client.get(`/webhooks/${webhook.id}`)).data).toEqual(webhook);
});

test('a deleted webhook is gone, and so is one that never was', async () => {
	const { id } = (await client.post('/webhooks', { url, events })).data;
	expect((await client.delete(`/webhooks/${id}`)).data).toEqual({ id, deleted: true });
	const none = refused(404, 'WEBHOOK_NOT_FOUND');
	expect(refusalOf(await client.get(`/webhooks/${id}`))).toEqual(none);
	expect(refusalOf(await client.patch(`/webhooks/${id}`, {}))).toEqual(none);
	expect(refusalOf(await client.delete('/webhooks/whk_1'))).toEqual(none);
	expect((await client.get('/webhooks')).data.data).toEqual([]);
});

test('live and test keys, and other organizations, have webhooks of their own', async () => {
	const { id } = (await client.post('/webhooks', { url, events })).data;
	const others = [
		clientOf(sandbox, organization, organization.testKey),
		clientOf(sandbox, organizationOf(sandbox, 'business')),
	];
	for (const other of others) {
		expect((await other.get(`/webhooks/${id}`)).status).toBe(404);
		expect((await other.delete(`/webhooks/${id}`)).status).toBe(404);
	}
	expect((await client.get(`/webhooks/${id}`)).status).toBe(200);
});

test('many webhooks come page by page, the newest first', async () => {
	for (let n = 0; n < 3; n += 1) await client.post('/webhooks', { url: `${url}/${n}`, events });
	const { data } = await client.get('/webhooks', { params: { per_page: 2, page: 2 } });
	expect(data.data).toHaveLength(1);
	expect(data.pagination).toEqual({
		page: 2,
		per_page: 2,
		total: 3,
		total_pages: 2,
		has_more: false,
	});
});

test('a key needs the scope', async () => {
	const keyWith = async (scopes: string[]) => {
		const path = `/organizations/${organization.id}/keys`;
		return String((await controlOf(sandbox).client.post(path, { scopes })).data.key);
	};
	const reader = clientOf(sandbox, organization, await keyWith(['webhooks:read']));
	const stranger = clientOf(sandbox, organization, await keyWith(['dossiers:read']));
	expect((await reader.get('/webhooks')).status).toBe(200);
	const lacking = refused(403, 'INSUFFICIENT_SCOPE');
	expect(refusalOf(await reader.post('/webhooks', { url, events }))).toEqual(lacking);
	expect(refusalOf(await reader.delete('/webhooks/whk_1'))).toEqual(lacking);
	expect(refusalOf(await stranger.get('/webhooks'))).toEqual(lacking);
});

test('where nothing is registered over the API, the operations are not there', async () => {
	const given = await createSandbox({ profile: 'given-only' });
	const other = clientOf(given, organizationOf(given, 'business'));
	const none = refused(404, 'ROUTE_NOT_FOUND');
	expect(refusalOf(await other.get('/webhooks'))).toEqual(none);
	expect(refusalOf(await other.post('/webhooks', { url, events }))).toEqual(none);
	await given.close();
});

test('the audit log tells who did what to a webhook, without a secret', async () => {
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
