import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { minute, second } from './control.ts';
import { lettersTo, publicOf, sessionOf, somebody } from './people.ts';

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
	return { ...person, id: data.portal_user_id };
}

const sms = async (body: unknown) => await open.post('/portal/auth/sms-otp', body);
const challenged = async (phone: string) => {
	const { challenge_id } = (await sms({ phone })).data;
	const code = (await lettersTo(sandbox, phone))[0]?.code ?? '';
	return { challenge_id, code };
};
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

test('a code has six digits and gives a session, once', async () => {
	const { phone, id } = await invited();
	const { challenge_id, code } = await challenged(phone);
	expect(code).toMatch(/^\d{6}$/);
	const { status, data } = await sms({ challenge_id, code });
	expect(status).toBe(200);
	expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600, portal_user: { id } });
	expect(await sessionOf(sandbox, data.access_token)).toMatchObject({ active: true });
	expect(refusalOf(await sms({ challenge_id, code }))).toEqual(refused(401, 'INVALID_OTP'));
});

test('a code says the same to every number, also when it is asked for too soon or tried too often', async () => {
	const { phone } = await invited();
	const stranger = somebody().phone;
	const seen = [];
	for (const number of [phone, stranger]) {
		const first = await sms({ phone: number });
		const soon = await sms({ phone: number });
		const { challenge_id } = first.data;
		const code = otherThan((await lettersTo(sandbox, number))[0]?.code ?? '');
		const tries = [];
		for (let n = 0; n < 6; n++) tries.push((await sms({ challenge_id, code })).data.error.message);
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

test('a code can be asked for again after a minute, which ends the one before', async () => {
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

test('a code has five tries: the fifth may be right, a sixth may not', async () => {
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

test('a code works for five minutes', async () => {
	const one = await challenged((await invited()).phone);
	sandbox.clock.move(5 * minute - 10 * second);
	const other = await challenged((await invited()).phone);
	sandbox.clock.move(10 * second);
	expect(refusalOf(await sms(one))).toEqual(refused(401, 'TOKEN_EXPIRED'));
	expect((await sms(other)).status).toBe(200);
});

test('a code is for who was invited last, where several have the number', async () => {
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
