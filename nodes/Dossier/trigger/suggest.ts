import type { Dialect } from '../dialect/schema';
import { applySignature } from './scheme';
import { PRESETS, verifyDelivery } from './verify';
import type { Delivery, Scheme } from './verify';

/** The part of a dialect that says how the service signs. */
type Signature = NonNullable<Dialect['signature']>;

/** The labels of the presets in the form of the credential. */
const SETTINGS: Array<[keyof typeof PRESETS, string]> = [
	['headers', 'the Signature of Deliveries "Signature Header Over the Body"'],
	['timestamped', 'the Signature of Deliveries "Timestamp and Signatures in One Header"'],
	['standard', 'the Signature of Deliveries "Standard Webhooks"'],
];

/** Larger bodies get no suggestion, since each try computes an HMAC over the body. */
const LARGEST_BODY = 16_384;

const MOST_HEADERS = 5;
const MOST_TIMES = 2;
const MOST_IDS = 2;

/** A signature of 32 bytes in hex or base64, behind what tells it from other parts of the header. */
const LABELLED_SIGNATURE = /(?:^|[,;\s])([\w.:="-]{0,32}?)[\w+/-]{43,64}={0,2}(?=$|[,;\s"])/g;

/** A time within the header of the signature, such as `t=1614265330`. */
const LABELLED_TIME = /(?:^|[,;\s])(\w+[=:])\d{10}(?:\d{3})?(?=$|[,;\s])/;

const DIGITS = /^\d{10}(?:\d{3})?$/;

/** What honest services sign, if it is not the body alone. */
const TIMED = [
	'{timestamp}.{body}',
	'{timestamp}:{body}',
	'{timestamp}{body}',
	'v0:{timestamp}:{body}',
];
const TIMED_WITH_ID = ['{id}.{timestamp}.{body}', '{id}{timestamp}{body}'];

type TextHeader = [name: string, value: string];

/** How a header may be written, from the value that it has. */
function listFormats(value: string): Signature[] {
	const time = LABELLED_TIME.exec(value)?.[1];
	const labels = [...value.matchAll(LABELLED_SIGNATURE)].map(([, label = '']) => label);
	return [...new Set(labels)].slice(0, MOST_TIMES).map((label) => {
		if (time) return { format: `${time}{timestamp},${label}{signature}` };
		return label === '' || label === 'sha256=' ? {} : { format: `${label}{signature}` };
	});
}

/** What may be signed, and from which headers it comes. */
function listContents(headers: TextHeader[], { format }: Signature): Signature[] {
	const isTime = ([name, value]: TextHeader) =>
		DIGITS.test(value) || (/time|date/.test(name) && !Number.isNaN(Date.parse(value)));
	const times: Signature[] = format?.includes('{timestamp}')
		? [{}]
		: headers
				.filter(isTime)
				.slice(0, MOST_TIMES)
				.map(([name, value]) => ({
					timestampHeader: name,
					...(!DIGITS.test(value) && { timestampUnit: 'date' }),
				}));
	const ids = headers.filter(([name]) => /\bid$/.test(name)).slice(0, MOST_IDS);
	const withIds = ids.flatMap(([idHeader]) =>
		TIMED_WITH_ID.map((content): Signature => ({ content, idHeader })),
	);
	const timed = [...TIMED.map((content): Signature => ({ content })), ...withIds];
	return [{}, ...times.flatMap((time) => timed.map((one) => ({ ...one, ...time })))];
}

/** Every signature part that could fit the headers of a delivery, the likely ones first. */
function* listSignatures({ headers, secrets }: Delivery): Generator<Signature> {
	const texts = Object.entries(headers).filter(
		(header): header is TextHeader => typeof header[1] === 'string',
	);
	const signed = texts.filter(([, value]) => listFormats(value).length > 0);
	const named = ([name]: TextHeader) => (/sign|hmac|digest/.test(name) ? 0 : 1);
	signed.sort((a, b) => named(a) - named(b));
	const keys: Signature[] = secrets.some((secret) => secret.startsWith('whsec_'))
		? [{}, { secretEncoding: 'base64' }]
		: [{}];
	for (const [header, value] of signed.slice(0, MOST_HEADERS)) {
		for (const format of listFormats(value)) {
			for (const content of listContents(texts, format)) {
				for (const key of keys) yield { header, ...format, ...content, ...key };
			}
		}
	}
}

/**
 * Names the setting under which a refused delivery would be genuine, for the log. The delivery stays refused: a trigger
 * that accepted any fitting scheme would accept the weakest.
 */
export function suggestSetting(delivery: Delivery): string | undefined {
	if (delivery.rawBody.length > LARGEST_BODY) return undefined;
	const fits = (scheme: Scheme) => verifyDelivery({ ...delivery, scheme }).ok;
	const { tolerance } = delivery.scheme;
	const preset = SETTINGS.find(([name]) => fits({ ...PRESETS[name], tolerance }));
	if (preset) return preset[1];
	for (const signature of listSignatures(delivery)) {
		if (fits(applySignature({ ...PRESETS.headers, tolerance }, signature))) {
			return `${SETTINGS[0]?.[1]} and the Dialect ${JSON.stringify({ signature })}`;
		}
	}
	return undefined;
}
