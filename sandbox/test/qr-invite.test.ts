import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { lettersTo, publicOf, sessionOf, somebody, tokenIn } from './people.ts';

/** The code is not looked for in a negative of the image, which takes as long again. */
const darkOnLight = { inversionAttempts: 'dontInvert' } as const;

let sandbox: Sandbox;
let client: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(() => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
});

const invite = async (fields: object = {}) =>
	await client.post('/portal/invite/qr', { dossier_ids: [], ...fields });

/** What is behind the comma of a data URL. */
const bytesOf = (url: string) => Buffer.from(url.split(',')[1] ?? '', 'base64');

const scanned = (width: number, height: number, pixels: Uint8ClampedArray) =>
	jsQR(pixels, width, height, darkOnLight)?.data;

test('a scanner reads the address of the invitation off the PNG, and the address signs in', async () => {
	const { status, data } = await invite({ qr_format: 'png', first_name: 'Tari' });
	expect(status).toBe(201);
	expect(data.qr).toEqual({
		format: 'png',
		data_url: expect.stringMatching(/^data:image\/png;base64,/),
	});
	const { width, height, data: pixels } = PNG.sync.read(bytesOf(data.qr.data_url));
	const address = scanned(width, height, new Uint8ClampedArray(pixels));
	expect(address).toBe(data.invite_url);
	expect(tokenIn(address)).toBe(data.token);

	const page = await fetch(String(address));
	expect(page.status).toBe(200);
	const shown = await page.text();
	expect(shown).toContain('<form method="post">');
	expect(shown).not.toContain('<style');
	expect(page.headers.get('content-security-policy')).toContain("style-src 'self'");
	const style = await fetch(new URL('/_sandbox/portal.css', String(address)));
	expect(style.headers.get('content-type')).toContain('text/css');
	const after = await fetch(String(address), { method: 'POST' });
	expect(await after.text()).toContain('You are signed in as Tari.');
	const { data: users } = await client.get('/portal/users');
	expect(users.data).toMatchObject([{ status: 'active', email: null, phone: null }]);
	const again = await fetch(String(address), { method: 'POST' });
	expect(again.status).toBe(401);
});

test('a scanner reads the SVG too, which is the format where none is asked for', async () => {
	const { data } = await invite(somebody());
	expect(data.qr.format).toBe('svg');
	const svg = bytesOf(data.qr.data_url).toString();
	const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1]);
	const path = /stroke="#000000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
	expect(scanned(size * 8, size * 8, drawn(path, size, 8))).toBe(data.invite_url);
});

/** The pixels of a path of horizontal strokes, one unit thick: `M4 4.5h7m2 0h2…`, black on white. */
function drawn(path: string, size: number, scale: number): Uint8ClampedArray {
	const pixels = new Uint8ClampedArray(size * scale * size * scale * 4).fill(255);
	let [x, y] = [0, 0];
	for (const [, command = '', first = '', second = ''] of path.matchAll(
		/([Mmh])(-?[\d.]+)(?:[ ,]?(-?[\d.]+))?/g,
	)) {
		if (command === 'M') [x, y] = [Number(first), Math.floor(Number(second))];
		else if (command === 'm') [x, y] = [x + Number(first), y + Number(second)];
		else {
			fill(pixels, size * scale, [x * scale, y * scale], [Number(first) * scale, scale]);
			x += Number(first);
		}
	}
	return pixels;
}

function fill(
	pixels: Uint8ClampedArray,
	width: number,
	[left, top]: [number, number],
	[wide, high]: [number, number],
): void {
	for (let row = top; row < top + high; row++) {
		for (let column = left; column < left + wide; column++) {
			const at = (row * width + column) * 4;
			pixels.fill(0, at, at + 3);
		}
	}
}

test('the code is handed over: it is in the outbox, and no mail is sent', async () => {
	const { email } = somebody();
	const { data } = await invite({ email });
	const letters = await lettersTo(sandbox, email);
	expect(letters).toEqual([
		expect.objectContaining({
			channel: 'qr',
			to: email,
			link: data.invite_url,
			image: data.qr.data_url,
		}),
	]);
});

test('without address and number everybody is somebody new; a known number is the same person', async () => {
	expect((await invite()).status).toBe(201);
	expect((await invite()).status).toBe(201);
	const { email, phone } = somebody();
	await client.post('/portal/invite', { email, phone, dossier_ids: [] });
	expect(refusalOf(await invite({ phone }))).toEqual(refused(422, 'USER_ALREADY_INVITED'));
	expect(refusalOf(await invite({ email }))).toEqual(refused(422, 'USER_ALREADY_INVITED'));
	expect((await client.get('/portal/users')).data.pagination.total).toBe(3);
});

test.each([
	[{ dossier_ids: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
	[{ qr_format: 'gif' }, 422, 'VALIDATION_ERROR'],
	[{ dossier_ids: ['a', 'none'] }, 422, 'VALIDATION_ERROR'],
	[{ expires_in_days: 0 }, 422, 'VALIDATION_ERROR'],
])('a code that cannot be is refused: %j', async (fields, status, code) => {
	expect(refusalOf(await invite(fields))).toEqual(refused(status, code));
	expect((await client.get('/portal/users')).data.pagination.total).toBe(0);
});

test('an invitation expires by the clock', async () => {
	const { data } = await invite({ expires_in_days: 1 });
	sandbox.clock.move(Date.parse(data.expires_at) - sandbox.clock.now());
	const { data: refusal } = await publicOf(sandbox).post('/portal/auth/magic-link', {
		token: data.token,
	});
	expect(refusal.error.code).toBe('TOKEN_EXPIRED');
	expect(await sessionOf(sandbox, data.token)).toEqual({ active: false });
});
