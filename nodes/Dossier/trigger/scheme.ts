import type { DossierCredential } from '../api/address';
import { PRESETS, verifyDelivery } from './verify';
import type { Delivery, Scheme } from './verify';

/** In seconds. 0 stands for any; what is not a number of seconds never widens it. */
function readTolerance(tolerance: unknown): number {
	const isSeconds = typeof tolerance === 'number' && Number.isFinite(tolerance) && tolerance >= 0;
	return isSeconds ? tolerance : PRESETS.headers.tolerance;
}

/** The one scheme that the credential stands for: a preset, or its parts under Contract Overrides. */
export function readScheme(credential: DossierCredential): Scheme {
	const { signatureScheme = 'headers' } = credential;
	if (!credential.contractOverrides) return PRESETS.headers;
	const tolerance = readTolerance(credential.tolerance);
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

/** What the form of the credential calls each preset. */
const SETTINGS: Array<[keyof typeof PRESETS, string]> = [
	['headers', '"Signature Header Over the Body"'],
	['timestamped', '"Timestamp and Signatures in One Header"'],
	['standard', '"Standard Webhooks"'],
];

const MAY_BE_SIGNATURE = /[\w+/-]{43}/;
const MOST_HEADERS = 5;

/**
 * The setting under which a refused delivery would be genuine, in words for the log. It decides nothing: a trigger that
 * took whichever scheme fits would take the weakest.
 */
export function suggestSetting(delivery: Delivery): string | undefined {
	const fits = (scheme: Scheme) => verifyDelivery({ ...delivery, scheme }).ok;
	const { tolerance } = delivery.scheme;
	const preset = SETTINGS.find(([name]) => fits({ ...PRESETS[name], tolerance }));
	if (preset) return preset[1];
	const header = Object.entries(delivery.headers)
		.filter(([, value]) => typeof value === 'string' && MAY_BE_SIGNATURE.test(value))
		.slice(0, MOST_HEADERS)
		.find(([name]) => fits({ ...PRESETS.headers, signatureHeader: name }));
	return header && `"Custom" with the Signature Header ${header[0]}`;
}
