import { chooseDialect } from '../api/address';
import type { DossierCredential } from '../api/address';
import { openTranslator } from '../api/translation';
import { compileFormat } from './signatureFormat';
import { PRESETS, verifyDelivery } from './verify';
import type { Delivery, Scheme } from './verify';

/** Reads the tolerance, in seconds; 0 accepts any age. A value that is not a number of seconds gives the default. */
function readTolerance(tolerance: unknown): number {
	const isSeconds = typeof tolerance === 'number' && Number.isFinite(tolerance) && tolerance >= 0;
	return isSeconds ? tolerance : PRESETS.headers.tolerance;
}

/**
 * Reads the scheme of the credential: a preset, with the parts that a dialect names in place of its own.
 *
 * @throws Problem if the dialect cannot be used
 */
export function readScheme(credential: DossierCredential): Scheme {
	const { signatureScheme = 'headers' } = credential;
	if (!credential.contractOverrides) return PRESETS.headers;
	const { signature = {} } = openTranslator(chooseDialect(credential)).dialect;
	const preset: Scheme = PRESETS[signatureScheme];
	const { format, encoding } = signature;
	const otherNames = signature.header ? undefined : preset.otherNames;
	return {
		signatureHeader: signature.header?.toLowerCase() ?? preset.signatureHeader,
		idHeader: signature.idHeader?.toLowerCase() ?? preset.idHeader,
		timestampHeader: signature.timestampHeader?.toLowerCase() ?? preset.timestampHeader,
		content: signature.content ?? preset.content,
		formats: format === undefined ? preset.formats : [compileFormat(format)],
		encodings: encoding ? [encoding] : preset.encodings,
		secretAs: signature.secretEncoding ?? preset.secretAs,
		timestampUnit: signature.timestampUnit,
		tolerance: readTolerance(credential.tolerance),
		otherNames,
	};
}

/** The labels of the presets in the form of the credential. */
const SETTINGS: Array<[keyof typeof PRESETS, string]> = [
	['headers', 'the Signature of Deliveries "Signature Header Over the Body"'],
	['timestamped', 'the Signature of Deliveries "Timestamp and Signatures in One Header"'],
	['standard', 'the Signature of Deliveries "Standard Webhooks"'],
];

const MAY_BE_SIGNATURE = /[\w+/-]{43}/;
const MOST_HEADERS = 5;

/**
 * Names the setting under which a refused delivery would be genuine, for the log. The delivery stays refused: a trigger
 * that accepted any fitting scheme would accept the weakest.
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
	return header && `the Dialect {"signature": {"header": "${header[0]}"}}`;
}
