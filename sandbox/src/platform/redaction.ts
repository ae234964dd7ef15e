const bearers = /\b(sk_live|sk_test|whsec|ct|ot|ps)_[\w+/=-]{12,}/g;
const fields =
	/"(access_token|token|secret|previous_secret|password|api_key|authorization|invite_url|url_signed|data_url|link)"(\s*:\s*)"(?:[^"\\]|\\.)*("|$)/gi;
/** The code of a sign-in is all digits; the codes of errors are words. */
const codes = /"(code|otp)"(\s*:\s*)"?\d{4,10}"?/gi;
const query = /([?&](?:token|signature|code|secret|key|access_token)=)[^&"'\s\\]+/gi;
const signedPath = /(\/signed\/)[^"'\s\\]+/g;

/**
 * Redacts keys, tokens, secrets and codes in a text, whether it is JSON (even cut off), a header or an address. The kind of a key and
 * its last four characters stay, so that a person can tell two keys apart.
 */
export function redact(text: string): string {
	return text
		.replaceAll(bearers, (whole, kind: string) => `${kind}_…${whole.slice(-4)}`)
		.replaceAll(fields, '"$1"$2"…"')
		.replaceAll(codes, '"$1"$2"…"')
		.replaceAll(query, '$1…')
		.replaceAll(signedPath, '$1…');
}

const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** Redacts the value of a header. The scheme of an authorization stays. */
export function redactHeader(name: string, value: string): string {
	const shown = redact(value);
	if (!secretHeaders.has(name.toLowerCase()) || shown !== value) return shown;
	const scheme = /^(Bearer|Basic) /i.exec(value)?.[0] ?? '';
	return `${scheme}…`;
}
