import { createHmac, timingSafeEqual } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { compileFormat, findValues } from './signatureFormat';
import type { SignatureFormat } from './signatureFormat';

type Encoding = 'hex' | 'base64';

/** How the service signs its deliveries. Every scheme uses HMAC-SHA256, which is given. */
export interface Scheme {
	/** Header names, in lower case. */
	signatureHeader: string;
	idHeader: string;
	timestampHeader: string;
	/** Template of the signed content. A timestamp that is not part of it is not read. */
	content: string;
	/** How the signature header may be written. It may hold several signatures, e.g. while a secret is replaced. */
	formats: SignatureFormat[];
	/** How a signature may be encoded: hex in any case, base64 also as base64url and without padding. */
	encodings: Encoding[];
	/** Unit of the timestamp since 1970. Without it, the number of digits tells seconds from milliseconds. */
	timestampUnit?: 'seconds' | 'milliseconds' | 'date';
	/** How a secret becomes a key: as text, or decoded, with or without the prefix `whsec_`. */
	secretAs: 'text' | 'base64' | 'hex';
	/** How far the signed timestamp may be from now, in seconds; 0 for any distance. */
	tolerance: number;
	/** Other names of the three headers, which apply to a delivery that has this signature header. */
	otherNames?: Pick<Scheme, 'signatureHeader' | 'idHeader' | 'timestampHeader'>;
}

/** The scheme for a service that says nothing more than "HMAC-SHA256". */
const HEADERS: Scheme = {
	signatureHeader: 'x-webhook-signature',
	idHeader: 'x-webhook-id',
	timestampHeader: 'x-webhook-timestamp',
	content: '{body}',
	formats: [compileFormat('sha256={signature}'), compileFormat('{signature}')],
	encodings: ['hex', 'base64'],
	secretAs: 'text',
	tolerance: 300,
};

export const PRESETS = {
	headers: HEADERS,
	/** As documented by Stripe. */
	timestamped: {
		...HEADERS,
		content: '{timestamp}.{body}',
		formats: [compileFormat('t={timestamp},v1={signature}')],
	},
	/** https://github.com/standard-webhooks/standard-webhooks, also with the header names of Svix */
	standard: {
		...HEADERS,
		signatureHeader: 'webhook-signature',
		idHeader: 'webhook-id',
		timestampHeader: 'webhook-timestamp',
		content: '{id}.{timestamp}.{body}',
		formats: [compileFormat('v1,{signature}')],
		encodings: ['base64'],
		secretAs: 'base64',
		otherNames: {
			signatureHeader: 'svix-signature',
			idHeader: 'svix-id',
			timestampHeader: 'svix-timestamp',
		},
	},
} satisfies Record<string, Scheme>;

/** A delivery, and what verifies it. */
export interface Delivery {
	/** The body as it was sent, byte by byte. */
	rawBody: Buffer;
	/** Names in lower case. */
	headers: IDataObject;
	/** Every known secret: of the service, of the credential, and previous ones. */
	secrets: string[];
	scheme: Scheme;
	/** In ms since 1970. */
	now: number;
}

type Verdict = { ok: true; id?: string } | { ok: false; reason: string };

const WHSEC = 'whsec_';
const SECONDS = /^\d{1,12}$/;
const MILLISECONDS = /^\d{13}$/;

const readHeader = (headers: IDataObject, name: string) => {
	const value = headers[name];
	return typeof value === 'string' ? value : undefined;
};

/** The signatures in the header, and the timestamp if it stands there too. */
function readSignatures(header: string, { formats }: Scheme) {
	const [timestamp] = formats.flatMap((format) =>
		format.timestamp ? findValues(header, format.timestamp) : [],
	);
	return { signatures: formats.flatMap((one) => findValues(header, one.signature)), timestamp };
}

/** Reads a timestamp, in ms since 1970; `undefined` if it is not written in the unit of the scheme. */
function readTimestamp(
	text: string | undefined,
	unit: Scheme['timestampUnit'],
): number | undefined {
	if (text === undefined) return undefined;
	if (unit === 'date') return Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text);
	if (unit !== 'seconds' && MILLISECONDS.test(text)) return Number(text);
	return unit !== 'milliseconds' && SECONDS.test(text) ? Number(text) * 1000 : undefined;
}

/** Decodes a text; `undefined` if it is not a valid encoding. Node.js itself ignores invalid characters. */
function decode(text: string, encoding: Encoding): Buffer | undefined {
	const normal =
		encoding === 'hex'
			? text.toLowerCase()
			: text
					.replace(/-/g, '+')
					.replace(/_/g, '/')
					.replace(/={1,2}$/, '');
	const bytes = Buffer.from(normal, encoding);
	return bytes.toString(encoding).replace(/=+$/, '') === normal ? bytes : undefined;
}

/** The key of a secret; `undefined` if the secret is not written as the scheme demands. */
function readKey(secret: string, secretAs: Scheme['secretAs']): Buffer | undefined {
	if (secretAs === 'text') return secret ? Buffer.from(secret) : undefined;
	const key = decode(secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : secret, secretAs);
	return key?.length ? key : undefined;
}

/** In constant time for digests of one length; the length of a signature is not secret. */
const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

const refuse = (reason: string): Verdict => ({ ok: false, reason });

/**
 * Verifies that a delivery comes from the service: that its signature over the raw bytes fits a known secret and, if the
 * scheme signs a time, that the time is within the tolerance. Pure, and never throws.
 */
export function verifyDelivery({ rawBody, headers, secrets, scheme, now }: Delivery): Verdict {
	const { otherNames } = scheme;
	const hasOtherNames = otherNames && readHeader(headers, otherNames.signatureHeader);
	const names = hasOtherNames ? otherNames : scheme;
	const header = readHeader(headers, names.signatureHeader);
	if (!header) return refuse(`it has no header ${scheme.signatureHeader}`);
	const { signatures, timestamp = readHeader(headers, names.timestampHeader) } = readSignatures(
		header,
		scheme,
	);
	const id = readHeader(headers, names.idHeader);
	const keys = secrets
		.map((secret) => readKey(secret, scheme.secretAs))
		.filter((key) => key !== undefined);
	if (keys.length === 0) return refuse('no usable signing secret is known');

	const { content, timestampUnit } = scheme;
	const isTimed = content.includes('{timestamp}');
	const signedAt = readTimestamp(timestamp, timestampUnit);
	if (content.includes('{id}') && !id) return refuse(`it has no header ${names.idHeader}`);
	if (isTimed && signedAt === undefined) return refuse('it has no timestamp');
	const [head = '', ...tail] = content
		.split('{body}')
		.map((part) =>
			part.replace(/\{(id|timestamp)\}/g, (_, name) => (name === 'id' ? id : timestamp) ?? ''),
		);
	const expected = keys.map((key) => {
		const hmac = createHmac('sha256', key).update(head);
		for (const part of tail) hmac.update(rawBody).update(part);
		return hmac.digest();
	});
	const given = signatures
		.flatMap((one) => scheme.encodings.map((encoding) => decode(one, encoding)))
		.filter((bytes) => bytes !== undefined);
	const isGenuine = given.some((one) => expected.some((other) => isSame(one, other)));
	if (!isGenuine) return refuse('its signature is not that of any known secret');

	if (isTimed && scheme.tolerance !== 0) {
		const age = Math.abs(now - (signedAt ?? NaN)) / 1000;
		// Negated, so that a tolerance that is not a number refuses everything.
		if (!(age <= scheme.tolerance)) {
			return refuse(
				`it was signed ${Math.round(age)} seconds from now, more than the ${scheme.tolerance} allowed`,
			);
		}
	}
	return { ok: true, id };
}
