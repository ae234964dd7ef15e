import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import type { AxiosResponse } from 'axios';
import type { Profile } from '../src/index.ts';
import { makePerson, readRefusal, readToken, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

/** Skips the search for an inverted code, which would double the time. */
const darkOnLight = { inversionAttempts: 'dontInvert' } as const;

const profiles: Profile[] = ['default', 'given-only', 'alternate'];

describe.each(profiles)('with the profile %s', (profile) => {
	const plain = profile !== 'alternate';
	const { client, anyone, control } = useSandbox({ profile, rateLimits: 'plan' });

	const record = ({ data }: AxiosResponse) => (plain ? data : data.data);
	const at = (id: string) => encodeURIComponent(id);
	const dossier = async () => record(await client.post('/dossiers', { title: 'Lease' }));
	const invite = async (fields: object = {}) =>
		record(await client.post('/portal/invite', { ...makePerson(), dossier_ids: [], ...fields }));
	const listFields = ({ data }: AxiosResponse): string[] =>
		plain
			? data.error.details.map(({ field }: { field: string }) => field)
			: Object.keys(data.error.details);
	const gone = async (path: string, id: string) => {
		const answer = await client.delete(`${path}/${at(id)}`);
		expect(answer.status).toBe(plain ? 200 : 204);
		expect(answer.data).toEqual(plain ? { id, deleted: true } : '');
	};

	test('portal.invite, portal.users.list and portal.users.delete work', async () => {
		const { id } = await dossier();
		const person = makePerson();
		const answer = await client.post('/portal/invite', { ...person, dossier_ids: [id] });
		expect(answer.status).toBe(201);
		expect(record(answer)).toMatchObject({ state: 'pending' });
		const users = async (params: object = {}) =>
			(await client.get('/portal/users', { params })).data.data;
		const userId = record(answer).portal_user_id;
		expect(await users()).toMatchObject([{ id: userId, status: 'invited', dossier_ids: [id] }]);
		expect(await users({ status: 'active' })).toHaveLength(plain ? 0 : 1);

		const again = await client.post('/portal/invite', { ...person, dossier_ids: [] });
		expect(readRefusal(again)).toEqual(refused(422, 'USER_ALREADY_INVITED'));
		const wrong = await client.post('/portal/invite', {
			...makePerson(),
			dossier_ids: [id, 'none'],
		});
		expect(readRefusal(wrong)).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(listFields(wrong)).toEqual(['dossier_ids.1']);

		await gone('/portal/users', userId);
		expect(await users()).toMatchObject([{ id: userId, status: 'revoked' }]);
		expect(readRefusal(await client.delete('/portal/users/none'))).toEqual(
			refused(404, 'PORTAL_USER_NOT_FOUND'),
		);
		const params = plain ? { page: 0 } : { cursor: 'nonsense' };
		expect(readRefusal(await client.get('/portal/users', { params }))).toEqual(
			refused(400, 'INVALID_PARAMETER'),
		);
	});

	test('portal.inviteQr returns the code, as JSON or as an image', async () => {
		const body = { ...makePerson(), dossier_ids: [], qr_format: 'png' };
		const answer = await client.post('/portal/invite/qr', body, { responseType: 'arraybuffer' });
		expect(answer.status).toBe(201);
		const image = plain
			? Buffer.from(JSON.parse(String(answer.data)).qr.data_url.split(',')[1], 'base64')
			: Buffer.from(answer.data);
		expect(answer.headers['content-type']).toMatch(plain ? /^application\/json/ : /^image\/png$/);
		const { width, height, data: pixels } = PNG.sync.read(image);
		const address = jsQR(new Uint8ClampedArray(pixels), width, height, darkOnLight)?.data;
		expect(address).toBe((await control.outbox(body.email))[0]?.link);
		expect(readRefusal(await client.post('/portal/invite/qr', body))).toEqual(
			refused(422, 'USER_ALREADY_INVITED'),
		);
		expect(readRefusal(await client.post('/portal/invite/qr', {}))).toEqual(
			refused(400, 'MISSING_REQUIRED_FIELD'),
		);
	});

	test('portal.auth.magicLink sends a link that signs in once', async () => {
		const { email } = makePerson();
		const { portal_user_id } = await invite({ email });
		const path = '/portal/auth/magic-link';
		expect(record(await anyone.post(path, { email }))).toEqual({ status: 'sent', expires_in: 900 });
		const token = readToken((await control.outbox(email))[0]?.link);
		const session = await anyone.post(path, { token });
		expect(session.status).toBe(200);
		expect(record(session)).toMatchObject({
			expires_in: 3600,
			portal_user: { id: portal_user_id, status: 'active' },
		});
		expect(readRefusal(await anyone.post(path, { token }))).toEqual(refused(401, 'INVALID_TOKEN'));
		expect(readRefusal(await anyone.post(path, {}))).toEqual(
			refused(400, 'MISSING_REQUIRED_FIELD'),
		);
	});

	test('portal.auth.smsOtp sends a code that signs in, with a pause between codes', async () => {
		const { phone } = makePerson();
		const { portal_user_id } = await invite({ phone });
		const path = '/portal/auth/sms-otp';
		const { challenge_id, expires_in } = record(await anyone.post(path, { phone }));
		expect(expires_in).toBe(300);
		const soon = await anyone.post(path, { phone });
		expect(readRefusal(soon)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
		expect(soon.headers['retry-after']).toEqual(
			{
				default: expect.stringMatching(/^\d+$/),
				'given-only': undefined,
				alternate: expect.stringMatching(/ GMT$/),
			}[profile],
		);
		const code = (await control.outbox(phone))[0]?.code ?? '';
		const wrong = code === '000000' ? '000001' : '000000';
		expect(readRefusal(await anyone.post(path, { challenge_id, code: wrong }))).toEqual(
			refused(401, 'INVALID_OTP'),
		);
		const session = await anyone.post(path, { challenge_id, code });
		expect(record(session)).toMatchObject({ portal_user: { id: portal_user_id } });
	});

	test('health.get gives the version, and a fault can make it fail', async () => {
		const answer = await anyone.get('/health');
		expect(answer.status).toBe(200);
		expect(record(answer)).toEqual({ status: 'ok', version: 'v1', time: expect.any(String) });
		const fault = { operation: 'health.get', status: 500, times: 1 };
		await control.client.post('/faults', fault);
		expect(readRefusal(await anyone.get('/health'))).toEqual(refused(500, 'INTERNAL_ERROR'));
	});
});
