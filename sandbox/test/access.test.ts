import { connect as openSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, expectRefusal } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { anyone, client, sandbox, organization } = useSandbox();

const get = async (headers: Record<string, string>, path = '/v1/dossiers') =>
	await anyone.get(sandbox().url + path, { headers });

test('a request without a bearer key is refused with 401', async () => {
	const none = await get({});
	expectRefusal(none, 401, 'MISSING_API_KEY');
	expect(none.headers['www-authenticate']).toBe('Bearer');
	expectRefusal(await get({ Authorization: 'Basic YTpi' }), 401, 'MISSING_API_KEY');
});

test('a request has to name an organization', async () => {
	const Authorization = `Bearer ${organization().liveKey}`;
	expectRefusal(await get({ Authorization }), 400, 'MISSING_ORGANIZATION_ID');
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
		await get({}),
		await get({}, '/'),
	];
	const ids = answers.map(({ headers }) => headers['x-request-id']);
	expect(new Set(ids).size).toBe(4);
	expect(ids.every((id) => /^req_\w+$/.test(id))).toBe(true);
});

test('an unknown path is refused with 404, after the key has been checked', async () => {
	expectRefusal(await client.get('/nothing'), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await client.patch('/dossiers/dos_x', {}), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await get({}, '/v1/nothing'), 401, 'MISSING_API_KEY');
	expectRefusal(await get({}, '/v2/dossiers'), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await get({}, '/'), 404, 'ROUTE_NOT_FOUND');
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
