import { chooseDialect } from '../api/address';
import type { DossierCredential } from '../api/address';
import { openTranslator } from '../api/translation';
import type { Dialect } from '../dialect/schema';
import { compileFormat } from './signatureFormat';
import { PRESETS } from './verify';
import type { Scheme } from './verify';

/** Reads the tolerance, in seconds; 0 accepts any age. A value that is not a number of seconds gives the default. */
function readTolerance(tolerance: unknown): number {
	const isSeconds = typeof tolerance === 'number' && Number.isFinite(tolerance) && tolerance >= 0;
	return isSeconds ? tolerance : PRESETS.headers.tolerance;
}

/** A scheme with the parts that a dialect names in place of its own. */
export function applySignature(
	preset: Scheme,
	signature: NonNullable<Dialect['signature']>,
): Scheme {
	const { format, encoding } = signature;
	return {
		signatureHeader: signature.header?.toLowerCase() ?? preset.signatureHeader,
		idHeader: signature.idHeader?.toLowerCase() ?? preset.idHeader,
		timestampHeader: signature.timestampHeader?.toLowerCase() ?? preset.timestampHeader,
		content: signature.content ?? preset.content,
		formats: format === undefined ? preset.formats : [compileFormat(format)],
		encodings: encoding ? [encoding] : preset.encodings,
		secretAs: signature.secretEncoding ?? preset.secretAs,
		timestampUnit: signature.timestampUnit,
		tolerance: preset.tolerance,
		otherNames: signature.header ? undefined : preset.otherNames,
	};
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
	const tolerance = readTolerance(credential.tolerance);
	return applySignature({ ...PRESETS[signatureScheme], tolerance }, signature);
}
