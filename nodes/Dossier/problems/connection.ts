/** Connections that failed, and answers that did not come from the service. */
import { CANNOT_MEND, defineProblem, DOUBT_FOR_MODEL, explainDoubt } from './definition';
import type { Recipient, Forms } from './definition';

/** What happened, by the code of Node.js or axios. */
export const CONNECTION_SENTENCES: Record<string, (host: string) => string> = {
	ECONNREFUSED: (host) => `Nothing answers at ${host}`,
	ENOTFOUND: (host) => `There is no host named ${host}`,
	EAI_AGAIN: (host) => `The name ${host} could not be looked up`,
	ECONNRESET: describeBroken,
	EPIPE: describeBroken,
	ERR_STREAM_PREMATURE_CLOSE: describeBroken,
	// The code of axios for an answer that ends in the middle.
	ERR_BAD_RESPONSE: describeBroken,
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

function describeBroken(host: string): string {
	return `The connection to ${host} was broken off`;
}

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

/** The codes of Node.js for an answer that cannot be unpacked: gzip and deflate, Brotli, Zstandard. */
const UNPACKING_CODE = /^(Z_|ERR__ERROR_|ZSTD_)/;

/** What to do about the code of a connection that failed; `undefined` if there is nothing special to do. */
function findCodeHint(networkCode = ''): string | undefined {
	if (UNPACKING_CODE.test(networkCode))
		return 'Its header Content-Encoding is wrong. Tell those who run the service, or a proxy before it.';
	const isUntrusted = CONNECTION_SENTENCES[networkCode] === describeUntrusted;
	return isUntrusted ? OWN_AUTHORITY : CERTIFICATE_HINTS[networkCode];
}

type Failure = Recipient & {
	/** The code of Node.js or axios. */
	networkCode?: string;
	/** Their message, for codes without a sentence here. */
	reason?: string;
	/** Whether the service may have done what it was asked to. */
	mayBeDone: boolean;
	/** Whether the connection closed before the whole request was sent, so that the service cannot have carried it out. */
	isCutShort?: boolean;
};

function describeConnection({ host, networkCode = '', reason }: Failure): string {
	if (UNPACKING_CODE.test(networkCode)) return `The answer of ${host} cannot be unpacked`;
	const sentence = CONNECTION_SENTENCES[networkCode]?.(host);
	return sentence ?? `The call to ${host} failed${reason ? `: ${reason}` : ''}`;
}

/** Where the address of the service was entered, by the kind of access. */
const nameAddress = (access: Recipient['access'], { node }: Forms) =>
	access === 'public' ? node.field('baseUrl') : 'the address in the credential';

function explainConnection({ access, host, networkCode = '' }: Failure, forms: Forms): string {
	if (CONNECTION_SENTENCES[networkCode] === describeBroken) {
		return `Run the operation again. If it happens each time, tell those who run ${host}, or a proxy before it.`;
	}
	if (access === 'signed') {
		return 'The service gave this address for the file. Check that the machine that n8n runs on can reach it.';
	}
	if (access === 'file') {
		return `Check ${forms.node.field('fileUrl')}, and that the machine that n8n runs on can reach it.`;
	}
	return `Check ${nameAddress(access, forms)}, and that the service (or the sandbox) is running and can be reached from the machine that n8n runs on, through its proxy if it has one.`;
}

const host = 'api.example.com';
const access = 'key';

export const connectionProblems = {
	CONNECTION_FAILED: defineProblem<Failure>({
		message: describeConnection,
		hint: (failure, forms) => {
			const { mayBeDone, networkCode } = failure;
			const hint = findCodeHint(networkCode);
			if (!mayBeDone) return hint ?? explainConnection(failure, forms);
			return hint ? `${hint} ${explainDoubt(forms)}` : explainDoubt(forms);
		},
		modelHint: (failure, forms) => {
			if (failure.mayBeDone) return DOUBT_FOR_MODEL;
			return failure.access === 'file' ? explainConnection(failure, forms) : CANNOT_MEND;
		},
		samples: [
			{ host, access, networkCode: 'ECONNREFUSED', mayBeDone: false },
			{ host, access, networkCode: 'ECONNRESET', mayBeDone: true },
			{ host, access, networkCode: 'ECONNRESET', mayBeDone: false },
			{ host, access: 'signed', reason: 'socket hang up', mayBeDone: false },
			{ host, access, networkCode: 'Z_DATA_ERROR', mayBeDone: false },
			{ host, access: 'public', mayBeDone: false },
			{ host, access: 'file', mayBeDone: false },
		],
	}),
	/** n8n's protection against SSRF does not allow the address. */
	REQUEST_BLOCKED: defineProblem<Recipient>({
		message: ({ host }) =>
			`n8n does not allow calls to ${host}: its SSRF protection blocked this one`,
		hint: ({ host }) =>
			`Ask the administrator of n8n to add ${host} to the allowlist: N8N_SSRF_ALLOWED_HOSTNAMES, or N8N_SSRF_ALLOWED_IP_RANGES for its IP address.`,
		modelHint: () => CANNOT_MEND,
		samples: [{ host, access }],
	}),
	/** The service sent the call to another address. `target` has no query. `mayBeDone` if that may be where the result is. */
	REDIRECTED: defineProblem<Recipient & { target?: string; status: number; mayBeDone?: boolean }>({
		message: ({ host, target }) =>
			`${host} sent the call on to another address${target ? ` (${target})` : ''}, and it was not followed`,
		hint: ({ host, access, target, mayBeDone }, forms) => {
			if (mayBeDone) return explainDoubt(forms);
			if (access === 'file')
				return `Check ${forms.node.field('fileUrl')}, which leads to other addresses.`;
			// The service has not moved if the address is one of a file, or no web address.
			if (access === 'signed' || !target?.startsWith('http'))
				return `Tell those who run ${host}, or a proxy before it.`;
			return access === 'public'
				? `If the service has moved, enter its new address under ${forms.node.field('baseUrl')}.`
				: 'The API key goes to the address in the credential alone. If the service has moved, enter its new address there.';
		},
		modelHint: ({ mayBeDone }) => (mayBeDone ? DOUBT_FOR_MODEL : CANNOT_MEND),
		samples: [
			{ host, access, target: 'https://other.example.com/v1', status: 301 },
			{ host, access, target: 'https://api.example.com/jobs/1', status: 303, mayBeDone: true },
			{ host, access: 'file', status: 302 },
			{ host, access: 'signed', status: 302 },
		],
	}),
	/**
	 * An answer with a good status or 404 that does not come from the service, or that cannot be read. `mayBeDone` if it is
	 * the answer to a change; `unreadable` says why, if something speaks like this API.
	 */
	NOT_THE_SERVICE: defineProblem<
		Recipient & { status: number; mayBeDone?: boolean; unreadable?: string }
	>({
		message: ({ host, unreadable }) =>
			unreadable
				? `The answer of ${host} cannot be read: ${unreadable}`
				: `${host} returned something that is not this API`,
		hint: ({ host, access, mayBeDone, unreadable }, forms) =>
			unreadable
				? `Tell those who run ${host}, or a proxy before it.${mayBeDone ? ` ${explainDoubt(forms)}` : ''}`
				: `Check ${nameAddress(access, forms)}: it must be the base address of the API, which ends with /v1, not that of a web page.${mayBeDone ? ` ${explainDoubt(forms)}` : ''}`,
		modelHint: ({ mayBeDone }) => (mayBeDone ? DOUBT_FOR_MODEL : CANNOT_MEND),
		samples: [
			{ host, access, status: 200 },
			{ host, access, status: 200, mayBeDone: true },
			{ host, access, status: 200, unreadable: 'its JSON ends in the middle' },
		],
	}),
	/** `limit` in bytes. */
	ANSWER_TOO_LARGE: defineProblem<{ host: string; limit: number }>({
		message: ({ host, limit }) => `${host} answered with more than ${limit / 1024 ** 2} MB`,
		hint: () => 'Ask for less at a time, e.g. with a lower limit or more filters.',
		samples: [{ host, limit: 256 * 1024 ** 2 }],
	}),
	/** An address for a file that is not followed: in a private network, link-local, without https, or with a user name. */
	ADDRESS_REFUSED: defineProblem<{ host: string; access: 'signed' | 'file' }>({
		message: ({ host, access: from }) =>
			from === 'file'
				? `The address of the file at ${host} was not followed`
				: `The service names an address at ${host} for the file, which was not followed`,
		hint: ({ access: from }, { node }) =>
			`Only the service itself and https addresses outside private networks are followed, and private ones if the service itself is private. None may contain a user name, a backslash or an encoded dot segment (/%2e%2e/), which n8n would turn into another path. ${from === 'file' ? `Check ${node.field('fileUrl')}.` : 'Ask the support of the service about the address.'}`,
		samples: [
			{ host: '10.0.0.1', access: 'signed' },
			{ host: '10.0.0.1', access: 'file' },
		],
	}),
};
