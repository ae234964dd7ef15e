import { createHmac } from 'node:crypto';
import type { Switches } from '../contract/switches.ts';

/** What is signed. */
interface Message {
	/** Names the event. */
	id: string;
	/** When it is sent, in whole seconds since 1970. */
	timestamp: number;
	body: string;
}

type Headers = Record<string, string>;
type Scheme = (message: Message, secrets: [string, ...string[]]) => Headers;

const signatureHeader = 'X-Webhook-Signature';

/** The ways to sign a delivery (A-39). A scheme that can carry several signatures signs with every secret, the others with the first. */
const schemes: Record<Switches['signature'], Scheme> = {
	'sha256-hex': ({ body }, [secret]) => ({
		[signatureHeader]: `sha256=${hmac(secret, body).toString('hex')}`,
	}),

	hex: ({ body }, [secret]) => ({ [signatureHeader]: hmac(secret, body).toString('hex') }),

	base64: ({ body }, [secret]) => ({ [signatureHeader]: hmac(secret, body).toString('base64') }),

	timestamped: ({ timestamp, body }, secrets) => {
		const signatures = secrets.map(
			(secret) => `v1=${hmac(secret, `${timestamp}.${body}`).toString('hex')}`,
		);
		return { [signatureHeader]: [`t=${timestamp}`, ...signatures].join(',') };
	},

	'standard-webhooks': ({ id, timestamp, body }, secrets) => {
		const signatures = secrets.map(
			(secret) =>
				`v1,${hmac(decodeSecret(secret), `${id}.${timestamp}.${body}`).toString('base64')}`,
		);
		return {
			'webhook-id': id,
			'webhook-timestamp': String(timestamp),
			'webhook-signature': signatures.join(' '),
		};
	},
};

/** The headers that sign a delivery, and the two that name its event and its time if the switch for them is on (A-39). */
export function sign(
	{ signature, deliveryIdHeader }: Pick<Switches, 'signature' | 'deliveryIdHeader'>,
	message: Message,
	secrets: [string, ...string[]],
): Headers {
	const named = deliveryIdHeader === 'on' && signature !== 'standard-webhooks';
	return {
		...schemes[signature](message, secrets),
		...(named && {
			'X-Webhook-Id': message.id,
			'X-Webhook-Timestamp': String(message.timestamp),
		}),
	};
}

function hmac(key: string | Buffer, content: string): Buffer {
	return createHmac('sha256', key).update(content).digest();
}

/** The key in a secret of Standard Webhooks: `whsec_` and base64; a secret of another form is the key itself. */
function decodeSecret(secret: string): Buffer | string {
	const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
	return base64 === undefined ? secret : Buffer.from(base64, 'base64');
}
