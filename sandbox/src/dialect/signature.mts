import { createHmac } from 'node:crypto';
import type { DialectPart } from './dialect.mts';

type Key = string | Buffer;

/** What is signed. */
interface SignedMessage {
	/** Names the event. */
	id: string;
	/** When it is sent, in whole seconds since 1970. */
	timestamp: number;
	body: string;
	/** Where it is sent. */
	url: string;
}

/** The headers of a delivery that the dialect describes: its signatures by each key, its time and its id. */
export function signMessage(
	{ id, timestamp, body, url }: SignedMessage,
	keys: [Key, ...Key[]],
	{ hasNames, ...dialect }: DialectPart<'signature'> & { hasNames: boolean },
): Record<string, string> {
	const {
		header = 'X-Webhook-Signature',
		format = 'sha256={signature}',
		content = '{body}',
	} = dialect;
	const { encoding = 'hex', timestampUnit = 'seconds' } = dialect;
	const time = writeTime(timestamp, timestampUnit);
	const signed = fill(content, { body, timestamp: time, id, url });
	const signatures = keys.map((key) => createHmac('sha256', key).update(signed).digest(encoding));
	const needsTime = content.includes('{timestamp}') && !format.includes('{timestamp}');
	const needsId = content.includes('{id}');
	return {
		[header]: formatSignatures(format, signatures, time),
		...((hasNames || needsTime) && { [dialect.timestampHeader ?? 'X-Webhook-Timestamp']: time }),
		...((hasNames || needsId) && { [dialect.idHeader ?? 'X-Webhook-Id']: id }),
	};
}

function fill(template: string, values: Record<string, string>): string {
	return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/**
 * Several signatures repeat the text before a signature, such as `v1=` or `v1,`. A format that has neither a time nor a version takes
 * the first signature alone.
 */
function formatSignatures(format: string, signatures: string[], timestamp: string): string {
	const [first = '', ...more] = signatures;
	const text = fill(format, { timestamp, signature: first });
	const prefix = /(?:\{timestamp\}[, ])?([^{}]+)\{signature\}$/.exec(format)?.[1];
	const takesSeveral = format.includes('{timestamp}') || prefix?.includes(',');
	if (prefix === undefined || !takesSeveral) return text;
	const separator = prefix.includes(',') ? ' ' : ',';
	return [text, ...more.map((one) => `${prefix}${one}`)].join(separator);
}

function writeTime(timestamp: number, unit: 'seconds' | 'milliseconds' | 'date'): string {
	if (unit === 'date') return new Date(timestamp * 1000).toISOString();
	return String(unit === 'seconds' ? timestamp : timestamp * 1000);
}

/** The key in a secret. */
export function decodeSecret(
	secret: string,
	{ secretEncoding = 'text' }: Pick<DialectPart<'signature'>, 'secretEncoding'>,
): Key {
	if (secretEncoding === 'text') return secret;
	return Buffer.from(secret.replace(/^whsec_/, ''), secretEncoding);
}
