import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, organizationOf, refusalOf, refused } from './client.ts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});

const get = async (headers: Record<string, string>, path = '/v1/dossiers') =>
	await axios.get(sandbox.url + path, { headers, validateStatus: () => true, proxy: false });

test('a call without a key, or with another kind of authorization, is 401', async () => {
	const none = await get({});
	expect(refusalOf(none)).toEqual(refused(401, 'MISSING_API_KEY'));
	expect(none.headers['www-authenticate']).toBe('Bearer');
	expect(refusalOf(await get({ Authorization: 'Basic YTpi' }))).toEqual(
		refused(401, 'MISSING_API_KEY'),
	);
});

test('a key that nobody has is 401, even when no organization is named', async () => {
	const answer = await get({ Authorization: 'Bearer sk_live_unknown' });
	expect(refusalOf(answer)).toEqual(refused(401, 'INVALID_API_KEY'));
	expect(JSON.stringify(answer.data)).not.toContain('sk_live_unknown');
});

test('the organization has to be named and has to be the one of the key', async () => {
	const { liveKey } = organizationOf(sandbox, 'business');
	const other = organizationOf(sandbox, 'enterprise');
	const Authorization = `Bearer ${liveKey}`;
	expect(refusalOf(await get({ Authorization }))).toEqual(refused(400, 'MISSING_ORGANIZATION_ID'));
	expect(refusalOf(await get({ Authorization, 'X-Organization-ID': other.id }))).toEqual(
		refused(403, 'ORGANIZATION_ACCESS_DENIED'),
	);
});

test('the sandbox environment is for Enterprise alone, production for both plans', async () => {
	const vendor = await createSandbox({ environment: 'sandbox' });
	try {
		const business = await clientOf(vendor, organizationOf(vendor, 'business')).get('/dossiers');
		const enterprise = await clientOf(vendor, organizationOf(vendor, 'enterprise')).get(
			'/dossiers',
		);
		expect(refusalOf(business)).toEqual(refused(403, 'PLAN_UPGRADE_REQUIRED'));
		expect(enterprise.status).toBe(200);
	} finally {
		await vendor.close();
	}
	const business = await clientOf(sandbox, organizationOf(sandbox, 'business')).get('/dossiers');
	expect(business.status).toBe(200);
});

test('the checks come in their order: key, organization, dossier, missing field, broken rule', async () => {
	const organization = sandbox.createOrganization({ plan: 'business' });
	const client = clientOf(sandbox, organization);
	const nobody = { headers: { Authorization: 'Bearer nobody', 'X-Organization-ID': '' } };
	const bad = { title: 7, reference: '' };
	expect((await client.put('/dossiers/dos_x', '{', nobody)).status).toBe(401);
	const stranger = { headers: { 'X-Organization-ID': 'org_other' } };
	expect((await client.put('/dossiers/dos_x', '{', stranger)).status).toBe(403);
	expect((await client.put('/dossiers/dos_x', bad)).status).toBe(404);
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	expect(refusalOf(await client.put(`/dossiers/${id}`, { reference: '' }))).toEqual(
		refused(400, 'MISSING_REQUIRED_FIELD'),
	);
	expect(refusalOf(await client.put(`/dossiers/${id}`, bad))).toEqual(
		refused(422, 'VALIDATION_ERROR'),
	);
});

test('live and test keys of one organization see separate data', async () => {
	const organization = sandbox.createOrganization({ plan: 'enterprise' });
	const live = clientOf(sandbox, organization, organization.liveKey);
	const trial = clientOf(sandbox, organization, organization.testKey);
	const { data } = await live.post('/dossiers', { title: 'Real', reference: 'R-1' });
	expect((await trial.get(`/dossiers/${data.id}`)).status).toBe(404);
	expect((await trial.delete(`/dossiers/${data.id}`)).status).toBe(404);
	expect((await trial.get('/dossiers')).data.pagination.total).toBe(0);
	expect((await trial.post('/dossiers', { title: 'Trial', reference: 'R-1' })).status).toBe(201);
	expect((await live.get('/dossiers')).data.data).toEqual([data]);
});

test('organizations see nothing of each other', async () => {
	const [one, other] = [
		sandbox.createOrganization({ plan: 'business' }),
		sandbox.createOrganization({ plan: 'business' }),
	];
	const { data } = await clientOf(sandbox, one).post('/dossiers', { title: 'Mine' });
	expect((await clientOf(sandbox, other).get(`/dossiers/${data.id}`)).status).toBe(404);
});

test('every answer has a request id of its own', async () => {
	const client = clientOf(sandbox, organizationOf(sandbox, 'business'));
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

test('what is no operation is a 404 with the error object, after the key was checked', async () => {
	const client = clientOf(sandbox, organizationOf(sandbox, 'business'));
	expect(refusalOf(await client.get('/nothing'))).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
	expect(refusalOf(await client.patch('/dossiers/dos_x', {}))).toEqual(
		refused(404, 'ROUTE_NOT_FOUND'),
	);
	expect(refusalOf(await get({}, '/v1/nothing'))).toEqual(refused(401, 'MISSING_API_KEY'));
	expect(refusalOf(await get({}, '/v2/dossiers'))).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
	expect(refusalOf(await get({}, '/'))).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
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
])('the hostile id %s finds nothing and breaks nothing', async (id) => {
	const { id: organization, liveKey } = organizationOf(sandbox, 'business');
	const { port, hostname } = new URL(sandbox.url);
	const socket = connect(Number(port), hostname);
	// Straight to the socket: clients tidy such paths up before they send them.
	socket.write(
		`GET /v1/documents/${id} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n` +
			`Authorization: Bearer ${liveKey}\r\nX-Organization-ID: ${organization}\r\n\r\n`,
	);
	const answer = await text(socket);
	expect(answer).toMatch(/^HTTP\/1.1 404 /);
	expect(answer).toMatch(/"code":"(DOCUMENT|ROUTE)_NOT_FOUND"/);
});

test.each(['nonsense\r\n\r\n', 'GET /a\\b HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n'])(
	'what is no request gets the error object: %j',
	async (bytes) => {
		const { port, hostname } = new URL(sandbox.url);
		const socket = connect(Number(port), hostname);
		socket.write(bytes);
		const answer = await text(socket);
		expect(answer).toMatch(/^HTTP\/1.1 400 /);
		expect(answer).toContain('"error":{"code":');
	},
);
