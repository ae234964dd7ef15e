/** The two ways into the portal, which do not reveal who has an account. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
	connect,
	connectPublic,
	day,
	expectRefusal,
	findOrganization,
	invitePerson,
	makePerson,
	minute,
	readRefusal,
	readToken,
	refused,
	second,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const {
	client,
	anyone,
	control,
	dataDir,
	sandbox,
	organization,
	connectStranger,
	openSandbox,
	withDatabase,
} = useSandbox({ rateLimits: 'plan' });

type Person = ReturnType<typeof makePerson>;

const signIn = async (way: string, body: unknown) => await anyone.post(`/portal/auth/${way}`, body);

const link = {
	way: 'magic-link',
	ask: async ({ email }: Person) => await signIn('magic-link', { email }),
	/** Asks, and gives what redeems the message. */
	receive: async (person: Person) => {
		await link.ask(person);
		return { token: readToken((await control.outbox(person.email))[0]?.link) };
	},
	invalid: 'INVALID_TOKEN',
	lasts: 15 * minute,
	answer: { status: 'sent', expires_in: 900 },
};

const code = {
	way: 'sms-otp',
	ask: async ({ phone }: Person) => await signIn('sms-otp', { phone }),
	receive: async (person: Person) => {
		const { challenge_id } = (await code.ask(person)).data;
		return { challenge_id, code: (await control.outbox(person.phone))[0]?.code ?? '' };
	},
	invalid: 'INVALID_OTP',
	lasts: 5 * minute,
	answer: { challenge_id: expect.any(String), expires_in: 300 },
};

describe.each([link, code])('signing in by $way', ({ way, ask, receive, ...says }) => {
	test('opens a session of an hour, once, and makes the user active', async () => {
		const { id, email, phone } = await invitePerson(client);
		const given = await receive({ email, phone });
		const { status, data } = await signIn(way, given);
		const user = { id, email, phone, status: 'active', last_access_at: expect.any(String) };
		expect([status, data]).toEqual([
			200,
			{
				access_token: expect.any(String),
				token_type: 'Bearer',
				expires_in: 3600,
				portal_user: expect.objectContaining(user),
			},
		]);
		expect((await client.get('/portal/users')).data.data).toEqual([data.portal_user]);
		expectRefusal(await signIn(way, given), 401, says.invalid);
		const session = async () => await control.session(data.access_token);
		expect(await session()).toMatchObject({ active: true, portal_user: { id } });
		await control.move(60 * minute);
		expect(await session()).toEqual({ active: false });
	});

	test('has the same answer for everybody, even too early, and only portal users get a message', async () => {
		const known = await invitePerson(client);
		const stranger = makePerson();
		const seen = [];
		for (const person of [known, stranger]) {
			const first = await ask(person);
			await control.move(59 * second);
			const soon = await ask({ ...person, email: person.email.toUpperCase() });
			await control.move(second);
			const later = await ask(person);
			expect([first.data, later.data]).toEqual([says.answer, says.answer]);
			expect(readRefusal(soon)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
			expect(soon.headers['retry-after']).toBe('1');
			seen.push([Object.keys(first.headers).sort(), soon.data.error.message]);
		}
		expect(seen[0]).toEqual(seen[1]);
		const countMessages = async ({ email, phone }: Person) =>
			[...(await control.outbox(email)), ...(await control.outbox(phone))].length;
		const invitation = 1;
		expect(await countMessages(known)).toBe(invitation + 2);
		expect(await countMessages(stranger)).toBe(0);
	});

	test('works until the message is too old', async () => {
		const late = await receive(await invitePerson(client));
		await control.move(10 * second);
		const timely = await receive(await invitePerson(client));
		await control.move(says.lasts - 10 * second);
		expectRefusal(await signIn(way, late), 401, 'TOKEN_EXPIRED');
		expect((await signIn(way, timely)).status).toBe(200);
	});

	test('opens one session for simultaneous requests', async () => {
		const given = await receive(await invitePerson(client));
		const answers = await Promise.all([1, 2, 3, 4].map(async () => await signIn(way, given)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
	});

	test('does not wait longer for the next message if the clock is moved back, and not at all without limits', async () => {
		const person = await invitePerson(client);
		await ask(person);
		await control.move(-60 * minute);
		expect((await ask(person)).status).toBe(200);
		await sandbox().limits.set('off');
		expect((await ask(person)).status).toBe(200);
	});
});

test('a magic link is mailed for each organization in which the address has a valid invitation', async () => {
	const person = await invitePerson(client);
	const email = person.email.toUpperCase();
	const invitation = { email, dossier_ids: [], expires_in_days: 1 };
	const { data } = await (await connectStranger()).post('/portal/invite', invitation);
	const own = await link.receive(person);
	const tokens = [own.token, readToken((await control.outbox(email))[0]?.link)];
	const people = [];
	for (const token of tokens)
		people.push((await signIn('magic-link', { token })).data.portal_user.id);
	expect(people).toEqual([person.id, data.portal_user_id]);

	const late = await invitePerson(client);
	await control.move(14 * day);
	await link.ask(late);
	expect(await control.outbox(late.email)).toHaveLength(1);
});

test('an SMS code has six digits, and a new one invalidates the previous one', async () => {
	const person = await invitePerson(client);
	const first = await code.receive(person);
	await control.move(minute);
	const next = await code.receive(person);
	expect(next.code).toMatch(/^\d{6}$/);
	expectRefusal(await signIn('sms-otp', first), 401, 'INVALID_OTP');
	expect((await signIn('sms-otp', next)).status).toBe(200);
});

test('an SMS code can be tried five times, whether the number is known or not', async () => {
	const one = await code.receive(await invitePerson(client));
	const other = await code.receive(await invitePerson(client));
	const { challenge_id } = (await code.ask(makePerson())).data;
	const fail = async (given: typeof one) =>
		(await signIn('sms-otp', { ...given, code: given.code === '000000' ? '000001' : '000000' }))
			.data.error;
	const unknown = [];
	for (let n = 0; n < 6; n++) unknown.push(await fail({ challenge_id, code: '' }));
	const known = [];
	for (let n = 0; n < 4; n++) {
		expect(await fail(one)).toMatchObject({ code: 'INVALID_OTP', status: 401 });
		known.push(await fail(other));
	}
	expect((await signIn('sms-otp', one)).status).toBe(200);
	known.push(await fail(other));
	expectRefusal(await signIn('sms-otp', other), 401, 'INVALID_OTP');
	expect(unknown).toEqual([...known, await fail(other)]);
});

test('an SMS code signs in the user who was invited last, if several have the number', async () => {
	const { phone } = await invitePerson(client);
	await control.move(second);
	const person = { ...makePerson(), phone };
	const other = await connectStranger();
	const { data } = await other.post('/portal/invite', { ...person, dossier_ids: [] });
	const session = (await signIn('sms-otp', await code.receive(person))).data;
	expect(session.portal_user.id).toBe(data.portal_user_id);
});

test.each([
	['magic-link', {}, 400, 'MISSING_REQUIRED_FIELD'],
	['magic-link', { token: null }, 400, 'MISSING_REQUIRED_FIELD'],
	['magic-link', { email: 'nobody' }, 422, 'VALIDATION_ERROR'],
	['magic-link', { email: 7 }, 422, 'VALIDATION_ERROR'],
	['magic-link', { token: '' }, 422, 'VALIDATION_ERROR'],
	['magic-link', { token: 'x'.repeat(513) }, 422, 'VALIDATION_ERROR'],
	['magic-link', { token: "' OR 1=1 --" }, 401, 'INVALID_TOKEN'],
	['magic-link', { token: '\u0000', email: 'a@b.example' }, 401, 'INVALID_TOKEN'],
	['sms-otp', {}, 400, 'MISSING_REQUIRED_FIELD'],
	['sms-otp', { challenge_id: 'otp_1' }, 400, 'MISSING_REQUIRED_FIELD'],
	['sms-otp', { code: '123456' }, 400, 'MISSING_REQUIRED_FIELD'],
	['sms-otp', { phone: '0151 123' }, 422, 'VALIDATION_ERROR'],
	['sms-otp', { challenge_id: 'otp_1', code: '12345' }, 422, 'VALIDATION_ERROR'],
	['sms-otp', { challenge_id: 'otp_1', code: 123456 }, 422, 'VALIDATION_ERROR'],
	['sms-otp', { challenge_id: "' OR 1=1 --", code: '123456' }, 401, 'INVALID_OTP'],
	['sms-otp', { challenge_id: 'o', code: '123456', phone: '+4915100000000' }, 401, 'INVALID_OTP'],
])('signing in by %s is refused with %j', async (way, body, status, refusal) => {
	expectRefusal(await signIn(way, body), status, refusal);
});

test("the token of a person is not an API key, and that of a portal user is not a customer's", async () => {
	const { token } = await invitePerson(client);
	const { access_token: session } = (await signIn('magic-link', { token })).data;
	const withToken = (own: string) => ({ headers: { Authorization: `Bearer ${own}` } });
	for (const own of [session, organization().customerToken, sandbox().operatorToken]) {
		expectRefusal(await client.get('/dossiers', withToken(own)), 401, 'INVALID_API_KEY');
	}
	const workspace = await anyone.get('/tenants/workspace-bootstrap', withToken(session));
	expectRefusal(workspace, 401, 'INVALID_TOKEN');
});

test('no key, token or code is stored in clear text outside the outbox, and only the owner can read the secret', async () => {
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
	expect(statSync(join(dataDir, 'key-secret')).mode & 0o777).toBe(0o600);

	const stored = withDatabase((database) => {
		const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
		const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'outbox');
		return JSON.stringify(names.map((name) => database.prepare(`SELECT * FROM ${name}`).all()));
	});
	expect(stored).toContain(challenge_id);
	for (const secret of [
		token,
		readToken(letter?.link),
		`"${message?.code}"`,
		session.access_token,
		...own.organizations.flatMap(({ liveKey, testKey }) => [liveKey, testKey]),
		organization.customerToken,
		own.operatorToken,
	]) {
		expect(secret.length).toBeGreaterThan(7);
		expect(stored).not.toContain(secret);
	}
});
