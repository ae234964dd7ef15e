import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import {
	connect,
	day,
	expectRefusal,
	makePerson,
	minute,
	readRefusal,
	readToken,
	refused,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, anyone, control, sandbox, organization, connectStranger } = useSandbox();

let dossier: { id: string };
beforeEach(async () => {
	dossier = (await client.post('/dossiers', { title: 'Lease' })).data;
});

const listUsers = async (params: object = {}) =>
	(await client.get('/portal/users', { params })).data.data;
const signIn = async (token: string) =>
	(await anyone.post('/portal/auth/magic-link', { token })).data;

test('an invitation makes a portal user and sends a mail with the link', async () => {
	const { email, phone } = makePerson();
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
	const [user] = await listUsers();
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
	const [mail] = await control.outbox(email);
	expect(mail).toMatchObject({ channel: 'mail', to: email, link: data.invite_url });
	expect(mail?.text).toContain('Hello Tari Okafor');
	expect(mail?.text).toContain('Please upload the signed lease.');
	expect(mail?.text).toContain(data.invite_url);
});

test('an invited or active portal user cannot be invited again, in whatever case the address is written', async () => {
	const { email } = makePerson();
	const invite = async (address = email) =>
		await client.post('/portal/invite', { email: address, dossier_ids: [dossier.id] });
	const { invite_url } = (await invite()).data;
	const again = refused(422, 'USER_ALREADY_INVITED');
	expect(readRefusal(await invite())).toEqual(again);
	expect(readRefusal(await invite(email.toUpperCase()))).toEqual(again);
	await signIn(readToken(invite_url));
	await sandbox().clock.move(30 * day);
	expect(readRefusal(await invite())).toEqual(again);
	expect(await listUsers()).toHaveLength(1);

	const elsewhere = connect(sandbox(), organization(), organization().testKey);
	expect((await elsewhere.post('/portal/invite', { email, dossier_ids: [] })).status).toBe(201);
});

test('a new invitation after one that expired, or after a removal, is for the same portal user', async () => {
	const { email } = makePerson();
	const invite = async (fields: object) =>
		(await client.post('/portal/invite', { email, dossier_ids: [], ...fields })).data;
	const first = await invite({ first_name: 'Tari', expires_in_days: 1, dossier_ids: [dossier.id] });
	await sandbox().clock.move(day - 60_000);
	expect((await invite({})).error.code).toBe('USER_ALREADY_INVITED');
	await sandbox().clock.move(60_000);
	const second = await invite({ last_name: 'Okafor' });
	expect(second.portal_user_id).toBe(first.portal_user_id);
	expect((await signIn(readToken(first.invite_url))).error.code).toBe('INVALID_TOKEN');
	await client.delete(`/portal/users/${first.portal_user_id}`);
	const third = await invite({});
	expect(third.portal_user_id).toBe(first.portal_user_id);
	expect(await listUsers()).toEqual([
		expect.objectContaining({
			status: 'invited',
			first_name: 'Tari',
			last_name: 'Okafor',
			dossier_ids: [],
		}),
	]);
});

test('the list can be filtered, searched and sorted', async () => {
	const other = (await client.post('/dossiers', { title: 'Other' })).data;
	const invite = async (last_name: string, dossier_ids: string[]) =>
		(await client.post('/portal/invite', { ...makePerson(), last_name, dossier_ids })).data;
	await invite('Okafor', [dossier.id, other.id]);
	await sandbox().clock.move(1000);
	const { invite_url } = await invite('Adler', [other.id]);
	await signIn(readToken(invite_url));
	const names = async (params: object) =>
		(await listUsers(params)).map(({ last_name }: { last_name: string }) => last_name);
	expect(await names({})).toEqual(['Adler', 'Okafor']);
	expect(await names({ sort: 'last_name', order: 'desc' })).toEqual(['Okafor', 'Adler']);
	expect(await names({ status: 'active' })).toEqual(['Adler']);
	expect(await names({ dossier_id: dossier.id })).toEqual(['Okafor']);
	expect(await names({ dossier_id: other.id, q: 'OKA' })).toEqual(['Okafor']);
	expect(await names({ dossier_id: 'none' })).toEqual([]);
	const wrong = await client.get('/portal/users', { params: { status: 'gone' } });
	expectRefusal(wrong, 400, 'INVALID_PARAMETER');
	await client.delete(`/dossiers/${dossier.id}`);
	expect((await listUsers({ q: 'okafor' }))[0].dossier_ids).toEqual([other.id]);
});

test('removing a portal user ends the sessions, invalidates links and codes, and keeps the user as revoked', async () => {
	const { email, phone } = makePerson();
	const { data } = await client.post('/portal/invite', { email, phone, dossier_ids: [dossier.id] });
	const { access_token } = await signIn(readToken(data.invite_url));
	expect(await control.session(access_token)).toMatchObject({ active: true });
	await anyone.post('/portal/auth/magic-link', { email });
	const link = (await control.outbox(email))[0]?.link;
	const { challenge_id } = (await anyone.post('/portal/auth/sms-otp', { phone })).data;
	const code = (await control.outbox(phone))[0]?.code;

	const removed = await client.delete(`/portal/users/${data.portal_user_id}`);
	expect(removed.data).toEqual({ id: data.portal_user_id, deleted: true });
	expect(await control.session(access_token)).toEqual({ active: false });
	expect((await signIn(readToken(link))).error.code).toBe('INVALID_TOKEN');
	expectRefusal(
		await anyone.post('/portal/auth/sms-otp', { challenge_id, code }),
		401,
		'INVALID_OTP',
	);
	expect(await listUsers()).toEqual([expect.objectContaining({ status: 'revoked' })]);

	const letters = (await control.outbox(email)).length;
	await sandbox().clock.move(minute);
	await anyone.post('/portal/auth/magic-link', { email });
	expect(await control.outbox(email)).toHaveLength(letters);
	expect((await client.delete(`/portal/users/${data.portal_user_id}`)).status).toBe(200);
	const { data: log } = await client.get('/audit-log', {
		params: { action: 'portal.user_removed' },
	});
	expect(log.data).toHaveLength(1);
});

test('removing an invited portal user invalidates the invitation, and unknown users are 404', async () => {
	const { data } = await client.post('/portal/invite', { ...makePerson(), dossier_ids: [] });
	await client.delete(`/portal/users/${data.portal_user_id}`);
	expect((await signIn(readToken(data.invite_url))).error.code).toBe('INVALID_TOKEN');
	const stranger = await connectStranger();
	for (const [who, id] of [
		[client, 'none'],
		[stranger, data.portal_user_id],
	]) {
		expectRefusal(await who.delete(`/portal/users/${id}`), 404, 'PORTAL_USER_NOT_FOUND');
	}
});

/** Skips the search for an inverted code, which would double the time. */
const darkOnLight = { inversionAttempts: 'dontInvert' } as const;

const inviteByCode = async (fields: object = {}) =>
	await client.post('/portal/invite/qr', { dossier_ids: [], ...fields });

/** The bytes of a data URL. */
const decodeDataUrl = (url: string) => Buffer.from(url.split(',')[1] ?? '', 'base64');

const scan = (width: number, height: number, pixels: Uint8ClampedArray) =>
	jsQR(pixels, width, height, darkOnLight)?.data;

test('a scanner reads the invitation link from the PNG, and the link signs in', async () => {
	const { status, data } = await inviteByCode({ qr_format: 'png', first_name: 'Tari' });
	expect(status).toBe(201);
	expect(data.qr).toEqual({
		format: 'png',
		data_url: expect.stringMatching(/^data:image\/png;base64,/),
	});
	const { width, height, data: pixels } = PNG.sync.read(decodeDataUrl(data.qr.data_url));
	const address = scan(width, height, new Uint8ClampedArray(pixels));
	expect(address).toBe(data.invite_url);
	expect(readToken(address)).toBe(data.token);

	const page = await fetch(String(address));
	expect(page.status).toBe(200);
	const shown = await page.text();
	expect(shown).toContain('<form method="post">');
	expect(shown).not.toContain('<style');
	expect(page.headers.get('content-security-policy')).toContain("style-src 'self'");
	const style = await fetch(new URL('/_sandbox/page.css', String(address)));
	expect(style.headers.get('content-type')).toContain('text/css');
	const after = await fetch(String(address), { method: 'POST', redirect: 'manual' });
	const headers = { Cookie: after.headers.get('set-cookie')?.split(';')[0] ?? '' };
	const portal = await fetch(new URL(after.headers.get('location') ?? '', String(address)), {
		headers,
	});
	expect(await portal.text()).toContain('You are signed in as <bdi>Tari</bdi>.');
	const { data: users } = await client.get('/portal/users');
	expect(users.data).toMatchObject([{ status: 'active', email: null, phone: null }]);
	const again = await fetch(String(address), { method: 'POST' });
	expect(again.status).toBe(401);
});

test('a scanner reads the SVG, which is the default format', async () => {
	const { data } = await inviteByCode(makePerson());
	expect(data.qr.format).toBe('svg');
	const svg = decodeDataUrl(data.qr.data_url).toString();
	const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1]);
	const path = /fill="black" d="([^"]+)"/.exec(svg)?.[1] ?? '';
	expect(scan(size * 8, size * 8, draw(path, size, 8))).toBe(data.invite_url);
});

/** Draws a path of squares, one unit wide, such as `M4,4h1v1h-1z`, black on white. */
function draw(path: string, size: number, scale: number): Uint8ClampedArray {
	const pixels = new Uint8ClampedArray(size * scale * size * scale * 4).fill(255);
	for (const [, x, y] of path.matchAll(/M(\d+),(\d+)h1v1h-1z/g)) {
		for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++) {
			const at = (row * size + Number(x)) * scale * 4;
			pixels.fill(0, at, at + scale * 4);
		}
	}
	return pixels;
}

test('a QR code appears in the outbox, and no mail is sent', async () => {
	const { email } = makePerson();
	const { data } = await inviteByCode({ email });
	const letters = await control.outbox(email);
	expect(letters).toEqual([
		expect.objectContaining({
			channel: 'qr',
			to: email,
			link: data.invite_url,
			image: data.qr.data_url,
		}),
	]);
});

test('a QR invitation without address and number makes a new user, and one with a known address or number is refused', async () => {
	expect((await inviteByCode()).status).toBe(201);
	expect((await inviteByCode()).status).toBe(201);
	const { email, phone } = makePerson();
	await client.post('/portal/invite', { email, phone, dossier_ids: [] });
	expectRefusal(await inviteByCode({ phone }), 422, 'USER_ALREADY_INVITED');
	expectRefusal(await inviteByCode({ email }), 422, 'USER_ALREADY_INVITED');
	expect((await client.get('/portal/users')).data.pagination.total).toBe(3);
});
