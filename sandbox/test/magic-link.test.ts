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
const mailed = async (email: string) => {
	await link({ email });
	return tokenIn((await lettersTo(sandbox, email))[0]?.link);
};

test('a link gives a session of an hour, and makes the user active', async () => {
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

test('a link says the same to everybody, and writes to nobody without an access', async () => {
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

test('a link works once, and for fifteen minutes', async () => {
	const { email } = await invited();
	const first = await mailed(email);
	sandbox.clock.move(minute);
	const other = await mailed(email);
	expect((await link({ token: first })).status).toBe(200);
	expect(refusalOf(await link({ token: first }))).toEqual(refused(401, 'INVALID_TOKEN'));
	sandbox.clock.move(15 * minute);
	expect(refusalOf(await link({ token: other }))).toEqual(refused(401, 'TOKEN_EXPIRED'));
	const last = await mailed(email);
	sandbox.clock.move(15 * minute - 10 * second);
	expect((await link({ token: last })).status).toBe(200);
});

test('a link can be asked for again after a minute, by an address that nobody has as well', async () => {
	const { email } = await invited();
	const seen = [];
	for (const address of [email, somebody().email]) {
		const first = await link({ email: address });
		sandbox.clock.move(59 * second);
		const soon = await link({ email: address.toUpperCase() });
		const { message } = soon.data.error;
		sandbox.clock.move(second);
		const later = await link({ email: address });
		seen.push([first.data, refusalOf(soon), soon.headers['retry-after'], message, later.data]);
	}
	expect(seen[0]).toEqual(seen[1]);
	expect(seen[0]).toEqual([
		{ status: 'sent', expires_in: 900 },
		refused(429, 'RATE_LIMIT_EXCEEDED'),
		'1',
		expect.any(String),
		{ status: 'sent', expires_in: 900 },
	]);
	expect(await lettersTo(sandbox, email)).toHaveLength(3);
});

test('a clock that is moved back makes nobody wait for longer than a minute', async () => {
	const { email } = await invited();
	await link({ email });
	sandbox.clock.move(-60 * minute);
	expect((await link({ email })).status).toBe(200);
	sandbox.clock.move(60 * minute);
	expect((await link({ email })).status).toBe(200);
});

test('two who redeem a link at once get one session', async () => {
	const token = await mailed((await invited()).email);
	const answers = await Promise.all([1, 2, 3, 4].map(async () => await link({ token })));
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
});

test('a link goes to each organization that the address has an access to, and to none that expired', async () => {
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
