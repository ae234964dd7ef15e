import { createHmac, timingSafeEqual } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/json';
import type { Encoding, Scheme } from './scheme';

/** A request to the address of the trigger, and what its signature is checked against. */
export interface Delivery {
	/** The body as it was sent, byte by byte. */
	rawBody: Buffer;
	/** The address that the service calls. */
	url?: string;
	/** Names in lower case. */
	headers: IDataObject;
	/** Every secret that may have signed it. */
	secrets: string[];
	scheme: Scheme;
	/** In ms since 1970. */
	now: number;
}

/** Whether a delivery is genuine: its id if it has one, or why it is refused. */
export type Verdict = { ok: true; id?: string } | { ok: false; reason: string };

const WHSEC = 'whsec_';
const SECONDS = /^\d{1,12}$/;
const MILLISECONDS = /^\d{13}$/;
const DATE = /^\d{4}-\d\d-\d\dT/;

const findValues = (header: string, pattern?: RegExp): string[] =>
	pattern ? [...header.matchAll(pattern)].map(([, value = '']) => value) : [];

/** Reads a time since 1970, in seconds or milliseconds, or a date of ISO 8601; in ms. `undefined` if it is none of them. */
function readTimestamp(text = ''): number | undefined {
	if (MILLISECONDS.test(text)) return Number(text);
	if (SECONDS.test(text)) return Number(text) * 1000;
	return DATE.test(text) && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : undefined;
}

/** Decodes hex or base64; `undefined` if the text is not valid. Node.js itself ignores invalid characters. */
function decodeBytes(text: string, encoding: Encoding): Buffer | undefined {
	const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
	const normalized = encoding === 'hex' ? text.toLowerCase() : standard;
	const bytes = Buffer.from(normalized, encoding);
	return bytes.toString(encoding).replace(/=+$/, '') === normalized ? bytes : undefined;
}

/** The bytes of a secret as a key; `undefined` if the secret is not written as the scheme demands. */
function readKey(secret: string, secretAs: Scheme['secretAs']): Buffer | undefined {
	if (secretAs === 'text') return secret ? Buffer.from(secret) : undefined;
	const key = decodeBytes(secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : secret, secretAs);
	return key?.length ? key : undefined;
}

/** In constant time for digests of one length; the length of a signature is not secret. */
const isSameDigest = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

const SIGNATURE_NAME = /^[\w-]{0,20}(sign|hmac|digest)[\w-]{0,20}$/i;
const MOST_NAMED = 3;

/** Names headers that may hold the signature, for the log. Headers have short, plain names, but strangers choose them. */
function suggestHeaders(headers: IDataObject): string {
	const names = Object.keys(headers).filter(
		(name) => SIGNATURE_NAME.test(name) && toText(headers[name]),
	);
	return names.length ? `, but ${names.slice(0, MOST_NAMED).join(', ')}` : '';
}

const refuseSignature = (reason: string): Verdict => ({ ok: false, reason });

/**
 * Verifies that a delivery comes from the service: that its signature over the raw bytes fits a known secret and, if the
 * scheme signs a time, that the time is within the tolerance. Pure, and never throws.
 */
export function verifyDelivery({ rawBody, url, headers, secrets, scheme, now }: Delivery): Verdict {
	const { otherNames, content, formats, encodings, tolerance } = scheme;
	const hasOtherNames = otherNames && toText(headers[otherNames.signatureHeader]);
	const names = hasOtherNames ? otherNames : scheme;
	const header = toText(headers[names.signatureHeader]);
	if (!header)
		return refuseSignature(`it has no header ${scheme.signatureHeader}${suggestHeaders(headers)}`);

	const signatures = formats
		.flatMap((format) => findValues(header, format.signature))
		.flatMap((text) => encodings.map((encoding) => decodeBytes(text, encoding)))
		.filter((bytes) => bytes !== undefined);
	if (!signatures.length) {
		return refuseSignature(
			`its header ${names.signatureHeader} is not written as the chosen scheme says`,
		);
	}
	const [timestamp = toText(headers[names.timestampHeader])] = formats.flatMap((format) =>
		findValues(header, format.timestamp),
	);
	const id = toText(headers[names.idHeader]);
	const isTimed = content.includes('{timestamp}');
	const signedAt = readTimestamp(timestamp);
	if (content.includes('{id}') && !id) return refuseSignature(`it has no header ${names.idHeader}`);
	if (isTimed && signedAt === undefined) return refuseSignature('it has no timestamp');

	const values: Record<string, string | undefined> = { id, timestamp, url };
	const fill = (part: string) =>
		part.replace(/\{(id|timestamp|url)\}/g, (_, name: string) => values[name] ?? '');
	const [head = '', ...tail] = content.split('{body}').map(fill);
	const candidates = secrets.flatMap((secret) => {
		const key = readKey(secret, scheme.secretAs);
		if (!key) return [];
		const hmac = createHmac('sha256', key).update(head);
		for (const part of tail) hmac.update(rawBody).update(part);
		return [hmac.digest()];
	});
	if (!candidates.length) return refuseSignature('no usable signing secret is known');
	if (!candidates.some((digest) => signatures.some((one) => isSameDigest(one, digest)))) {
		return refuseSignature(
			'its signature is not that of any known secret: it is forged, or signed in another way or with another secret',
		);
	}

	const age = isTimed ? Math.abs(now - (signedAt ?? NaN)) / 1000 : 0;
	// Negated, so that a tolerance that is not a number refuses everything.
	if (isTimed && tolerance !== 0 && !(age <= tolerance)) {
		return refuseSignature(
			`it was signed ${Math.round(age)} seconds from now, more than the ${tolerance} allowed`,
		);
	}
	return { ok: true, id };
}
