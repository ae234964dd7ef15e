import {
	expectRefusal,
	invitePerson,
	makePerson,
	minute,
	readRefusal,
	readToken,
	refused,
	second,
} from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, anyone, control, sandbox, connectStranger } = useSandbox({ rateLimits: 'plan' });

const link = async (body: unknown) => await anyone.post('/portal/auth/magic-link', body);
const mailed = async (email: string) => {
	await link({ email });
	return readToken((await control.outbox(email))[0]?.link);
};

test('a magic link opens a session of an hour and makes the user active', async () => {
	const { email, phone, id } = await invitePerson(client);
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
	expect(await control.session(data.access_token)).toMatchObject({
		active: true,
		portal_user: { id },
	});
	await sandbox().clock.move(60 * minute);
	expect(await control.session(data.access_token)).toEqual({ active: false });
});

test('a request for a magic link is answered alike for every address, and only portal users get a mail', async () => {
	const { email } = await invitePerson(client);
	const stranger = makePerson().email;
	const [known, unknown] = [await link({ email }), await link({ email: stranger })];
	expect(unknown.status).toBe(200);
	expect(unknown.data).toEqual({ status: 'sent', expires_in: 900 });
	expect(known.data).toEqual(unknown.data);
	expect(Object.keys(known.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
	expect(await control.outbox(stranger)).toEqual([]);
	expect(await control.outbox(email)).toHaveLength(2);
});

test('a magic link works once and expires after fifteen minutes', async () => {
	const { email } = await invitePerson(client);
	const first = await mailed(email);
	await sandbox().clock.move(minute);
	const other = await mailed(email);
	expect((await link({ token: first })).status).toBe(200);
	expectRefusal(await link({ token: first }), 401, 'INVALID_TOKEN');
	await sandbox().clock.move(15 * minute);
	expectRefusal(await link({ token: other }), 401, 'TOKEN_EXPIRED');
	const last = await mailed(email);
	await sandbox().clock.move(15 * minute - 10 * second);
	expect((await link({ token: last })).status).toBe(200);
});

test('a magic link can be requested again after a minute, whether the address is known or not', async () => {
	const { email } = await invitePerson(client);
	const seen = [];
	for (const address of [email, makePerson().email]) {
		const first = await link({ email: address });
		await sandbox().clock.move(59 * second);
		const soon = await link({ email: address.toUpperCase() });
		const { message } = soon.data.error;
		await sandbox().clock.move(second);
		const later = await link({ email: address });
		seen.push([first.data, readRefusal(soon), soon.headers['retry-after'], message, later.data]);
	}
	expect(seen[0]).toEqual(seen[1]);
	expect(seen[0]).toEqual([
		{ status: 'sent', expires_in: 900 },
		refused(429, 'RATE_LIMIT_EXCEEDED'),
		'1',
		expect.any(String),
		{ status: 'sent', expires_in: 900 },
	]);
	expect(await control.outbox(email)).toHaveLength(3);
});

test('moving the clock back does not prolong the wait for the next magic link', async () => {
	const { email } = await invitePerson(client);
	await link({ email });
	await sandbox().clock.move(-60 * minute);
	expect((await link({ email })).status).toBe(200);
	await sandbox().clock.move(60 * minute);
	expect((await link({ email })).status).toBe(200);
});

test('simultaneous requests that redeem one magic link get one session', async () => {
	const token = await mailed((await invitePerson(client)).email);
	const answers = await Promise.all([1, 2, 3, 4].map(async () => await link({ token })));
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
});

test('a magic link is mailed for each organization in which the address has a valid invitation', async () => {
	const { email } = await invitePerson(client);
	const other = await connectStranger();
	const body = { email: email.toUpperCase(), dossier_ids: [], expires_in_days: 1 };
	const { data } = await other.post('/portal/invite', body);
	await link({ email });
	const tokens = [
		readToken((await control.outbox(email.toUpperCase()))[0]?.link),
		await mailed(email),
	];
	const people = [];
	for (const token of tokens) people.push((await link({ token })).data.portal_user.id);
	expect(new Set(people).size).toBe(2);
	expect(people).toContain(data.portal_user_id);

	const late = await invitePerson(client);
	await sandbox().clock.move(14 * 24 * 60 * minute);
	await link({ email: late.email });
	expect(await control.outbox(late.email)).toHaveLength(1);
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
])('the magic link endpoint refuses %j', async (body, status, code) => {
	const answer = await link(body);
	expectRefusal(answer, status, code);
});
