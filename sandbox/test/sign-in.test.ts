import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
	connect,
	connectPublic,
	expectRefusal,
	findOrganization,
	invitePerson,
	makePerson,
	minute,
	readToken,
} from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, anyone, dataDir, sandbox, openSandbox } = useSandbox();

test('the health check gives the time of the service', async () => {
	const { status, data } = await anyone.get('/health');
	expect(status).toBe(200);
	expect(data).toEqual({ status: 'ok', version: 'v1', time: expect.any(String) });
	await sandbox().clock.move(minute);
	expect(Date.parse((await anyone.get('/health')).data.time)).toBeGreaterThanOrEqual(
		Date.parse(data.time) + minute,
	);
});

test('without rate limits, nobody waits for the next link or code', async () => {
	for (let n = 0; n < 3; n++) {
		const link = await anyone.post('/portal/auth/magic-link', { email: 'kim@client.example' });
		const code = await anyone.post('/portal/auth/sms-otp', { phone: '+493012345678' });
		expect([link.status, code.status]).toEqual([200, 200]);
	}
});

test('a session token is neither a customer token nor an API key', async () => {
	const { token } = await invitePerson(client);
	const { data } = await anyone.post('/portal/auth/magic-link', { token });
	const headers = { Authorization: `Bearer ${data.access_token}` };
	const workspace = await anyone.get('/tenants/workspace-bootstrap', { headers });
	expectRefusal(workspace, 401, 'INVALID_TOKEN');
	expectRefusal(await client.get('/dossiers', { headers }), 401, 'INVALID_API_KEY');
});

test('no token or code is stored in clear text outside the outbox', async () => {
	const own = await openSandbox({ dataDir });
	const organization = findOrganization(own, 'business');
	const { email, phone } = makePerson();
	const body = { email, phone, dossier_ids: [] };
	const { invite_url } = (await connect(own, organization).post('/portal/invite', body)).data;
	const anybody = connectPublic(own);
	await anybody.post('/portal/auth/magic-link', { email });
	const { challenge_id } = (await anybody.post('/portal/auth/sms-otp', { phone })).data;
	const [letter] = await own.outbox.list({ to: email });
	const [message] = await own.outbox.list({ to: phone });
	const token = readToken(invite_url);
	const session = (await anybody.post('/portal/auth/magic-link', { token })).data;
	await own.close();

	const database = new DatabaseSync(join(dataDir, 'service.db'));
	const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
	const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'outbox');
	const stored = JSON.stringify(
		names.map((name) => database.prepare(`SELECT * FROM ${name}`).all()),
	);
	database.close();
	expect(stored).toContain(challenge_id);
	for (const secret of [
		token,
		readToken(letter?.link),
		`"${message?.code}"`,
		session.access_token,
		organization.customerToken,
		own.operatorToken,
	]) {
		expect(secret.length).toBeGreaterThan(7);
		expect(stored).not.toContain(secret);
	}
});
