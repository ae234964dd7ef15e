import type { Asked, ProblemFacts, Refusal } from '../../api/problem';
import { CONNECTION_SENTENCES, findCertificateHint } from './connection';
import type { Forms, Sentences } from './labels';

type Hint = (forms: Forms) => string;

/** What to do about a status, unless the service's code has a hint. */
export const STATUS_HINTS: Record<number, Hint> = {
	400: () =>
		"Check the values of this operation: the service could not read them. If it means something that you did not enter, it differs from what this package assumes: the operation 'Check Contract' finds out how.",
	401: () =>
		'Check the API key in the credential: it may be mistyped, revoked, or belong to another environment.',
	403: ({ dossierApi }) =>
		`The key is valid but may not do this. Check ${dossierApi.field('organizationId')} in the credential, the permissions of the key, and that the plan is Business or higher.`,
	404: () =>
		'It may have been deleted, or belong to another organization or environment. Choose one from the list to be sure.',
	407: () =>
		'A proxy between n8n and the service wants to know who asks. Check the name and the password in the environment variables HTTP_PROXY and HTTPS_PROXY of n8n.',
	409: () => 'Someone changed it at the same time. Run the operation again.',
	413: () => 'The file is larger than the service accepts.',
	422: () =>
		"Correct the values named above and run the operation again. If they are about something that you did not enter, the service differs from what this package assumes: the operation 'Check Contract' finds out how.",
	429: () =>
		'The rate limit of the plan is used up. Wait a while, or send fewer requests at a time.',
};

/** Other hints for calls with the token of a customer or an operator. */
export const TOKEN_HINTS: Record<number, Hint> = {
	400: ({ dossierWorkspaceApi }) =>
		`Check the values of this operation, and ${dossierWorkspaceApi.field('tenantId')} and ${dossierWorkspaceApi.field('businessUnitId')} in the credential.`,
	401: () =>
		'The token may be mistyped or expired. An API key (sk_…) belongs in the credential Dossier API.',
	403: ({ dossierWorkspaceApi }) =>
		`The token is known but may not do this. Check ${dossierWorkspaceApi.field('role')}, ${dossierWorkspaceApi.field('tenantId')} and ${dossierWorkspaceApi.field('businessUnitId')} in the credential.`,
};

/** Other hints for operations without a credential. */
export const PUBLIC_HINTS: Record<number, Hint> = {
	401: () =>
		'What was entered to sign in is mistyped, used already, or too old. Ask for a new one.',
	403: () => 'The service does not allow this without signing in.',
	404: ({ node }) => `Check ${node.field('baseUrl')}: the service has nothing at this address.`,
};

const EXPIRED: Hint = () =>
	'The address that the service gave for the file may have expired. Run the operation again.';

/** Other hints for an address that the service gave out for a file. */
const SIGNED_HINTS: Record<number, Hint> = {
	401: EXPIRED,
	403: EXPIRED,
	404: EXPIRED,
	410: EXPIRED,
};

const HINTS_BY_ACCESS: Partial<Record<Asked['access'], Record<number, Hint>>> = {
	workspace: TOKEN_HINTS,
	public: PUBLIC_HINTS,
	signed: SIGNED_HINTS,
};

/** What to do about a code of the service (A-20). */
export const CODE_HINTS: Record<string, Hint> = {
	PLAN_UPGRADE_REQUIRED: () =>
		'API access needs the Business plan or higher, and the sandbox environment needs Enterprise.',
	ORGANIZATION_ACCESS_DENIED: ({ dossierApi }) =>
		`The API key belongs to another organization. Check ${dossierApi.field('organizationId')} in the credential.`,
	MISSING_ORGANIZATION_ID: ({ dossierApi }) =>
		`Enter ${dossierApi.field('organizationId')} in the credential.`,
	INSUFFICIENT_SCOPE: () =>
		'Create an API key that has this permission, in the settings of the service.',
	DUPLICATE_REFERENCE: () =>
		"The reference is your own number or name for the dossier. The operation 'Create or Update' changes the dossier that has it.",
	INVALID_STATE_TRANSITION: () =>
		'A dossier goes from open to in progress, pending, closed and archived; a closed one can be opened again.',
};

function chooseHint({ status, code, access }: Refusal, forms: Forms): string {
	const own = HINTS_BY_ACCESS[access]?.[status];
	const hint = own ?? (code ? CODE_HINTS[code] : undefined) ?? STATUS_HINTS[status];
	if (hint) return hint(forms);
	return status >= 500
		? 'This is a problem of the service. Try again later, and contact its support if it persists.'
		: 'Check the values of this operation.';
}

/** The name of a field in the form: `contactEmail` for `contact.email`, `dueAt` for `due_at`. */
const toFieldName = (path: string) =>
	path.replace(/[._]+(.)/g, (_, letter: string) => letter.toUpperCase());

/** The service's message, and what it says about single fields, with their labels, unless the message has it already. */
function describeRefusal({ status, message, details }: Refusal, { node }: Forms): string {
	if (!message) return `The service answered with status ${status} and no explanation`;
	const problems = details.flatMap(({ field: path, message: text }) => {
		const problem = text.replace(/\.$/, '');
		if (message.toLowerCase().includes(problem.toLowerCase())) return [];
		const field = toFieldName(path);
		const label = node.has(field) ? node.field(field) : path;
		return [label ? `${label}: ${problem}` : problem];
	});
	return `${message}${problems.length ? ` (${problems.join('; ')})` : ''}`;
}

function describeConnection({
	host,
	networkCode,
	reason,
}: ProblemFacts['CONNECTION_FAILED']): string {
	const sentence = networkCode ? CONNECTION_SENTENCES[networkCode] : undefined;
	return sentence?.(host) ?? `The call to ${host} failed${reason ? `: ${reason}` : ''}`;
}

function explainDoubt({ node }: Forms): string {
	const doubt =
		'The service may have done its work all the same, so it was not sent again. Check whether it is there before you repeat it';
	if (!node.has('ifExists')) return `${doubt}.`;
	return `${doubt}; an upload can be repeated with ${node.field('ifExists')} set to ${node.choice('ifExists', 'skip')}.`;
}

/** Where the address of the service was entered, by the kind of access. */
const nameAddress = (access: Asked['access'], { node }: Forms) =>
	access === 'public' ? node.field('baseUrl') : 'the address in the credential';

function explainConnection(access: Asked['access'], forms: Forms): string {
	if (access === 'signed') {
		return 'The service gave this address for the file. Check that the machine that n8n runs on can reach it.';
	}
	if (access === 'file') {
		return `Check ${forms.node.field('fileUrl')}, and that the machine that n8n runs on can reach it.`;
	}
	return `Check ${nameAddress(access, forms)}, and that the service (or the sandbox) is running and can be reached from the machine that n8n runs on.`;
}

/** Problems of calls. */
export const serviceSentences = {
	REFUSED: {
		message: describeRefusal,
		hint: chooseHint,
	},
	NOTHING_AT_ID: {
		message: ({ refusal, value }, forms) => `${describeRefusal(refusal, forms)}: "${value}"`,
		hint: ({ refusal, field, value, other }, forms) =>
			other
				? `If "${value}" is a ${other}, set ${forms.node.field(field)} to ${forms.node.choice(field, other)}. ${chooseHint(refusal, forms)}`
				: chooseHint(refusal, forms),
	},
	REDIRECTED: {
		message: ({ host, target }) =>
			`${host} sent the call on to another address${target ? ` (${target})` : ''}, and it was not followed`,
		hint: ({ access }, forms) =>
			access === 'public'
				? `If the service has moved, enter its new address under ${forms.node.field('baseUrl')}.`
				: 'The API key goes to the address in the credential alone. If the service has moved, enter its new address there.',
	},
	NOT_THE_SERVICE: {
		message: ({ host }) => `${host} answered, but not as the service does`,
		hint: ({ access }, forms) =>
			`Check ${nameAddress(access, forms)}: it must be the base address of the API, which ends with /v1, not that of a web page.`,
	},
	ANSWER_TOO_LARGE: {
		message: ({ host, limit }) => `${host} answered with more than ${limit / 1024 ** 2} MB`,
		hint: () => 'Ask for less at a time, e.g. with a lower limit or more filters.',
	},
	CONNECTION_FAILED: {
		message: describeConnection,
		hint: ({ mayBeDone, access, networkCode }, forms) =>
			findCertificateHint(networkCode) ??
			(mayBeDone ? explainDoubt(forms) : explainConnection(access, forms)),
	},
	REFERENCE_NOT_KEPT: {
		message: ({ id, reference }) =>
			`The service created ${id === undefined ? 'a dossier' : `the dossier ${id}`}, but does not show the reference "${reference}" in it`,
		hint: () =>
			"Nothing would find it, so the next run would create it again. Delete it. The operation 'Check Contract' finds out what the service calls the reference, and gives the dialect for the credential.",
	},
	CHANGE_NOT_KEPT: {
		message: ({ id, fields }) =>
			`The service accepted the change of the dossier ${id}, but still shows the old value of ${fields.join(' and ')}`,
		hint: () =>
			"The service may give the field another name, or not allow this change. The operation 'Check Contract' finds out what the service calls its fields, and gives the dialect for the credential.",
	},
	LIST_NOT_CONTINUED: {
		message: ({ read, counted }) =>
			`The list of the service ${counted > read ? `has ${counted} records` : 'goes on'}, but no new ones come after the first ${read}`,
		hint: () =>
			"No record was returned, because the others would be missing. The service asks for the next page in another way: the operation 'Check Contract' finds out how, and gives the dialect for the credential.",
	},
	ADDRESS_REFUSED: {
		message: ({ host }) =>
			`The service names an address at ${host} for the file, which was not followed`,
		hint: () =>
			'Only the service itself and https addresses outside private networks are followed. Ask the support of the service about the address.',
	},
	CANCELLED: {
		message: () => 'The execution was cancelled',
		hint: () => 'Start it again to go on.',
	},
	RATE_LIMIT_WAIT_TOO_LONG: {
		message: ({ until }) => `The rate limit is used up until ${until}`,
		hint: (_, { node }) =>
			node.has('longestWait')
				? `Run this again then, or allow more under ${node.field('longestWait')}.`
				: 'Run this again then.',
	},
	NOT_LISTED: {
		message: ({ id }) => `The service does not list ${id}`,
		hint: () => 'It may have been deleted since the event.',
	},
} satisfies Partial<Sentences>;

/** Problems of registering a webhook. */
export const registrationSentences = {
	WEBHOOK_UNREACHABLE: {
		message: ({ origin }) =>
			`The service cannot call ${origin}: that address means "this machine" to it`,
		hint: () =>
			'Set the environment variable WEBHOOK_URL of n8n to the address by which n8n is reached from outside, and restart n8n.',
	},
	NO_REGISTRATION_ENDPOINT: {
		message: () => 'The service cannot register webhooks through its API',
		hint: (_, { node }) =>
			`Set ${node.field('registration')} to ${node.choice('registration', 'manual')}, enter the URL shown there in the settings of the service, and the secret in the credential.`,
	},
	// At its start, n8n gives up on a workflow if the message contains "authorization", and otherwise tries again.
	AUTHORIZATION_FAILED: {
		message: ({ refusal }, forms) => `Authorization failed: ${describeRefusal(refusal, forms)}`,
		hint: ({ refusal }, forms) => chooseHint(refusal, forms),
	},
	WEBHOOK_SECRET_EMPTY: {
		message: (_, { dossierApi }) =>
			`${dossierApi.field('webhookSecret').slice(1, -1)} is empty in the credential`,
		hint: (_, { node, dossierApi }) =>
			`${node.field('registration')} is ${node.choice('registration', 'manual')}: add the webhook in the settings of the service, and enter the signing secret that it shows there under ${dossierApi.field('moreSettings')}, ${dossierApi.field('webhookSecret')} in the credential. Without it, every delivery is refused.`,
	},
} satisfies Partial<Sentences>;
