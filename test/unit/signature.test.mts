import fc from 'fast-check';
import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { DossierCredential } from '../../nodes/Dossier/api/credential';
import { PRESETS, readScheme } from '../../nodes/Dossier/trigger/scheme';
import type { Scheme } from '../../nodes/Dossier/trigger/scheme';
import { verifyDelivery } from '../../nodes/Dossier/trigger/verify';
import type { Delivery } from '../../nodes/Dossier/trigger/verify';

const NOW = 1_614_265_330_000;
const SECONDS = NOW / 1000;
const BODY = Buffer.from('{"event":"document.uploaded","data":{"title":"Ünïcode 漢"}}');
const SECRET = 'a secret of the service';

const hmac = (key: string | Buffer, ...content: Array<string | Buffer>) => {
	const hash = createHmac('sha256', key);
	for (const part of content) hash.update(part);
	return hash.digest();
};

const delivery = (changes: Partial<Delivery>): Delivery => ({
	rawBody: BODY,
	headers: {},
	secrets: [SECRET],
	scheme: PRESETS.headers,
	now: NOW,
	...changes,
});

describe('Published examples', () => {
	it('verifies what the reference library of Standard Webhooks signs, and signs what it verifies', () => {
		const secret = `whsec_${randomBytes(32).toString('base64')}`;
		const library = new Webhook(secret);
		const id = 'msg_1';
		const now = Date.now();
		const signature = library.sign(id, new Date(now), BODY.toString());
		const headers = {
			'webhook-id': id,
			'webhook-timestamp': String(Math.floor(now / 1000)),
			'webhook-signature': signature,
		};
		const given = delivery({ headers, secrets: [secret], scheme: PRESETS.standard, now });
		expect(verifyDelivery(given)).toEqual({ ok: true, id });
		expect(library.verify(BODY.toString(), headers)).toBeDefined();
	});

	it("verifies Stripe's algorithm: t=…, several v1, other versions passed over", () => {
		const right = hmac(SECRET, `${SECONDS}.`, BODY).toString('hex');
		const wrong = '0'.repeat(64);
		const header = `t=${SECONDS},v1=${wrong},v1=${right},v0=${wrong}`;
		const scheme: Scheme = { ...PRESETS.timestamped, signatureHeader: 'stripe-signature' };
		const headers = { 'stripe-signature': header };
		expect(verifyDelivery(delivery({ headers, scheme })).ok).toBe(true);
		const older = { 'stripe-signature': `t=${SECONDS},v0=${right}` };
		expect(verifyDelivery(delivery({ headers: older, scheme })).ok).toBe(false);
	});
});

describe('The assumed scheme', () => {
	const digest = hmac(SECRET, BODY);
	const verdict = (signature: string, secrets = [SECRET]) =>
		verifyDelivery(delivery({ headers: { 'x-webhook-signature': signature }, secrets }));

	it.each([
		`sha256=${digest.toString('hex')}`,
		digest.toString('hex'),
		`sha256=${digest.toString('base64')}`,
		digest.toString('base64'),
		`sha256=${'0'.repeat(64)}, sha256=${digest.toString('hex')}`,
	])('takes %s', (signature) => {
		expect(verdict(signature).ok).toBe(true);
	});

	it.each([[[]], [['']]])('refuses everything while no secret is known: %j', (secrets) => {
		expect(verdict(hmac('', BODY).toString('hex'), secrets)).toEqual({
			ok: false,
			reason: 'no usable signing secret is known',
		});
	});

	it('accepts only the scheme that is set', () => {
		const header = `t=${SECONDS},v1=${hmac(SECRET, `${SECONDS}.`, BODY).toString('hex')}`;
		expect(verdict(header).ok).toBe(false);
	});
});

/** Each scheme with a delivery that it accepts. */
const genuine: Array<[string, Delivery]> = [
	[
		'headers',
		delivery({
			headers: { 'x-webhook-signature': `sha256=${hmac(SECRET, BODY).toString('hex')}` },
		}),
	],
	[
		'timestamped',
		delivery({
			scheme: PRESETS.timestamped,
			headers: {
				'x-webhook-signature': `t=${SECONDS},v1=${hmac(SECRET, `${SECONDS}.`, BODY).toString('hex')}`,
			},
		}),
	],
	[
		'standard',
		delivery({
			scheme: PRESETS.standard,
			secrets: [`whsec_${Buffer.from(SECRET).toString('base64')}`],
			headers: {
				'webhook-id': 'msg_1',
				'webhook-timestamp': String(SECONDS),
				'webhook-signature': `v1,${hmac(SECRET, `msg_1.${SECONDS}.`, BODY).toString('base64')}`,
			},
		}),
	],
];

describe.each(genuine)('Scheme %s', (_, good) => {
	it('accepts what is genuine', () => {
		expect(verifyDelivery(good).ok).toBe(true);
	});

	const altered = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));

	it('refuses a body with any byte altered', () => {
		fc.assert(
			fc.property(altered, ([at, by]) => {
				const rawBody = Buffer.from(BODY);
				const index = at % rawBody.length;
				rawBody[index] = (rawBody[index] ?? 0) ^ by;
				expect(verifyDelivery({ ...good, rawBody }).ok).toBe(false);
			}),
		);
	});

	it('refuses a signature, an id or a timestamp with any character altered, unless that is another spelling', () => {
		fc.assert(
			fc.property(fc.nat(), altered, (which, [at, by]) => {
				const names = Object.keys(good.headers);
				const name = names[which % names.length] ?? '';
				const value = good.headers[name] as string;
				const index = at % value.length;
				const other = String.fromCharCode(value.charCodeAt(index) ^ by);
				const changed = value.slice(0, index) + other + value.slice(index + 1);
				// A signature may be written otherwise: hex and labels in upper case, another separator, a quote at the end,
				// and base64url in place of base64.
				const isLabel = good.scheme.encodings.includes('hex') || index < 'v1,'.length;
				if (changed.toLowerCase() === value.toLowerCase() && isLabel) return;
				if (/[,=]/.test(value[index] ?? '') && /[,;\s"]/.test(other)) return;
				if (changed.replace(/-/g, '+').replace(/_/g, '/') === value) return;
				const headers = { ...good.headers, [name]: changed };
				expect(verifyDelivery({ ...good, headers }).ok).toBe(false);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('never throws, on any header and any body', () => {
		const anything = fc.oneof(
			fc.string(),
			fc.constant(undefined),
			fc.array(fc.string()),
			fc.integer(),
		);
		fc.assert(
			fc.property(
				fc.uint8Array(),
				fc.dictionary(fc.constantFrom(...Object.keys(good.headers), 'x'), anything),
				fc.array(fc.string()),
				(body, headers, secrets) => {
					const rawBody = Buffer.from(body);
					expect(verifyDelivery({ ...good, rawBody, headers, secrets }).ok).toBe(false);
				},
			),
		);
	});
});

describe('Spelling', () => {
	const digest = hmac(SECRET, BODY);
	const hex = digest.toString('hex');
	const isGenuine = (signature: string) =>
		verifyDelivery(delivery({ headers: { 'x-webhook-signature': signature } })).ok;

	it.each([
		['upper-case hex', hex.toUpperCase()],
		['a prefix in upper case', `SHA256=${hex}`],
		['base64 without padding', digest.toString('base64').replace('=', '')],
		['base64url', digest.toString('base64url')],
		['base64url with padding', `${digest.toString('base64url')}=`],
		['in quotes with its prefix', `"sha256=${hex}"`],
	])('of a signature may be %s', (_, signature) => {
		expect(isGenuine(signature)).toBe(true);
	});

	it('of a signature may not have spare bits, or be cut or doubled', () => {
		const base64 = digest.toString('base64');
		const last = base64.at(-2) ?? '';
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
		const leftover = alphabet[alphabet.indexOf(last) + 1] ?? '';
		expect(Buffer.from(base64.replace(`${last}=`, `${leftover}=`), 'base64')).toEqual(digest);
		expect(isGenuine(base64.replace(`${last}=`, `${leftover}=`))).toBe(false);
		expect(isGenuine(hex.slice(0, 62))).toBe(false);
		expect(isGenuine(hex + hex)).toBe(false);
		expect(isGenuine(` ${hex.slice(0, 32)} ${hex.slice(32)}`)).toBe(false);
	});

	it.each([
		['hex', 'A1B2C3D4E5F60718', 'a1b2c3d4e5f60718'],
		['base64', 'whsec_-_-_-_-_', 'whsec_+/+/+/+/'],
	] as const)('of a secret in %s may be %s', (secretAs, written, normal) => {
		const encoded = normal.replace('whsec_', '');
		const headers = {
			'x-webhook-signature': hmac(Buffer.from(encoded, secretAs), BODY).toString('hex'),
		};
		const scheme = { ...PRESETS.headers, secretAs };
		for (const secret of [written, normal]) {
			expect(verifyDelivery(delivery({ headers, scheme, secrets: [secret] })).ok).toBe(true);
		}
	});

	it('of the headers of Standard Webhooks may be that of Svix, all three together', () => {
		const secret = `whsec_${Buffer.from(SECRET).toString('base64')}`;
		const signed = `v1,${hmac(SECRET, `msg_1.${SECONDS}.`, BODY).toString('base64')}`;
		const verify = (headers: Record<string, string>) =>
			verifyDelivery(delivery({ scheme: PRESETS.standard, secrets: [secret], headers }));
		const svix = { 'svix-id': 'msg_1', 'svix-timestamp': String(SECONDS) };
		expect(verify({ ...svix, 'svix-signature': signed })).toEqual({
			ok: true,
			id: 'msg_1',
		});
		expect(verify({ ...svix, 'webhook-signature': signed }).ok).toBe(false);
	});

	it('of a timestamp may be milliseconds, or in quotes as its signature', () => {
		const at = (ms: number, q = '') => {
			const header = `t=${q}${ms}${q},v1=${q}${hmac(SECRET, `${ms}.`, BODY).toString('hex')}${q}`;
			const headers = { 'x-webhook-signature': header };
			return verifyDelivery(delivery({ scheme: PRESETS.timestamped, headers })).ok;
		};
		expect(at(NOW - 299_000)).toBe(true);
		expect(at(NOW - 299_000, '"')).toBe(true);
		expect(at(NOW - 301_000, '"')).toBe(false);
	});
});

describe('Freshness', () => {
	const [, standard] = genuine[2] ?? ['', delivery({})];
	const at = (seconds: number, tolerance = 300) =>
		verifyDelivery({
			...standard,
			scheme: { ...standard.scheme, tolerance },
			now: NOW + seconds * 1000,
		});

	it('refuses what was signed too long ago or too far ahead, if the time is signed', () => {
		expect(at(299).ok).toBe(true);
		expect(at(-299).ok).toBe(true);
		expect(at(301)).toEqual({
			ok: false,
			reason: 'it was signed 301 seconds from now, more than the 300 allowed',
		});
		expect(at(-301).ok).toBe(false);
	});

	it('looks at no time if the tolerance is 0', () => {
		expect(at(1_000_000, 0).ok).toBe(true);
	});

	it('lets nothing pass by a tolerance that is not a number', () => {
		expect(at(1, NaN).ok).toBe(false);
		expect(at(1, -1).ok).toBe(false);
	});

	it.each(['', null, NaN, -1, 'abc', Infinity, undefined, [], '0'])(
		'is 300 seconds if the credential holds %p',
		(tolerance) => {
			const credential = JSON.parse(
				'{"contractOverrides": true, "apiKey": ""}',
			) as DossierCredential;
			const read = (given: object) => readScheme(Object.assign(credential, given), {}).tolerance;
			expect(read({ tolerance })).toBe(300);
			expect(read({ tolerance: 0 })).toBe(0);
			expect(read({ tolerance: 60 })).toBe(60);
		},
	);
});
