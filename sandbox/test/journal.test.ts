import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, uploadOf } from './client.ts';
import { controlOf } from './control.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
	sandbox = await createSandbox();
});
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	await controlOf(sandbox).client.delete('/journal');
});
afterAll(async () => {
	await sandbox.close();
});

const journal = async (params: object = {}) =>
	(await controlOf(sandbox).client.get('/journal', { params })).data.data;

test('every request is there with its answer, the newest first', async () => {
	const made = await client.post('/dossiers', { title: 'Lease' });
	await client.get('/dossiers', { params: { q: 'x' } });
	await client.get('/nothing');
	const [unknown, listed, created] = await journal();
	expect(created).toMatchObject({
		operation: 'dossiers.create',
		request_id: made.headers['x-request-id'],
		method: 'POST',
		url: '/v1/dossiers',
		status: 201,
		fault: false,
		caller: { kind: 'key', organization_id: organization.id },
		request: { body: { text: '{"title":"Lease"}', bytes: 17, cut: false } },
		answer: { body: { cut: false } },
	});
	expect(JSON.parse(created.answer.body.text)).toEqual(made.data);
	expect(created.answer.headers).toContainEqual(['X-Request-Id', made.headers['x-request-id']]);
	expect(created.duration_ms).toBeGreaterThan(0);
	expect(listed).toMatchObject({ url: '/v1/dossiers?q=x', status: 200 });
	expect(unknown).toMatchObject({ operation: null, status: 404 });
	expect(await journal({ after: listed.n })).toEqual([unknown]);
});

test('keys, tokens and secrets are masked wherever they stand', async () => {
	await client.get('/dossiers', { params: { token: 'abcdef123456' } });
	const echo = `my key is ${organization.liveKey}`;
	await client.post('/dossiers', { title: echo });
	await client.post('/webhooks', {
		url: 'http://127.0.0.1:9/hook?token=hidden-token',
		events: ['dossier.created'],
		secret: 'a-secret-of-its-own-0123456789',
	});
	const text = JSON.stringify(await journal());
	const secrets = [organization.liveKey, 'abcdef123456', 'hidden-token', 'a-secret-of-its-own'];
	for (const secret of secrets) expect(text).not.toContain(secret);
	expect(text).toContain(`Bearer sk_live_…${organization.liveKey.slice(-4)}`);
	expect(text).toContain('dossiers.create');
});

test('nothing that lets a portal user in can be read from it', async () => {
	const { client: control } = controlOf(sandbox);
	const invite = { email: 'kim@client.example', phone: '+493012345678', dossier_ids: [] };
	const invited = (await client.post('/portal/invite/qr', invite)).data;
	const sign = (body: object, way: string) =>
		client.post(`${sandbox.url}/api/v1/portal/auth/${way}`, body);
	await sign({ email: invite.email }, 'magic-link');
	const { challenge_id } = (await sign({ phone: invite.phone }, 'sms-otp')).data;
	const messages = (await control.get('/outbox')).data.data;
	const linked = messages.find(({ channel }: { channel: string }) => channel === 'mail');
	const texted = messages.find(({ channel }: { channel: string }) => channel === 'sms');
	const token = String(/[\w-]{20,}$/.exec(linked.link)?.[0]);
	const session = (await sign({ token }, 'magic-link')).data;
	const other = (await sign({ challenge_id, code: texted.code }, 'sms-otp')).data;
	const text = JSON.stringify(await journal());
	const secrets = [invited.token, token, texted.code, session.access_token, other.access_token];
	for (const secret of secrets) {
		expect(String(secret).length).toBeGreaterThan(5);
		expect(text).not.toContain(secret);
	}
});

test('long bodies are cut, and files are only counted', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const content = Buffer.alloc(50_000, 'x');
	const { data } = await client.post(`/dossiers/${id}/documents`, uploadOf(content));
	await client.get(`/documents/${data.id}/download`);
	const [downloaded, uploaded] = await journal();
	expect(downloaded.answer.body).toEqual({ text: '', bytes: 50_000, cut: true });
	expect(uploaded.request.body.cut).toBe(true);
	expect(uploaded.request.body.bytes).toBeGreaterThan(60_000);
	expect(uploaded.request.body.text).toHaveLength(4096);
});

test('it holds the latest only', async () => {
	for (let n = 0; n < 1010; n++) await client.get('/dossiers/none');
	const kept = await journal({ limit: 500 });
	expect(kept).toHaveLength(500);
	expect(kept[0].n - kept[499].n).toBe(499);
});

test('requests to the control room are not in it', async () => {
	await controlOf(sandbox).client.get('/clock');
	expect(await journal()).toEqual([]);
});
