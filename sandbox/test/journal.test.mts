import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Clock } from '../src/platform/clock.mts';
import { Journal } from '../src/requests/journal.mts';
import { makeUpload, readToken } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, sandbox, organization } = useSandbox();

const readJournal = async (params: object = {}) =>
	(await control.client.get('/journal', { params })).data.data;

test('the journal has every request with its answer, the newest first', async () => {
	const made = await client.post('/dossiers', { title: 'Lease' });
	await client.get('/dossiers', { params: { q: 'x' } });
	await client.get('/nothing');
	const [unknown, listed, created] = await readJournal();
	expect(created).toMatchObject({
		operation: 'dossiers.create',
		request_id: made.headers['x-request-id'],
		method: 'POST',
		url: '/v1/dossiers',
		status: 201,
		fault: false,
		caller: { kind: 'key', organization_id: organization().id },
		request: { body: { text: '{"title":"Lease"}', bytes: 17, cut: false } },
		answer: { body: { cut: false } },
	});
	expect(JSON.parse(created.answer.body.text)).toEqual(made.data);
	expect(created.answer.headers).toContainEqual(['X-Request-Id', made.headers['x-request-id']]);
	expect(created.duration_ms).toBeGreaterThan(0);
	expect(listed).toMatchObject({ url: '/v1/dossiers?q=x', status: 200 });
	expect(unknown).toMatchObject({ operation: null, status: 404 });
});

test('the journal masks keys, tokens and secrets everywhere', async () => {
	await client.get('/dossiers', { params: { token: 'abcdef123456' } });
	const session = 'ps_AbCdEfGh-IjKlMnOp_0123456789';
	const echo = `my key is ${organization().liveKey}, and my session ${session}.`;
	await client.post('/dossiers', { title: echo });
	await client.post('/webhooks', {
		url: 'http://127.0.0.1:9/hook?token=hidden-token',
		events: ['dossier.created'],
		secret: 'a-secret-of-its-own-0123456789',
	});
	const text = JSON.stringify(await readJournal());
	const secrets = ['abcdef123456', 'hidden-token', 'a-secret-of-its-own', session];
	secrets.push(organization().liveKey);
	for (const secret of secrets) expect(text).not.toContain(secret);
	expect(text).toContain(`Bearer sk_live_…${organization().liveKey.slice(-4)}`);
	expect(text).toContain('ps_…6789');
	expect(text).toContain('dossiers.create');
});

test('the journal shows nothing that signs a portal user in', async () => {
	const invite = { email: 'kim@client.example', phone: '+493012345678', dossier_ids: [] };
	const invited = (await client.post('/portal/invite/qr', invite)).data;
	const sign = (body: object, way: string) =>
		client.post(`${sandbox().url}/api/v1/portal/auth/${way}`, body);
	await sign({ email: invite.email }, 'magic-link');
	const { challenge_id } = (await sign({ phone: invite.phone }, 'sms-otp')).data;
	const messages = await control.outbox();
	const mail = messages.find(({ channel }) => channel === 'mail');
	const text = messages.find(({ channel }) => channel === 'sms');
	const token = readToken(mail?.link);
	const session = (await sign({ token }, 'magic-link')).data;
	const other = (await sign({ challenge_id, code: text?.code }, 'sms-otp')).data;
	const shown = JSON.stringify(await readJournal());
	const secrets = [invited.token, token, text?.code, session.access_token, other.access_token];
	for (const secret of secrets) {
		expect(String(secret).length).toBeGreaterThan(5);
		expect(shown).not.toContain(secret);
	}
});

test('the journal cuts long bodies, and only counts the bytes of files', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const content = Buffer.alloc(50_000, 'x');
	const { data } = await client.post(`/dossiers/${id}/documents`, makeUpload(content));
	await client.get(`/documents/${data.id}/download`);
	const [downloaded, uploaded] = await readJournal();
	expect(downloaded.answer.body).toEqual({ text: '', bytes: 50_000, cut: true });
	expect(uploaded.request.body.cut).toBe(true);
	expect(uploaded.request.body.bytes).toBeGreaterThan(60_000);
	expect(uploaded.request.body.text).toHaveLength(4096);
});

test('the journal returns at most the latest 500 requests', async () => {
	const limit = async (limit: number) =>
		(await control.client.get('/journal', { params: { limit } })).status;
	expect([await limit(500), await limit(501)]).toEqual([200, 400]);
	const journal = new Journal(new Clock());
	for (let n = 1; n <= 1010; n++) {
		const incoming = Object.assign(new IncomingMessage(new Socket()), { url: `/${n}` });
		journal.open(incoming, `req_${n}`, undefined).end();
	}
	const kept = journal.list({ limit: 500 }).map(({ n, url }) => [n, url]);
	expect(kept).toEqual(Array.from({ length: 500 }, (_, at) => [1010 - at, `/${1010 - at}`]));
});

test('the journal finds requests by operation, method, path, status, organization and content', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	await client.get(`/dossiers/${id}`);
	await client.get('/dossiers/none');
	await client.get('/dossiers', { params: { q: 'Lease' } });
	const count = async (params: object) =>
		(await control.client.get('/journal/count', { params })).data.count;
	expect(await count({})).toBe(4);
	expect(await count({ operation: 'dossiers.get' })).toBe(2);
	expect(await count({ operation: 'dossiers.get', status: 404 })).toBe(1);
	expect(await count({ method: 'get' })).toBe(3);
	expect(await count({ path: '/v1/dossiers' })).toBe(2);
	expect(await count({ path: '/v1/dossiers/*' })).toBe(2);
	expect(await count({ contains: 'Lease' })).toBe(2);
	expect(await count({ organization_id: organization().id })).toBe(4);
	expect(await count({ organization_id: 'other' })).toBe(0);
	expect(await readJournal({ status: 404 })).toMatchObject([{ url: '/v1/dossiers/none' }]);
	expect(await readJournal({ method: 'GET', limit: 1 })).toMatchObject([
		{ url: '/v1/dossiers?q=Lease' },
	]);
	expect(await readJournal({ method: 'GET', after: 0, limit: 1 })).toMatchObject([
		{ url: `/v1/dossiers/${id}` },
	]);
	const { status, data } = await control.client.get('/journal', {
		params: { operation: 'dossier.get' },
	});
	expect([status, data.error.message]).toEqual([
		400,
		expect.stringMatching(/^There is no operation dossier\.get\. There are .*dossiers\.get,/),
	]);
});

test('an expectation that is not met is refused with what there was', async () => {
	const { journal } = sandbox();
	await client.post('/dossiers', { title: 'Lease' });
	await client.get('/nothing');
	await journal.expect({ operation: 'dossiers.create' });
	await journal.expect({ operation: 'dossiers.create' }, { times: 1 });
	await journal.expect({ operation: 'dossiers.list' }, { times: 0 });
	await journal.expect({}, { at_least: 1, at_most: 2 });
	for (const [wish, sentence] of [
		[{}, 'Expected at least 1 request with operation dossiers.create, status 422. Found 0.'],
		[{ times: 2 }, 'Expected 2 requests'],
		[{ at_least: 1, at_most: 3 }, 'Expected 1 to 3 requests'],
	] as const) {
		const unmet = journal.expect({ operation: 'dossiers.create', status: 422 }, wish);
		await expect(unmet).rejects.toThrow(sentence);
		await expect(unmet).rejects.toThrow(
			'The journal has: 1 × dossiers.create 201, 1 × GET /v1/nothing 404.',
		);
	}
	const { status, data } = await control.client.get('/journal/expect?at_most=1');
	expect([status, data.error.code]).toEqual([422, 'EXPECTATION_NOT_MET']);
});

test('nothing is verified by a journal that has forgotten requests', async () => {
	const { journal } = sandbox();
	for (let n = 0; n < 501; n++) await client.get('/nothing');
	await journal.expect({ status: 404 }, { at_least: 500 });
	await expect(journal.expect({ status: 200 }, { times: 0 })).rejects.toThrow('Clear it first.');
	await journal.clear();
	await journal.expect({ status: 200 }, { times: 0 });
});

test('the journal leaves out requests to the control room', async () => {
	await control.client.get('/clock');
	expect(await readJournal()).toEqual([]);
});

test('the journal can be read on from a number without a gap, however small its pages', async () => {
	for (let n = 0; n < 7; n++) await client.get('/dossiers', { params: { q: `word${n}` } });
	const seen: string[] = [];
	let after = 0;
	for (;;) {
		const entries = await readJournal({ after, limit: 3 });
		if (entries.length === 0) break;
		seen.push(...entries.map(({ url }: { url: string }) => url).reverse());
		after = entries[0].n;
	}
	expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `/v1/dossiers?q=word${n}`));
	const latest = await readJournal({ limit: 2 });
	expect(latest.map(({ url }: { url: string }) => url)).toEqual([
		'/v1/dossiers?q=word6',
		'/v1/dossiers?q=word5',
	]);
});
