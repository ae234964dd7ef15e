import type { DossierCredential } from '../api/credential';
import type { Dialect } from '../dialect/schema';

/** How a signature is encoded: hex in any case, base64 also as base64url and without padding. */
export type Encoding = 'hex' | 'base64';

/** The patterns of a signature header, made from a template such as `t={timestamp},v1={signature}`. */
interface SignatureFormat {
	signature: RegExp;
	/** Absent if the header does not hold the time of signing. */
	timestamp?: RegExp;
}

/** How the service signs its deliveries. Every scheme uses HMAC-SHA256, which the service documents. */
export interface Scheme {
	/** Header names, in lower case. */
	signatureHeader: string;
	idHeader: string;
	timestampHeader: string;
	/** Template of the signed content. A timestamp that is not part of it is not read. */
	content: string;
	/** How the signature header may be written. It may hold several signatures, e.g. while a secret is replaced. */
	formats: SignatureFormat[];
	encodings: Encoding[];
	/** How a secret becomes a key: as text, or decoded, with or without the prefix `whsec_`. */
	secretAs: 'text' | 'base64' | 'hex';
	/** How far the signed timestamp may be from now, in seconds; 0 for any distance. */
	tolerance: number;
	/** Other names of the three headers, which apply to a delivery that has this signature header. */
	otherNames?: Pick<Scheme, 'signatureHeader' | 'idHeader' | 'timestampHeader'>;
}

/** The characters between the parts of a signature header. Some services put quotes around values, or around all of it. */
const SEPARATOR = '[,;\\s"]';
const SIGNATURE = '([\\w+/=-]+)';
const TIMESTAMP = '([^,;\\s"]+?)';

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of a variable of a template, behind its label, e.g. `v1=`, or beside another one, as in `{timestamp}:{signature}`. */
function createPattern(template: string, variable: string, value: string): RegExp {
	const [before = '', after = ''] = template.split(variable);
	const [label = ''] = /[^,;\s}]*[,;\s]?$/.exec(before) ?? [];
	const begin = /^\W/.test(label) ? '' : `(?:^|${SEPARATOR})`;
	const [next] = /^[^\w{}]+/.exec(after) ?? [];
	const end = next ? `|${escapeRegExp(next)}` : '';
	return new RegExp(`${begin}${escapeRegExp(label)}"?${value}(?=$|${SEPARATOR}${end})`, 'gi');
}

/** Compiles the template of a signature header. Further signatures may follow, each with the same label. */
function compileFormat(template: string): SignatureFormat {
	const time = '{timestamp}';
	return {
		signature: createPattern(template, '{signature}', SIGNATURE),
		...(template.includes(time) && { timestamp: createPattern(template, time, TIMESTAMP) }),
	};
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

/** Reads the tolerance, in seconds; 0 accepts any age. A value that is not a number of seconds gives the default. */
function readTolerance(tolerance: unknown): number {
	const isSeconds = typeof tolerance === 'number' && Number.isFinite(tolerance) && tolerance >= 0;
	return isSeconds ? tolerance : HEADERS.tolerance;
}

/** Reads the scheme of the credential: a preset, with the parts that its dialect names in place of its own. */
export function readScheme(credential: DossierCredential, { signature = {} }: Dialect): Scheme {
	if (!credential.contractOverrides) return HEADERS;
	const preset: Scheme = PRESETS[credential.signatureScheme ?? 'headers'];
	const { format, encoding } = signature;
	return {
		signatureHeader: signature.header?.toLowerCase() ?? preset.signatureHeader,
		idHeader: signature.idHeader?.toLowerCase() ?? preset.idHeader,
		timestampHeader: signature.timestampHeader?.toLowerCase() ?? preset.timestampHeader,
		content: signature.content ?? preset.content,
		formats: format === undefined ? preset.formats : [compileFormat(format)],
		encodings: encoding ? [encoding] : preset.encodings,
		secretAs: signature.secretEncoding ?? preset.secretAs,
		tolerance: readTolerance(credential.tolerance),
		otherNames: signature.header ? undefined : preset.otherNames,
	};
}
