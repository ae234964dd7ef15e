import { connect as openSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, customerHeaders, expectRefusal, hour, minute } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { anyone, client, control, sandbox, organization } = useSandbox({
	rateLimits: 'plan',
	corsOrigins: ['https://portal.customer.example'],
});

const get = async (path: string, headers: Record<string, string> = {}) =>
	await anyone.get(sandbox().url + path, { headers });

const bootstrap = '/api/v1/tenants/workspace-bootstrap';

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
])('the scope %s is needed for %s %s', async (scope, method, url) => {
	const keys = `/organizations/${organization().id}/keys`;
	const { data: all } = await control.client.post(keys);
	expect(all.scopes).toContain(scope);
	const others = all.scopes.filter((one: string) => one !== scope);
	const { data: without } = await control.client.post(keys, { scopes: others });
	const { data: alone } = await control.client.post(keys, { scopes: [scope] });
	const call = async (key: string) =>
		await connect(sandbox(), organization(), key).request({ method, url });
	const refusal = await call(without.key);
	expectRefusal(refusal, 403, 'INSUFFICIENT_SCOPE');
	expect(refusal.data.error.message).toContain(scope);
	expect((await call(alone.key)).status).not.toBe(403);
});

test('a plan below Business is refused with 403 before the scope is checked', async () => {
	const starter = await sandbox().createOrganization({ plan: 'starter' });
	const keys = `/organizations/${starter.id}/keys`;
	const { data: key } = await control.client.post(keys, { scopes: [] });
	for (const client of [connect(sandbox(), starter), connect(sandbox(), starter, key.key)]) {
		expectRefusal(await client.get('/dossiers'), 403, 'PLAN_UPGRADE_REQUIRED');
	}
	expectRefusal(await get(bootstrap, customerHeaders(starter)), 403, 'PLAN_UPGRADE_REQUIRED');
	const path = `/organizations/${starter.id}`;
	await control.client.patch(path, { plan: 'business' });
	expect((await connect(sandbox(), starter).get('/dossiers')).status).toBe(200);
});

test('a customer needs a token, a tenant and one of its business units, checked in this order', async () => {
	const context = customerHeaders(organization());
	expectRefusal(await get(bootstrap), 401, 'INVALID_TOKEN');
	const key = { ...context, Authorization: `Bearer ${organization().liveKey}` };
	expectRefusal(await get(bootstrap, key), 401, 'INVALID_TOKEN');
	for (const name of ['X-Tenant-ID', 'X-Business-Unit-ID']) {
		const missing = await get(bootstrap, { ...context, [name]: '' });
		expectRefusal(missing, 400, 'MISSING_REQUIRED_FIELD');
		expect(missing.data.error.details[0].field).toBe(name);
		expectRefusal(
			await get(bootstrap, { ...context, [name]: 'other' }),
			403,
			'ORGANIZATION_ACCESS_DENIED',
		);
	}
	const operator = { ...context, Authorization: `Bearer ${sandbox().operatorToken}` };
	expectRefusal(await get(bootstrap, operator), 403, 'FORBIDDEN');
	expect((await get(bootstrap, context)).status).toBe(200);
});

test('the token of a customer expires', async () => {
	const context = customerHeaders(organization());
	const body = { organization_id: organization().id, expires_in: 60 };
	const { data } = await control.client.post('/customer-tokens', body);
	const headers = { ...context, Authorization: `Bearer ${data.customerToken}` };
	expect((await get(bootstrap, headers)).status).toBe(200);
	await sandbox().clock.move(60_000);
	expectRefusal(await get(bootstrap, headers), 401, 'TOKEN_EXPIRED');
	expect((await get(bootstrap, context)).status).toBe(200);
});

test('the health check gives the time of the service, without authentication and rate limit', async () => {
	await control.client.put('/limits', { per_minute: 1, per_hour: 1 });
	for (let n = 0; n < 3; n++) {
		const { status, headers } = await get('/api/v1/health');
		expect(status).toBe(200);
		expect(headers['x-ratelimit-remaining']).toBeUndefined();
	}
	await control.move(hour);
	const { data } = await get('/api/v1/health');
	expect(data).toEqual({ status: 'ok', version: 'v1', time: expect.any(String) });
	expect(Date.parse(data.time) - Date.now()).toBeGreaterThan(hour - minute);
	const customer = await get(bootstrap, customerHeaders(organization()));
	expect(customer.headers['x-ratelimit-remaining']).toBe('0');
	expect((await get(bootstrap, customerHeaders(organization()))).status).toBe(429);
	expect((await connect(sandbox(), organization()).get('/dossiers')).status).toBe(429);
});

test.each([
	['/v1/v1/dossiers', 'Ask for /v1/dossiers.'],
	['/v1/api/v1/health', 'Ask for /api/v1/health.'],
	['/api/v1/v1/dossiers', 'Ask for /v1/dossiers.'],
	['/v2/dossiers', 'There is no version v2 of this API, the current one is v1.'],
	['/api/v3/health', 'There is no version v3 of this API, the current one is v1.'],
])('%s is refused, and the message says which path is right', async (path, hint) => {
	const { liveKey, id } = organization();
	const answer = await get(path, { Authorization: `Bearer ${liveKey}`, 'X-Organization-ID': id });
	expectRefusal(answer, 404, 'ROUTE_NOT_FOUND');
	expect(answer.data.error.message).toContain(hint);
});

test('a request without a bearer key is refused with 401', async () => {
	const none = await get('/v1/dossiers');
	expectRefusal(none, 401, 'MISSING_API_KEY');
	expect(none.headers['www-authenticate']).toBe('Bearer');
	expectRefusal(await get('/v1/dossiers', { Authorization: 'Basic YTpi' }), 401, 'MISSING_API_KEY');
});

test('a request has to name an organization', async () => {
	const Authorization = `Bearer ${organization().liveKey}`;
	expectRefusal(await get('/v1/dossiers', { Authorization }), 400, 'MISSING_ORGANIZATION_ID');
});

test('the service checks the key, the organization, the dossier, missing fields and values, in this order', async () => {
	const nobody = { headers: { Authorization: 'Bearer nobody', 'X-Organization-ID': '' } };
	const bad = { title: 7, reference: '' };
	const path = '/dossiers/dos_x';
	expectRefusal(await client.put(path, '{', nobody), 401, 'INVALID_API_KEY');
	const stranger = { headers: { 'X-Organization-ID': 'org_other' } };
	expectRefusal(await client.put(path, '{', stranger), 403, 'ORGANIZATION_ACCESS_DENIED');
	expectRefusal(await client.put(path, bad), 404, 'DOSSIER_NOT_FOUND');
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	expectRefusal(
		await client.put(`/dossiers/${id}`, { reference: '' }),
		400,
		'MISSING_REQUIRED_FIELD',
	);
	expectRefusal(await client.put(`/dossiers/${id}`, bad), 422, 'VALIDATION_ERROR');
});

test('the live key and the test key of an organization see separate data', async () => {
	const live = client;
	const trial = connect(sandbox(), organization(), organization().testKey);
	const { data } = await live.post('/dossiers', { title: 'Real', reference: 'R-1' });
	expect((await trial.get(`/dossiers/${data.id}`)).status).toBe(404);
	expect((await trial.delete(`/dossiers/${data.id}`)).status).toBe(404);
	expect((await trial.get('/dossiers')).data.pagination.total).toBe(0);
	expect((await trial.post('/dossiers', { title: 'Trial', reference: 'R-1' })).status).toBe(201);
	expect((await live.get('/dossiers')).data.data).toEqual([data]);
});

test('every answer has its own request id', async () => {
	const answers = [
		await client.get('/dossiers'),
		await client.get('/dossiers/none'),
		await get('/v1/dossiers'),
		await get('/'),
	];
	const ids = answers.map(({ headers }) => headers['x-request-id']);
	expect(new Set(ids).size).toBe(4);
	expect(ids.every((id) => /^req_\w+$/.test(id))).toBe(true);
});

test('an unknown path is refused with 404, after the key has been checked', async () => {
	expectRefusal(await client.get('/nothing'), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await client.patch('/dossiers/dos_x', {}), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await get('/v1/nothing'), 401, 'MISSING_API_KEY');
	expectRefusal(await get('/v2/dossiers'), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await get('/'), 404, 'ROUTE_NOT_FOUND');
});

test.each([
	'..%2F..%2Fetc%2Fpasswd',
	'%2e%2e',
	'%252F',
	'%00',
	'%zz',
	'%C3%BC',
	"'%20OR%201=1",
	'x'.repeat(5000),
])('the hostile id %s is not found and breaks nothing', async (id) => {
	const { id: organizationId, liveKey } = organization();
	const { port, hostname } = new URL(sandbox().url);
	// Clients normalize such paths before they send them, so the test writes to the socket.
	const socket = openSocket(Number(port), hostname);
	socket.write(
		`GET /v1/documents/${id} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n` +
			`Authorization: Bearer ${liveKey}\r\nX-Organization-ID: ${organizationId}\r\n\r\n`,
	);
	const answer = await text(socket);
	expect(answer).toMatch(/^HTTP\/1.1 404 /);
	expect(answer).toMatch(/"code":"(DOCUMENT|ROUTE)_NOT_FOUND"/);
});

test.each(['nonsense\r\n\r\n', 'GET /a\\b HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n'])(
	'bytes that are not an HTTP request are answered with the error object: %j',
	async (bytes) => {
		const { port, hostname } = new URL(sandbox().url);
		const socket = openSocket(Number(port), hostname);
		socket.write(bytes);
		const answer = await text(socket);
		expect(answer).toMatch(/^HTTP\/1.1 400 /);
		expect(answer).toContain('"error":{"code":');
	},
);

const Origin = 'https://portal.customer.example';

test('a page of another origin may send what it asks for', async () => {
	const answer = await fetch(`${sandbox().url}/v1/dossiers`, {
		method: 'OPTIONS',
		headers: {
			Origin,
			'Access-Control-Request-Method': 'POST',
			'Access-Control-Request-Headers': 'authorization, content-type, x-organization-id',
		},
	});
	expect(answer.status).toBe(204);
	expect(answer.headers.get('access-control-allow-origin')).toBe(Origin);
	expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
	expect(answer.headers.get('access-control-allow-headers')).toContain('x-organization-id');
});

test('a page of another origin may read answers and refusals, with the headers about limits', async () => {
	const answers = [
		await client.get('/dossiers', { headers: { Origin } }),
		await client.get('/dossiers/none', { headers: { Origin } }),
		await client.get('/dossiers', { headers: { Origin, Authorization: '' } }),
	];
	expect(answers.map(({ status }) => status)).toEqual([200, 404, 401]);
	for (const { headers } of answers) {
		expect(headers['access-control-allow-origin']).toBe(Origin);
		const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
		const own = Object.keys(headers).filter((name) => /^x-|^www-/.test(name));
		expect(exposed).toEqual(expect.arrayContaining(own));
	}
	expect(answers[0]?.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
});

test('a fault does not hide its answer from a page', async () => {
	await control.client.post('/faults', { operation: 'dossiers.list', status: 503, times: 1 });
	const { status, headers } = await client.get('/dossiers', { headers: { Origin } });
	expect([status, headers['access-control-allow-origin']]).toEqual([503, Origin]);
});

test('an answer to a program has no headers for pages, and OPTIONS without a page is not an operation', async () => {
	const { headers } = await client.get('/dossiers');
	expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
	expect((await client.options('/dossiers')).status).toBe(404);
});

test('the control room gives nothing to pages of other origins', async () => {
	const { headers } = await control.client.get('/organizations', { headers: { Origin } });
	expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('pages of this machine may read answers, pages of other origins may not', async () => {
	const read = async (origin: string) =>
		(await client.get('/dossiers', { headers: { Origin: origin } })).headers[
			'access-control-allow-origin'
		];
	for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:8080']) {
		expect(await read(origin)).toBe(origin);
	}
	for (const origin of ['https://elsewhere.example', 'http://localhost.example', 'null']) {
		expect([origin, await read(origin)]).toEqual([origin, undefined]);
	}
});

test('a page of another origin registers and changes no webhook, even one that may read answers', async () => {
	const hook = { url: 'http://127.0.0.1:9/hook', events: ['dossier.created'] };
	const { data } = await client.post('/webhooks', hook);
	for (const origin of [Origin, 'http://localhost:5173', 'https://elsewhere.example']) {
		const headers = { Origin: origin };
		expect((await client.post('/webhooks', hook, { headers })).status).toBe(403);
		expect((await client.patch(`/webhooks/${data.id}`, hook, { headers })).status).toBe(403);
		expect((await client.delete(`/webhooks/${data.id}`, { headers })).status).toBe(403);
	}
	expect((await client.get('/webhooks')).data.data).toEqual([expect.objectContaining(hook)]);
	const own = { Origin: sandbox().url };
	expect((await client.post('/webhooks', hook, { headers: own })).status).toBe(201);
});
