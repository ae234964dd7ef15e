import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { minute, second } from './control.ts';
import { lettersTo, publicOf, sessionOf, somebody, tokenIn } from './people.ts';

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

const link = async (body: unknown) => await open.post('/portal/auth/magic-link', body);
const sms = async (body: unknown) => await open.post('/portal/auth/sms-otp', body);
const mailed = async (email: string) => {
	await link({ email });
	return tokenIn((await lettersTo(sandbox, email))[0]?.link);
};
const challenged = async (phone: string) => {
	const { challenge_id } = (await sms({ phone })).data;
	const code = (await lettersTo(sandbox, phone))[0]?.code ?? '';
	return { challenge_id, code };
};
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

test('the public status tells the time of the service', async () => {
	const { status, data } = await open.get('/health');
	expect(status).toBe(200);
	expect(data).toEqual({ status: 'ok', version: 'v1', time: expect.any(String) });
	sandbox.clock.move(minute);
	expect(Date.parse((await open.get('/health')).data.time)).toBeGreaterThanOrEqual(
		Date.parse(data.time) + minute,
	);
});

describe('a link by mail', () => {
	test('gives a session of an hour, and makes the user active', async () => {
		const { email, phone, id } = await invited();
		const { status, data } = await link({ token: await mailed(email) });
		expect(status).toBe(200);
		expect(data).toEqual({
			access_token: expect.any(String),
			token_type: 'Bearer',
			expires_in: 3600,
			portal_user: expect.objectContaining({
				id,
				email,
				phone,
				status: 'active',
				last_access_at: expect.any(String),
			}),
		});
		expect((await client.get('/portal/users')).data.data).toEqual([data.portal_user]);
		expect(await sessionOf(sandbox, data.access_token)).toMatchObject({
			active: true,
			portal_user: { id },
		});
		sandbox.clock.move(60 * minute);
		expect(await sessionOf(sandbox, data.access_token)).toEqual({ active: false });
	});

	test('says the same to everybody, and writes to nobody without an access', async () => {
		const { email } = await invited();
		const stranger = somebody().email;
		const [known, unknown] = [await link({ email }), await link({ email: stranger })];
		expect(unknown.status).toBe(200);
		expect(unknown.data).toEqual({ status: 'sent', expires_in: 900 });
		expect(known.data).toEqual(unknown.data);
		expect(Object.keys(known.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
		expect(await lettersTo(sandbox, stranger)).toEqual([]);
		expect(await lettersTo(sandbox, email)).toHaveLength(2);
	});

	test('works once, and for fifteen minutes', async () => {
		const { email } = await invited();
		const [first, other] = [await mailed(email), await mailed(email)];
		expect((await link({ token: first })).status).toBe(200);
		expect(refusalOf(await link({ token: first }))).toEqual(refused(401, 'INVALID_TOKEN'));
		sandbox.clock.move(15 * minute);
		expect(refusalOf(await link({ token: other }))).toEqual(refused(401, 'TOKEN_EXPIRED'));
		const last = await mailed(email);
		sandbox.clock.move(15 * minute - 10 * second);
		expect((await link({ token: last })).status).toBe(200);
	});

	test('two who redeem it at once get one session', async () => {
		const token = await mailed((await invited()).email);
		const answers = await Promise.all([1, 2, 3, 4].map(async () => await link({ token })));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
	});

	test('goes to each organization that the address has an access to, and to none that expired', async () => {
		const { email } = await invited();
		const other = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
		const body = { email: email.toUpperCase(), dossier_ids: [], expires_in_days: 1 };
		const { data } = await other.post('/portal/invite', body);
		await link({ email });
		const tokens = [
			tokenIn((await lettersTo(sandbox, email.toUpperCase()))[0]?.link),
			await mailed(email),
		];
		const people = [];
		for (const token of tokens) people.push((await link({ token })).data.portal_user.id);
		expect(new Set(people).size).toBe(2);
		expect(people).toContain(data.portal_user_id);

		const late = await invited();
		sandbox.clock.move(14 * 24 * 60 * minute);
		await link({ email: late.email });
		expect(await lettersTo(sandbox, late.email)).toHaveLength(1);
	});

	test.each([
		[{}, 400, 'MISSING_REQUIRED_FIELD'],
		[{ token: null }, 400, 'MISSING_REQUIRED_FIELD'],
		[{ email: 'nobody' }, 422, 'VALIDATION_ERROR'],
		[{ email: 7 }, 422, 'VALIDATION_ERROR'],
		[{ token: '' }, 422, 'VALIDATION_ERROR'],
		[{ token: 'x'.repeat(513) }, 422, 'VALIDATION_ERROR'],
		[{ token: "' OR 1=1 --" }, 401, 'INVALID_TOKEN'],
		[{ token: '\u0000', email: 'a@b.example' }, 401, 'INVALID_TOKEN'],
	])('refuses %j', async (body, status, code) => {
		const answer = await link(body);
		expect(refusalOf(answer)).toEqual(refused(status, code));
	});

	test.each([
		['{', 'application/json', 'INVALID_JSON'],
		['email=a', 'application/x-www-form-urlencoded', 'UNSUPPORTED_MEDIA_TYPE'],
	])('refuses a body that cannot be read: %s', async (body, type, code) => {
		const headers = { 'Content-Type': type };
		const answer = await open.post('/portal/auth/magic-link', body, { headers });
		expect(refusalOf(answer)).toEqual(refused(400, code));
	});
});

describe('a code by SMS', () => {
	test('has six digits and gives a session, once', async () => {
		const { phone, id } = await invited();
		const { challenge_id, code } = await challenged(phone);
		expect(code).toMatch(/^\d{6}$/);
		const { status, data } = await sms({ challenge_id, code });
		expect(status).toBe(200);
		expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600, portal_user: { id } });
		expect(await sessionOf(sandbox, data.access_token)).toMatchObject({ active: true });
		expect(refusalOf(await sms({ challenge_id, code }))).toEqual(refused(401, 'INVALID_OTP'));
	});

	test('says the same to every number, also when it is asked for too soon or tried too often', async () => {
		const { phone } = await invited();
		const stranger = somebody().phone;
		const seen = [];
		for (const number of [phone, stranger]) {
			const first = await sms({ phone: number });
			const soon = await sms({ phone: number });
			const { challenge_id } = first.data;
			const code = otherThan((await lettersTo(sandbox, number))[0]?.code ?? '');
			const tries = [];
			for (let n = 0; n < 6; n++)
				tries.push((await sms({ challenge_id, code })).data.error.message);
			seen.push([
				first.status,
				{ ...first.data, challenge_id: typeof challenge_id },
				refusalOf(soon),
				tries,
			]);
		}
		expect(seen[0]).toEqual(seen[1]);
		expect(seen[0]?.[1]).toEqual({ challenge_id: 'string', expires_in: 300 });
		expect(await lettersTo(sandbox, stranger)).toEqual([]);
	});

	test('can be asked for again after a minute, which ends the one before', async () => {
		const { phone } = await invited();
		const first = await challenged(phone);
		sandbox.clock.move(59 * second);
		const soon = await sms({ phone });
		expect(refusalOf(soon)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
		expect(soon.headers['retry-after']).toBe('1');
		sandbox.clock.move(second);
		const next = await challenged(phone);
		expect(refusalOf(await sms(first))).toEqual(refused(401, 'INVALID_OTP'));
		expect((await sms(next)).status).toBe(200);
		expect(refusalOf(await sms({ phone }))).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
	});

	test('has five tries: the fifth may be right, a sixth may not', async () => {
		const one = await challenged((await invited()).phone);
		const other = await challenged((await invited()).phone);
		const wrong = async ({ challenge_id, code }: typeof one) =>
			refusalOf(await sms({ challenge_id, code: otherThan(code) }));
		for (let n = 0; n < 4; n++) {
			expect(await wrong(one)).toEqual(refused(401, 'INVALID_OTP'));
			await wrong(other);
		}
		expect((await sms(one)).status).toBe(200);
		await wrong(other);
		expect(refusalOf(await sms(other))).toEqual(refused(401, 'INVALID_OTP'));
	});

	test('works for five minutes', async () => {
		const one = await challenged((await invited()).phone);
		sandbox.clock.move(5 * minute - 10 * second);
		const other = await challenged((await invited()).phone);
		sandbox.clock.move(10 * second);
		expect(refusalOf(await sms(one))).toEqual(refused(401, 'TOKEN_EXPIRED'));
		expect((await sms(other)).status).toBe(200);
	});

	test('is for who was invited last, where several have the number', async () => {
		const { phone } = await invited();
		sandbox.clock.move(second);
		const other = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
		const { data } = await other.post('/portal/invite', {
			...somebody(),
			phone,
			dossier_ids: [],
		});
		const session = (await sms(await challenged(phone))).data;
		expect(session.portal_user.id).toBe(data.portal_user_id);
	});

	test.each([
		[{}, 400, 'MISSING_REQUIRED_FIELD'],
		[{ challenge_id: 'otp_1' }, 400, 'MISSING_REQUIRED_FIELD'],
		[{ code: '123456' }, 400, 'MISSING_REQUIRED_FIELD'],
		[{ phone: '0151 123' }, 422, 'VALIDATION_ERROR'],
		[{ challenge_id: 'otp_1', code: '12345' }, 422, 'VALIDATION_ERROR'],
		[{ challenge_id: 'otp_1', code: 123456 }, 422, 'VALIDATION_ERROR'],
		[{ challenge_id: "' OR 1=1 --", code: '123456' }, 401, 'INVALID_OTP'],
		[{ challenge_id: 'otp_1', code: '123456', phone: '+4915100000000' }, 401, 'INVALID_OTP'],
	])('refuses %j', async (body, status, code) => {
		expect(refusalOf(await sms(body))).toEqual(refused(status, code));
	});
});

test('a session is no token of the workspace, and no key', async () => {
	const { data } = await link({ token: (await invited()).token });
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
