import {
	expectRefusal,
	invitePerson,
	makePerson,
	minute,
	readRefusal,
	refused,
	second,
} from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, anyone, control, sandbox, connectStranger } = useSandbox({ rateLimits: 'plan' });

const sms = async (body: unknown) => await anyone.post('/portal/auth/sms-otp', body);
const challenged = async (phone: string) => {
	const { challenge_id } = (await sms({ phone })).data;
	const code = (await control.outbox(phone))[0]?.code ?? '';
	return { challenge_id, code };
};
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

test('an SMS code has six digits and opens a session once', async () => {
	const { phone, id } = await invitePerson(client);
	const { challenge_id, code } = await challenged(phone);
	expect(code).toMatch(/^\d{6}$/);
	const { status, data } = await sms({ challenge_id, code });
	expect(status).toBe(200);
	expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600, portal_user: { id } });
	expect(await control.session(data.access_token)).toMatchObject({ active: true });
	expectRefusal(await sms({ challenge_id, code }), 401, 'INVALID_OTP');
});

test('a request for an SMS code is answered alike for every number, even if it comes too soon or is tried too often', async () => {
	const { phone } = await invitePerson(client);
	const stranger = makePerson().phone;
	const seen = [];
	for (const number of [phone, stranger]) {
		const first = await sms({ phone: number });
		const soon = await sms({ phone: number });
		const { challenge_id } = first.data;
		const code = otherThan((await control.outbox(number))[0]?.code ?? '');
		const answers = [];
		for (let n = 0; n < 6; n++)
			answers.push((await sms({ challenge_id, code })).data.error.message);
		seen.push([
			first.status,
			{ ...first.data, challenge_id: typeof challenge_id },
			readRefusal(soon),
			answers,
		]);
	}
	expect(seen[0]).toEqual(seen[1]);
	expect(seen[0]?.[1]).toEqual({ challenge_id: 'string', expires_in: 300 });
	expect(await control.outbox(stranger)).toEqual([]);
});

test('an SMS code can be requested again after a minute, which invalidates the previous one', async () => {
	const { phone } = await invitePerson(client);
	const first = await challenged(phone);
	await sandbox().clock.move(59 * second);
	const soon = await sms({ phone });
	expectRefusal(soon, 429, 'RATE_LIMIT_EXCEEDED');
	expect(soon.headers['retry-after']).toBe('1');
	await sandbox().clock.move(second);
	const next = await challenged(phone);
	expectRefusal(await sms(first), 401, 'INVALID_OTP');
	expect((await sms(next)).status).toBe(200);
	expectRefusal(await sms({ phone }), 429, 'RATE_LIMIT_EXCEEDED');
});

test('an SMS code can be tried five times, and a sixth attempt fails even if it is right', async () => {
	const one = await challenged((await invitePerson(client)).phone);
	const other = await challenged((await invitePerson(client)).phone);
	const wrong = async ({ challenge_id, code }: typeof one) =>
		readRefusal(await sms({ challenge_id, code: otherThan(code) }));
	for (let n = 0; n < 4; n++) {
		expect(await wrong(one)).toEqual(refused(401, 'INVALID_OTP'));
		await wrong(other);
	}
	expect((await sms(one)).status).toBe(200);
	await wrong(other);
	expectRefusal(await sms(other), 401, 'INVALID_OTP');
});

test('an SMS code expires after five minutes', async () => {
	const one = await challenged((await invitePerson(client)).phone);
	await sandbox().clock.move(5 * minute - 10 * second);
	const other = await challenged((await invitePerson(client)).phone);
	await sandbox().clock.move(10 * second);
	expectRefusal(await sms(one), 401, 'TOKEN_EXPIRED');
	expect((await sms(other)).status).toBe(200);
});

test('an SMS code signs in the user who was invited last, if several have the number', async () => {
	const { phone } = await invitePerson(client);
	await sandbox().clock.move(second);
	const other = await connectStranger();
	const { data } = await other.post('/portal/invite', {
		...makePerson(),
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
])('the SMS code endpoint refuses %j', async (body, status, code) => {
	expectRefusal(await sms(body), status, code);
});
