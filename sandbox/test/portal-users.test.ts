import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { minute } from './control.ts';
import { lettersTo, operatorOf, publicOf, sessionOf, somebody, tokenIn } from './people.ts';

const day = 24 * 60 * 60 * 1000;

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let dossier: { id: string };
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	dossier = (await client.post('/dossiers', { title: 'Lease' })).data;
});

const people = async (params: object = {}) =>
	(await client.get('/portal/users', { params })).data.data;
const signIn = async (token: string) =>
	(await publicOf(sandbox).post('/portal/auth/magic-link', { token })).data;

test('an invitation makes a portal user and a mail with the address of the invitation', async () => {
	const { email, phone } = somebody();
	const { status, data } = await client.post('/portal/invite', {
		email,
		phone,
		first_name: 'Tari',
		last_name: 'Okafor',
		dossier_ids: [dossier.id],
		message: 'Please upload the signed lease.',
		expires_in_days: 7,
		status: 'active',
		locale: 'xx',
	});
	expect(status).toBe(201);
	expect(data).toEqual({
		id: expect.stringMatching(/^inv_\w+$/),
		portal_user_id: expect.stringMatching(/^usr_\w+$/),
		state: 'pending',
		invite_url: expect.stringMatching(/^http:.*\/[\w-]{32}$/),
		expires_at: expect.any(String),
	});
	const [user] = await people();
	expect(user).toEqual({
		id: data.portal_user_id,
		email,
		phone,
		first_name: 'Tari',
		last_name: 'Okafor',
		locale: null,
		status: 'invited',
		dossier_ids: [dossier.id],
		invited_at: expect.any(String),
		last_access_at: null,
	});
	const days = (Date.parse(data.expires_at) - Date.parse(user.invited_at)) / day;
	expect(Math.round(days)).toBe(7);
	const [mail] = await lettersTo(sandbox, email);
	expect(mail).toMatchObject({ channel: 'mail', to: email, link: data.invite_url });
	expect(mail?.text).toContain('Hello Tari Okafor');
	expect(mail?.text).toContain('Please upload the signed lease.');
	expect(mail?.text).toContain(data.invite_url);
});

test.each([
	[{ dossier_ids: [] }, 400, 'MISSING_REQUIRED_FIELD', 'email'],
	[{ email: 'a@b.example' }, 400, 'MISSING_REQUIRED_FIELD', 'dossier_ids'],
	[{ email: 'nobody', dossier_ids: [] }, 422, 'VALIDATION_ERROR', 'email'],
	[{ email: 'a@b.example\r\nBcc: c@d.example', dossier_ids: [] }, 422, 'VALIDATION_ERROR', 'email'],
	[{ email: 'a@b.example', dossier_ids: [], phone: '0151' }, 422, 'VALIDATION_ERROR', 'phone'],
	[
		{ email: 'a@b.example', dossier_ids: [], expires_in_days: 91 },
		422,
		'VALIDATION_ERROR',
		'expires_in_days',
	],
	[{ email: 'a@b.example', dossier_ids: ['dos_none'] }, 422, 'VALIDATION_ERROR', 'dossier_ids.0'],
	[{ email: 'a@b.example', dossier_ids: 'dos_none' }, 422, 'VALIDATION_ERROR', 'dossier_ids'],
	[
		{ email: 'a@b.example', dossier_ids: [], first_name: '\u0000' },
		422,
		'VALIDATION_ERROR',
		'first_name',
	],
])('an invitation that cannot be invites nobody: %j', async (fields, status, code, field) => {
	const letters = (await lettersTo(sandbox)).length;
	const answer = await client.post('/portal/invite', fields);
	expect(refusalOf(answer)).toEqual(refused(status, code));
	expect(answer.data.error.details.map((one: { field: string }) => one.field)).toContain(field);
	expect(await people()).toEqual([]);
	expect(await lettersTo(sandbox)).toHaveLength(letters);
});

test('who has an open invitation or an access is not invited again, however the address is written', async () => {
	const { email } = somebody();
	const invite = async (address = email) =>
		await client.post('/portal/invite', { email: address, dossier_ids: [dossier.id] });
	const { invite_url } = (await invite()).data;
	const again = refused(422, 'USER_ALREADY_INVITED');
	expect(refusalOf(await invite())).toEqual(again);
	expect(refusalOf(await invite(email.toUpperCase()))).toEqual(again);
	await signIn(tokenIn(invite_url));
	sandbox.clock.move(30 * day);
	expect(refusalOf(await invite())).toEqual(again);
	expect(await people()).toHaveLength(1);

	const elsewhere = clientOf(sandbox, organization, organization.testKey);
	expect((await elsewhere.post('/portal/invite', { email, dossier_ids: [] })).status).toBe(201);
});

test('somebody who let an invitation pass, or was removed, is invited anew as the same user', async () => {
	const { email } = somebody();
	const invite = async (fields: object) =>
		(await client.post('/portal/invite', { email, dossier_ids: [], ...fields })).data;
	const first = await invite({ first_name: 'Tari', expires_in_days: 1, dossier_ids: [dossier.id] });
	sandbox.clock.move(day - 60_000);
	expect((await invite({})).error.code).toBe('USER_ALREADY_INVITED');
	sandbox.clock.move(60_000);
	const second = await invite({ last_name: 'Okafor' });
	expect(second.portal_user_id).toBe(first.portal_user_id);
	expect((await signIn(tokenIn(first.invite_url))).error.code).toBe('INVALID_TOKEN');
	await client.delete(`/portal/users/${first.portal_user_id}`);
	const third = await invite({});
	expect(third.portal_user_id).toBe(first.portal_user_id);
	expect(await people()).toEqual([
		expect.objectContaining({
			status: 'invited',
			first_name: 'Tari',
			last_name: 'Okafor',
			dossier_ids: [],
		}),
	]);
});

test('the list is filtered, searched and sorted', async () => {
	const other = (await client.post('/dossiers', { title: 'Other' })).data;
	const invite = async (last_name: string, dossier_ids: string[]) =>
		(await client.post('/portal/invite', { ...somebody(), last_name, dossier_ids })).data;
	await invite('Okafor', [dossier.id, other.id]);
	sandbox.clock.move(1000);
	const { invite_url } = await invite('Adler', [other.id]);
	await signIn(tokenIn(invite_url));
	const names = async (params: object) =>
		(await people(params)).map(({ last_name }: { last_name: string }) => last_name);
	expect(await names({})).toEqual(['Adler', 'Okafor']);
	expect(await names({ sort: 'last_name', order: 'desc' })).toEqual(['Okafor', 'Adler']);
	expect(await names({ status: 'active' })).toEqual(['Adler']);
	expect(await names({ dossier_id: dossier.id })).toEqual(['Okafor']);
	expect(await names({ dossier_id: other.id, q: 'OKA' })).toEqual(['Okafor']);
	expect(await names({ dossier_id: 'none' })).toEqual([]);
	const wrong = await client.get('/portal/users', { params: { status: 'gone' } });
	expect(refusalOf(wrong)).toEqual(refused(400, 'INVALID_PARAMETER'));
	await client.delete(`/dossiers/${dossier.id}`);
	expect((await people({ q: 'okafor' }))[0].dossier_ids).toEqual([other.id]);
});

test('removing ends the sessions and voids invitations and links; the user stays as revoked', async () => {
	const { email, phone } = somebody();
	const { data } = await client.post('/portal/invite', { email, phone, dossier_ids: [dossier.id] });
	const open = publicOf(sandbox);
	const { access_token } = await signIn(tokenIn(data.invite_url));
	expect(await sessionOf(sandbox, access_token)).toMatchObject({ active: true });
	await open.post('/portal/auth/magic-link', { email });
	const link = (await lettersTo(sandbox, email))[0]?.link;
	const { challenge_id } = (await open.post('/portal/auth/sms-otp', { phone })).data;
	const code = (await lettersTo(sandbox, phone))[0]?.code;

	const removed = await client.delete(`/portal/users/${data.portal_user_id}`);
	expect(removed.data).toEqual({ id: data.portal_user_id, deleted: true });
	expect(await sessionOf(sandbox, access_token)).toEqual({ active: false });
	expect((await signIn(tokenIn(link))).error.code).toBe('INVALID_TOKEN');
	expect(refusalOf(await open.post('/portal/auth/sms-otp', { challenge_id, code }))).toEqual(
		refused(401, 'INVALID_OTP'),
	);
	expect(await people()).toEqual([expect.objectContaining({ status: 'revoked' })]);

	const letters = (await lettersTo(sandbox, email)).length;
	sandbox.clock.move(minute);
	await open.post('/portal/auth/magic-link', { email });
	expect(await lettersTo(sandbox, email)).toHaveLength(letters);
	expect((await client.delete(`/portal/users/${data.portal_user_id}`)).status).toBe(200);
	const { data: log } = await client.get('/audit-log', {
		params: { action: 'portal.user_removed' },
	});
	expect(log.data).toHaveLength(1);
});

test('removing somebody with an open invitation voids it; nobody else can be removed', async () => {
	const { data } = await client.post('/portal/invite', { ...somebody(), dossier_ids: [] });
	await client.delete(`/portal/users/${data.portal_user_id}`);
	expect((await signIn(tokenIn(data.invite_url))).error.code).toBe('INVALID_TOKEN');
	const stranger = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	for (const [who, id] of [
		[client, 'none'],
		[stranger, data.portal_user_id],
	]) {
		expect(refusalOf(await who.delete(`/portal/users/${id}`))).toEqual(
			refused(404, 'PORTAL_USER_NOT_FOUND'),
		);
	}
});

test('a flag of the operator switches invitations off for a tenant', async () => {
	const invite = async (key: string) => await client.post(key, { ...somebody(), dossier_ids: [] });
	const operator = operatorOf(sandbox);
	const set = { key: 'portal_invites', tenant_id: organization.tenantId };
	await operator.post('/admin/feature-flags', { ...set, enabled: false });
	expect(refusalOf(await invite('/portal/invite'))).toEqual(refused(403, 'FEATURE_DISABLED'));
	expect((await invite('/portal/invite/qr')).status).toBe(201);
	await operator.post('/admin/feature-flags', { ...set, enabled: true });
	expect((await invite('/portal/invite')).status).toBe(201);
});
