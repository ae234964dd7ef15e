import axios from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { controlOf, hour } from './control.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
beforeAll(async () => {
	sandbox = await createSandbox();
});
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'business' });
});
afterAll(async () => {
	await sandbox.close();
});

const get = async (path: string, headers: Record<string, string> = {}) =>
	await axios.get(sandbox.url + path, { headers, validateStatus: () => true, proxy: false });

const bootstrap = '/api/v1/tenants/workspace-bootstrap';
const tenants = '/api/v1/admin/tenants';
const contextOf = ({ customerToken, tenantId, businessUnitId }: SeededOrganization) => ({
	Authorization: `Bearer ${customerToken}`,
	'X-Tenant-ID': tenantId,
	'X-Business-Unit-ID': businessUnitId,
});

test.each([
	['dossiers:read', 'get', '/dossiers'],
	['dossiers:write', 'post', '/dossiers'],
	['dossiers:write', 'delete', '/dossiers/none'],
	['documents:read', 'get', '/dossiers/none/documents'],
	['documents:write', 'post', '/dossiers/none/documents'],
	['portal:read', 'get', '/portal/users'],
	['portal:write', 'post', '/portal/invite'],
	['tasks:read', 'get', '/tasks'],
	['tasks:write', 'patch', '/tasks/none'],
	['audit:read', 'get', '/audit-log/export'],
	['webhooks:read', 'get', '/webhooks'],
	['webhooks:write', 'post', '/webhooks'],
])('the scope %s is what %s %s asks for', async (scope, method, url) => {
	const keys = `/organizations/${organization.id}/keys`;
	const { client: control } = controlOf(sandbox);
	const { data: all } = await control.post(keys);
	expect(all.scopes).toContain(scope);
	const others = all.scopes.filter((one: string) => one !== scope);
	const { data: without } = await control.post(keys, { scopes: others });
	const { data: alone } = await control.post(keys, { scopes: [scope] });
	const call = async (key: string) =>
		await clientOf(sandbox, organization, key).request({ method, url });
	const refusal = await call(without.key);
	expect(refusalOf(refusal)).toEqual(refused(403, 'INSUFFICIENT_SCOPE'));
	expect(refusal.data.error.message).toContain(scope);
	expect((await call(alone.key)).status).not.toBe(403);
});

test('a plan below Business gets 403 everywhere, before the scope is looked at', async () => {
	const starter = sandbox.createOrganization({ plan: 'starter' });
	const keys = `/organizations/${starter.id}/keys`;
	const { data: key } = await controlOf(sandbox).client.post(keys, { scopes: [] });
	for (const client of [clientOf(sandbox, starter), clientOf(sandbox, starter, key.key)]) {
		expect(refusalOf(await client.get('/dossiers'))).toEqual(refused(403, 'PLAN_UPGRADE_REQUIRED'));
	}
	expect(refusalOf(await get(bootstrap, contextOf(starter)))).toEqual(
		refused(403, 'PLAN_UPGRADE_REQUIRED'),
	);
	const path = `/organizations/${starter.id}`;
	await controlOf(sandbox).client.patch(path, { plan: 'business' });
	expect((await clientOf(sandbox, starter).get('/dossiers')).status).toBe(200);
});

test('a customer needs a token, a tenant and a business unit of it, in this order', async () => {
	const context = contextOf(organization);
	expect(refusalOf(await get(bootstrap))).toEqual(refused(401, 'INVALID_TOKEN'));
	const key = { ...context, Authorization: `Bearer ${organization.liveKey}` };
	expect(refusalOf(await get(bootstrap, key))).toEqual(refused(401, 'INVALID_TOKEN'));
	for (const name of ['X-Tenant-ID', 'X-Business-Unit-ID']) {
		const missing = await get(bootstrap, { ...context, [name]: '' });
		expect(refusalOf(missing)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		expect(missing.data.error.details[0].field).toBe(name);
		expect(refusalOf(await get(bootstrap, { ...context, [name]: 'other' }))).toEqual(
			refused(403, 'ORGANIZATION_ACCESS_DENIED'),
		);
	}
	const operator = { ...context, Authorization: `Bearer ${sandbox.operatorToken}` };
	expect(refusalOf(await get(bootstrap, operator))).toEqual(refused(403, 'FORBIDDEN'));
	expect((await get(bootstrap, context)).status).toBe(200);
});

test('an operator needs an operator token and nothing else', async () => {
	expect(refusalOf(await get(tenants))).toEqual(refused(401, 'INVALID_TOKEN'));
	expect(refusalOf(await get(tenants, contextOf(organization)))).toEqual(refused(403, 'FORBIDDEN'));
	const answer = await get(tenants, { Authorization: `Bearer ${sandbox.operatorToken}` });
	expect(answer.status).toBe(200);
});

test('a token of a customer or an operator is no API key', async () => {
	for (const token of [organization.customerToken, sandbox.operatorToken]) {
		const answer = await clientOf(sandbox, organization, token).get('/dossiers');
		expect(refusalOf(answer)).toEqual(refused(401, 'INVALID_API_KEY'));
	}
});

test('with other header names the context is read from those', async () => {
	const { client: control } = controlOf(sandbox);
	await control.patch('/switches', { switches: { contextHeaders: 'plain' } });
	try {
		const { Authorization, ...context } = contextOf(organization);
		expect((await get(bootstrap, { Authorization, ...context })).status).toBe(400);
		const plain = {
			Authorization,
			'Tenant-ID': context['X-Tenant-ID'],
			'Business-Unit-ID': context['X-Business-Unit-ID'],
		};
		expect((await get(bootstrap, plain)).status).toBe(200);
	} finally {
		await control.patch('/switches', { profile: 'default' });
	}
});

test('the public status asks for nothing and is never limited', async () => {
	const { client: control } = controlOf(sandbox);
	await control.put('/limits', { per_minute: 1, per_hour: 1 });
	try {
		for (let n = 0; n < 3; n++) {
			const { status, headers } = await get('/api/v1/health');
			expect(status).toBe(200);
			expect(headers['x-ratelimit-remaining']).toBeUndefined();
		}
		const customer = await get(bootstrap, contextOf(organization));
		expect(customer.headers['x-ratelimit-remaining']).toBe('0');
		expect((await get(bootstrap, contextOf(organization))).status).toBe(429);
		expect((await clientOf(sandbox, organization).get('/dossiers')).status).toBe(429);
		await controlOf(sandbox).move(hour);
	} finally {
		await control.put('/limits', { rule: 'off' });
	}
});

test.each([
	['/v1/v1/dossiers', 'Ask for /v1/dossiers.'],
	['/v1/api/v1/health', 'Ask for /api/v1/health.'],
	['/api/v1/v1/dossiers', 'Ask for /v1/dossiers.'],
	['/v2/dossiers', 'There is no version v2 of this API, the current one is v1.'],
	['/api/v3/health', 'There is no version v3 of this API, the current one is v1.'],
])('%s is no address, and the refusal says what is wrong', async (path, hint) => {
	const { liveKey, id } = organization;
	const answer = await get(path, { Authorization: `Bearer ${liveKey}`, 'X-Organization-ID': id });
	expect(refusalOf(answer)).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
	expect(answer.data.error.message).toContain(hint);
});
