/** Sentences about connections that failed. */

/** What happened, by the code of Node.js or axios. */
export const CONNECTION_SENTENCES: Record<string, (host: string) => string> = {
	ECONNREFUSED: (host) => `Nothing answers at ${host}`,
	ENOTFOUND: (host) => `There is no host named ${host}`,
	EAI_AGAIN: (host) => `The name ${host} could not be looked up`,
	ECONNRESET: (host) => `The connection to ${host} was broken off`,
	EPIPE: (host) => `The connection to ${host} was broken off`,
	ERR_STREAM_PREMATURE_CLOSE: (host) => `The connection to ${host} was broken off`,
	// The code of axios for an answer that ends in the middle.
	ERR_BAD_RESPONSE: (host) => `The connection to ${host} was broken off`,
	ETIMEDOUT: (host) => `${host} did not answer in time`,
	ECONNABORTED: (host) => `${host} did not answer in time`,
	EHOSTUNREACH: (host) => `${host} cannot be reached from here`,
	EPROTO: (host) => `${host} does not speak https`,
	ENETUNREACH: (host) => `${host} cannot be reached from here`,
	DEPTH_ZERO_SELF_SIGNED_CERT: describeUntrusted,
	SELF_SIGNED_CERT_IN_CHAIN: describeUntrusted,
	UNABLE_TO_GET_ISSUER_CERT: describeUntrusted,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: describeUntrusted,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: describeUntrusted,
	CERT_UNTRUSTED: describeUntrusted,
	ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${host} is for another name`,
	CERT_NOT_YET_VALID: (host) => `The certificate of ${host} is not valid yet`,
	CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired`,
};

function describeUntrusted(host: string): string {
	return `${host} shows a certificate that this n8n does not trust`;
}

/** What to do about a certificate. */
const CERTIFICATE_HINTS: Record<string, string> = {
	ERR_TLS_CERT_ALTNAME_INVALID:
		'Check the host name in the address: it must be the one that the certificate is for.',
	CERT_NOT_YET_VALID: 'Check the clock of the machine that n8n runs on.',
	CERT_HAS_EXPIRED:
		'Tell those who run the server, and check the clock of the machine that n8n runs on.',
};

/** Many companies have a certificate authority of their own, also for proxies that look into the traffic. */
const OWN_AUTHORITY =
	'If the server or a proxy in between has a certificate of your own authority, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the file with the certificate of that authority, and restart n8n.';

/** What to do if a connection failed because of a certificate; `undefined` if it failed otherwise. */
export function findCertificateHint(networkCode = ''): string | undefined {
	const isUntrusted = CONNECTION_SENTENCES[networkCode] === describeUntrusted;
	return isUntrusted ? OWN_AUTHORITY : CERTIFICATE_HINTS[networkCode];
}
