import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { minute } from './control.ts';
import { lettersTo, publicOf, somebody, tokenIn } from './people.ts';

let sandbox: Sandbox;
let client: AxiosInstance;
let open: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox();
	open = publicOf(sandbox);
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(() => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
});

async function invited() {
	const person = somebody();
	const { data } = await client.post('/portal/invite', { ...person, dossier_ids: [] });
	return { ...person, id: data.portal_user_id, token: tokenIn(data.invite_url) };
}

test('the public status tells the time of the service', async () => {
	const { status, data } = await open.get('/health');
	expect(status).toBe(200);
	expect(data).toEqual({ status: 'ok', version: 'v1', time: expect.any(String) });
	sandbox.clock.move(minute);
	expect(Date.parse((await open.get('/health')).data.time)).toBeGreaterThanOrEqual(
		Date.parse(data.time) + minute,
	);
});

test('a session is no token of the workspace, and no key', async () => {
	const { token } = await invited();
	const { data } = await open.post('/portal/auth/magic-link', { token });
	const headers = { Authorization: `Bearer ${data.access_token}` };
	const workspace = await open.get('/tenants/workspace-bootstrap', { headers });
	expect(refusalOf(workspace)).toEqual(refused(401, 'INVALID_TOKEN'));
	expect(refusalOf(await client.get('/dossiers', { headers }))).toEqual(
		refused(401, 'INVALID_API_KEY'),
	);
});

test('no token and no code is stored in clear text, the outbox aside', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sign-in-test-'));
	const own = await createSandbox({ dataDir: folder });
	const [organization] = own.organizations;
	if (!organization) throw new Error('The sandbox has no organization.');
	const { email, phone } = somebody();
	const body = { email, phone, dossier_ids: [] };
	const { invite_url } = (await clientOf(own, organization).post('/portal/invite', body)).data;
	const anybody = publicOf(own);
	await anybody.post('/portal/auth/magic-link', { email });
	const { challenge_id } = (await anybody.post('/portal/auth/sms-otp', { phone })).data;
	const [letter] = await lettersTo(own, email);
	const [message] = await lettersTo(own, phone);
	const token = tokenIn(invite_url);
	const session = (await anybody.post('/portal/auth/magic-link', { token })).data;
	await own.close();

	const database = new DatabaseSync(join(folder, 'service.db'));
	const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
	const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'outbox');
	const stored = JSON.stringify(
		names.map((name) => database.prepare(`SELECT * FROM ${name}`).all()),
	);
	database.close();
	rmSync(folder, { recursive: true });
	expect(stored).toContain(challenge_id);
	for (const secret of [
		token,
		tokenIn(letter?.link),
		`"${message?.code}"`,
		session.access_token,
		organization.customerToken,
		own.operatorToken,
	]) {
		expect(secret.length).toBeGreaterThan(7);
		expect(stored).not.toContain(secret);
	}
});
