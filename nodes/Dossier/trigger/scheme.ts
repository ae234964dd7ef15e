import type { DossierCredential } from '../api/address';
import { PRESETS } from './verify';
import type { Scheme } from './verify';

/** The one scheme that the credential stands for: a preset, or its parts under Compatibility. */
export function schemeOf(credential: DossierCredential): Scheme {
	const { signatureScheme = 'headers' } = credential;
	if (!credential.contractOverrides) return PRESETS.headers;
	const { tolerance = PRESETS.headers.tolerance } = credential;
	if (signatureScheme !== 'custom') return { ...PRESETS[signatureScheme], tolerance };
	const header = (name: string | undefined, fallback: string) =>
		name?.trim().toLowerCase() || fallback;
	const { headers } = PRESETS;
	return {
		signatureHeader: header(credential.signatureHeader, headers.signatureHeader),
		idHeader: header(credential.deliveryIdHeader, headers.idHeader),
		timestampHeader: header(credential.timestampHeader, headers.timestampHeader),
		content: credential.signedContent ?? 'body',
		layout: credential.signatureLayout ?? 'plain',
		encodings: [credential.signatureEncoding ?? 'hex'],
		prefix: credential.signaturePrefix ?? '',
		secretAs: credential.keyEncoding ?? 'text',
		tolerance,
	};
}

/** Every secret that may have signed: those of registrations, and those of the credential. */
export function secretsOf(credential: DossierCredential, registered: string[]): string[] {
	const { webhookSecret, previousWebhookSecret } = credential;
	return [...registered, webhookSecret, previousWebhookSecret]
		.map((secret) => secret?.trim() ?? '')
		.filter((secret) => secret !== '');
}
