import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { expectRefusal, makePerson, readToken } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control } = useSandbox();

/** Skips the search for an inverted code, which would double the time. */
const darkOnLight = { inversionAttempts: 'dontInvert' } as const;

const invite = async (fields: object = {}) =>
	await client.post('/portal/invite/qr', { dossier_ids: [], ...fields });

/** The bytes of a data URL. */
const decodeDataUrl = (url: string) => Buffer.from(url.split(',')[1] ?? '', 'base64');

const scan = (width: number, height: number, pixels: Uint8ClampedArray) =>
	jsQR(pixels, width, height, darkOnLight)?.data;

test('a scanner reads the invitation link from the PNG, and the link signs in', async () => {
	const { status, data } = await invite({ qr_format: 'png', first_name: 'Tari' });
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
	const after = await fetch(String(address), { method: 'POST' });
	expect(await after.text()).toContain('You are signed in as <bdi>Tari</bdi>.');
	const { data: users } = await client.get('/portal/users');
	expect(users.data).toMatchObject([{ status: 'active', email: null, phone: null }]);
	const again = await fetch(String(address), { method: 'POST' });
	expect(again.status).toBe(401);
});

test('a scanner reads the SVG, which is the default format', async () => {
	const { data } = await invite(makePerson());
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
	const { data } = await invite({ email });
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
	expect((await invite()).status).toBe(201);
	expect((await invite()).status).toBe(201);
	const { email, phone } = makePerson();
	await client.post('/portal/invite', { email, phone, dossier_ids: [] });
	expectRefusal(await invite({ phone }), 422, 'USER_ALREADY_INVITED');
	expectRefusal(await invite({ email }), 422, 'USER_ALREADY_INVITED');
	expect((await client.get('/portal/users')).data.pagination.total).toBe(3);
});
