const bearers = /\b(sk_live|sk_test|whsec|ct|ot|pt|st)_[\w+/=-]{12,}/g;
const fields =
	/"(access_token|token|secret|previous_secret|password|api_key|authorization|invite_url|url_signed|data_url|link)"(\s*:\s*)"(?:[^"\\]|\\.)*("|$)/gi;
/** A code of a sign-in is all digits; the codes of errors are words. */
const codes = /"(code|otp)"(\s*:\s*)"?\d{4,10}"?/gi;
const query = /([?&](?:token|signature|code|secret|key|access_token)=)[^&"'\s\\]+/gi;
const signedPath = /(\/signed\/)[^"'\s\\]+/g;

/**
 * A text without keys, tokens, secrets and codes, whether it is JSON (even cut off), a header or an address. What a person needs in
 * order to tell two keys apart stays: the kind and the last four characters.
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

/** The value of a header without secrets. Of an authorization, the scheme stays, and of a key its kind. */
export function redactHeader(name: string, value: string): string {
	const shown = redact(value);
	if (!secretHeaders.has(name.toLowerCase()) || shown !== value) return shown;
	const scheme = /^(Bearer|Basic) /i.exec(value)?.[0] ?? '';
	return `${scheme}…`;
}
