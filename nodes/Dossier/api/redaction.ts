/** Shorter texts may stand in an answer by chance. */
const LEAST_SECRET = 8;

/** Takes a key or a token out of what a service, or a proxy, repeats of a request. */
export const redact = (text: string, secret: string | undefined): string =>
	secret && secret.length >= LEAST_SECRET ? text.replaceAll(secret, '[redacted]') : text;
