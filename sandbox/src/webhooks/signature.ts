import type { Switches } from '../contract/switches.ts';
import type { Dialect, SignatureDialect } from '../dialect/dialect.ts';
import { decodeSecret, signMessage } from '../dialect/signature.ts';
import type { SignedMessage } from '../dialect/signature.ts';

/** The schemes that have a name, as dialects. */
const schemes: Record<Switches['signature'], SignatureDialect> = {
	'sha256-hex': {},
	hex: { format: '{signature}' },
	base64: { format: '{signature}', encoding: 'base64' },
	timestamped: { format: 't={timestamp},v1={signature}', content: '{timestamp}.{body}' },
	'standard-webhooks': {
		header: 'webhook-signature',
		format: 'v1,{signature}',
		content: '{id}.{timestamp}.{body}',
		encoding: 'base64',
		timestampHeader: 'webhook-timestamp',
		idHeader: 'webhook-id',
	},
};

/** The headers that sign a delivery, and the two that name its event and its time if the switch for them is on. */
export function sign(
	{ signature, deliveryIdHeader }: Pick<Switches, 'signature' | 'deliveryIdHeader'>,
	dialect: Dialect,
	message: SignedMessage,
	[secret, ...more]: [string, ...string[]],
): Record<string, string> {
	const hasNames = deliveryIdHeader === 'on';
	const scheme = dialect.signature ?? schemes[signature];
	const isStandard = !dialect.signature && signature === 'standard-webhooks';
	const decode = (one: string) => {
		// In Standard Webhooks, a secret of another form is the key itself.
		const isBase64 = isStandard && /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(one);
		return decodeSecret(one, isBase64 ? { secretEncoding: 'base64' } : scheme);
	};
	return signMessage(message, [decode(secret), ...more.map(decode)], { ...scheme, hasNames });
}
