import { createHmac } from 'node:crypto';
import { validationError } from '../contract/service-error.mts';
import type { Switches } from '../contract/switches.mts';

/** A way to sign deliveries. */
export type Scheme = Switches['signature'];

/** A delivery to sign. */
interface SignedMessage {
	/** Names the event. */
	id: string;
	/** When it is sent, in whole seconds since 1970. */
	timestamp: number;
	body: string;
}

/**
 * The headers of a delivery: its signature, and what else the scheme sends. The first secret is the current one; a scheme that allows
 * several signatures signs with all.
 */
export function signMessage(
	{ id, timestamp, body }: SignedMessage,
	secrets: [string, ...string[]],
	scheme: Scheme,
): Record<string, string> {
	const time = String(timestamp);
	if (scheme === 'standard') {
		const sign = (secret: string) =>
			createHmac('sha256', decodeSecret(secret)).update(`${id}.${time}.${body}`).digest('base64');
		return {
			'webhook-id': id,
			'webhook-timestamp': time,
			'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
		};
	}
	const signed = scheme === 'timestamped' ? `${time}.${body}` : body;
	const [first = '', ...more] = secrets.map((secret) =>
		createHmac('sha256', secret).update(signed).digest('hex'),
	);
	const signature =
		scheme === 'timestamped'
			? [`t=${time}`, ...[first, ...more].map((one) => `v1=${one}`)].join(',')
			: `sha256=${first}`;
	return {
		'X-Webhook-Signature': signature,
		...(scheme !== 'bare' && { 'X-Webhook-Timestamp': time, 'X-Webhook-Id': id }),
	};
}

const base64 = /^(whsec_)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws 422 for a secret that the scheme cannot use: Standard Webhooks has keys in base64. */
export function assertSecret(secret: string, scheme: Scheme): void {
	if (scheme !== 'standard' || base64.test(secret)) return;
	throw validationError('secret', 'invalid_format', 'Expected a secret in base64.');
}

/** The key in a secret of Standard Webhooks. */
function decodeSecret(secret: string): Buffer {
	return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}
