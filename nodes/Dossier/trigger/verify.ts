import { createHmac, timingSafeEqual } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

type Encoding = 'hex' | 'base64';

/** How the service signs its deliveries. All of them use HMAC-SHA256, which is given. */
export interface Scheme {
	/** Header names, in lower case. */
	signatureHeader: string;
	idHeader: string;
	timestampHeader: string;
	/** What is signed, joined by dots. Where the timestamp is not signed, it proves nothing and is not looked at. */
	content: 'body' | 'timestamp.body' | 'id.timestamp.body';
	/**
	 * How the signature header is written: signatures with or without a prefix; `t=…,v1=…` with the timestamp in it;
	 * or `v1,…` with spaces between. Each may hold several signatures, as while a secret is replaced.
	 */
	layout: 'plain' | 'pairs' | 'versions';
	/** Which spellings of the signature are taken. */
	encodings: Encoding[];
	/** What may stand before each signature of the layout `plain`. */
	prefix: string;
	/** How a secret becomes a key: as text, or decoded, with or without `whsec_` before it. */
	secretAs: 'text' | 'base64' | 'hex';
	/** How far the signed timestamp may be from now, in seconds; 0 for any. */
	tolerance: number;
}

/** The scheme that is assumed where the service says no more than "HMAC-SHA256". */
const HEADERS: Scheme = {
	signatureHeader: 'x-webhook-signature',
	idHeader: 'x-webhook-id',
	timestampHeader: 'x-webhook-timestamp',
	content: 'body',
	layout: 'plain',
	encodings: ['hex', 'base64'],
	prefix: 'sha256=',
	secretAs: 'text',
	tolerance: 300,
};

export const PRESETS = {
	headers: HEADERS,
	/** As Stripe documents it for its own webhooks. */
	timestamped: { ...HEADERS, content: 'timestamp.body', layout: 'pairs' },
	/** https://github.com/standard-webhooks/standard-webhooks */
	standard: {
		...HEADERS,
		signatureHeader: 'webhook-signature',
		idHeader: 'webhook-id',
		timestampHeader: 'webhook-timestamp',
		content: 'id.timestamp.body',
		layout: 'versions',
		encodings: ['base64'],
		prefix: '',
		secretAs: 'base64',
	},
} as const satisfies Record<string, Scheme>;

/** What came in, and what it is measured by. */
export interface Delivery {
	/** The body as it was sent, byte by byte. */
	rawBody: Buffer;
	/** Names in lower case. */
	headers: IDataObject;
	/** Every secret that is known: the service's, the credential's, the one before. */
	secrets: string[];
	scheme: Scheme;
	/** In ms since 1970. */
	now: number;
}

export type Verdict = { ok: true; id?: string } | { ok: false; reason: string };

const VERSION = 'v1';
const WHSEC = 'whsec_';

const headerOf = (headers: IDataObject, name: string) => {
	const value = headers[name];
	return typeof value === 'string' ? value : undefined;
};

/** The signatures in the header, and the timestamp where it stands there too. */
function readSignatures(header: string, { layout, prefix }: Scheme) {
	if (layout === 'versions') {
		const versions = header.split(' ').map((entry) => entry.split(','));
		const signatures = versions
			.filter(([version]) => version === VERSION)
			.map(([, one]) => one ?? '');
		return { signatures };
	}
	const entries = header.split(',').map((entry) => entry.trim());
	if (layout === 'plain') {
		const signatures = entries.map((entry) =>
			prefix && entry.startsWith(prefix) ? entry.slice(prefix.length) : entry,
		);
		return { signatures };
	}
	const pairs = entries.map((entry) => [
		entry.slice(0, entry.indexOf('=')),
		entry.slice(entry.indexOf('=') + 1),
	]);
	return {
		signatures: pairs.filter(([key]) => key === VERSION).map(([, value]) => value ?? ''),
		timestamp: pairs.find(([key]) => key === 't')?.[1],
	};
}

/** The key of a secret; `undefined` where it is not written as the scheme demands. */
function keyOf(secret: string, secretAs: Scheme['secretAs']): Buffer | undefined {
	if (secretAs === 'text') return secret ? Buffer.from(secret) : undefined;
	const encoded = secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : secret;
	const key = Buffer.from(encoded, secretAs);
	// Decoding forgives what does not belong: only a secret that encodes to itself is the one that was given.
	const same = key.toString(secretAs).replace(/=+$/, '') === encoded.replace(/=+$/, '');
	return key.length && same ? key : undefined;
}

/** In constant time for texts of one length; the length of a signature is no secret. */
function equal(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}

const refuse = (reason: string): Verdict => ({ ok: false, reason });

/**
 * Whether a delivery comes from the service: its signature is checked over the raw bytes, with every secret known,
 * and where the scheme signs a time, the time must be near. Pure, and never throws.
 */
export function verifyDelivery({ rawBody, headers, secrets, scheme, now }: Delivery): Verdict {
	const header = headerOf(headers, scheme.signatureHeader);
	if (!header) return refuse(`it has no header ${scheme.signatureHeader}`);
	const { signatures, timestamp = headerOf(headers, scheme.timestampHeader) } = readSignatures(
		header,
		scheme,
	);
	const id = headerOf(headers, scheme.idHeader);
	const keys = secrets
		.map((secret) => keyOf(secret, scheme.secretAs))
		.filter((key) => key !== undefined);
	if (keys.length === 0) return refuse('no usable signing secret is known');

	const signed: string[] = [];
	if (scheme.content === 'id.timestamp.body') {
		if (!id) return refuse(`it has no header ${scheme.idHeader}`);
		signed.push(id);
	}
	if (scheme.content !== 'body') {
		if (!timestamp || !/^\d{1,12}$/.test(timestamp)) return refuse('it has no timestamp');
		signed.push(timestamp);
	}
	const head = signed.map((part) => `${part}.`).join('');
	const expected = keys.flatMap((key) => {
		const digest = createHmac('sha256', key).update(head).update(rawBody).digest();
		return scheme.encodings.map((encoding) => digest.toString(encoding));
	});
	const genuine = signatures.some((one) => expected.some((other) => equal(one, other)));
	if (!genuine) return refuse('its signature is not that of any known secret');

	const age = Math.abs(now / 1000 - Number(timestamp));
	if (scheme.content !== 'body' && scheme.tolerance > 0 && age > scheme.tolerance) {
		return refuse(
			`it was signed ${Math.round(age)} seconds from now, more than the ${scheme.tolerance} allowed`,
		);
	}
	return { ok: true, id };
}
