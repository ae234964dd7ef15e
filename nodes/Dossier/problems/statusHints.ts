/** What to do about the statuses and the codes of the service. */
import type { Recipient, Forms } from './definition';

/** What to do, with the labels of the form. */
export type Hint = (forms: Forms) => string;

/** What to do if only values of the form are wrong. */
export const CORRECT_VALUES = 'Correct the values named above and run the operation again.';

const NOT_ENTERED =
	"If the message is about something that you did not enter, the service expects it in another form than this package sends: run the operation 'Check Contract', which shows what the service takes and what it refuses.";

/** What to do about a status, unless the service's code has a hint. */
export const STATUS_HINTS: Record<number, Hint> = {
	400: () =>
		`The service could not read the request. Check the values of this operation. ${NOT_ENTERED}`,
	401: ({ dossierApi }) =>
		`Check the API key in the credential: it begins with sk_live_ or sk_test_, and may be mistyped, revoked, or belong to another environment. Check ${dossierApi.field('organizationId')}, too: the key may belong to another organization.`,
	403: ({ dossierApi }) =>
		`The key is valid but may not do this. Check ${dossierApi.field('organizationId')} in the credential, the permissions of the key, and that the plan is Business or higher.`,
	404: () =>
		'It may have been deleted, or belong to another organization or environment. Choose one from the list to be sure.',
	407: () =>
		'A proxy between n8n and the service wants to know who asks. Check the name and the password in the environment variables HTTP_PROXY and HTTPS_PROXY of n8n.',
	409: () => 'Someone may have changed it meanwhile. If so, run the operation again.',
	412: () => 'Someone has changed it since it was read. Run the operation again.',
	413: () => 'What was sent is larger than the service accepts.',
	422: () => `${CORRECT_VALUES} ${NOT_ENTERED}`,
	428: () =>
		'The service asks for the version of the record (If-Match), and the node has seen none (ETag).',
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
const PUBLIC_HINTS: Record<number, Hint> = {
	401: () =>
		'What was entered to sign in is mistyped, used already, or too old. Ask for a new one.',
	403: () => 'The service does not allow this without signing in.',
	404: ({ node }) => `Check ${node.field('baseUrl')}: the service has nothing at this address.`,
};

const EXPIRED: Hint = () =>
	'The address that the service gave for the file may have expired. Run the operation again. If an upload fails again, it may lack a header that the reference of the service names.';

/** Other hints for an address that the service gave out for a file. */
export const SIGNED_HINTS: Record<number, Hint> = Object.fromEntries(
	[400, 401, 403, 404, 410].map((status) => [status, EXPIRED]),
);

/** Other hints, by who may call the endpoint. */
export const HINTS_BY_ACCESS: Partial<Record<Recipient['access'], Record<number, Hint>>> = {
	workspace: TOKEN_HINTS,
	public: PUBLIC_HINTS,
	signed: SIGNED_HINTS,
};

/** What to do if the service may not be at the address. */
export const CHECK_ADDRESS =
	'Check the address in the credential: it must be the base address of the API, which ends with /v1.';

/** What to do about a code of the service. */
export const CODE_HINTS = new Map<string, Hint>(
	Object.entries({
		PLAN_UPGRADE_REQUIRED: () =>
			'API access needs the Business plan or higher, and the sandbox environment needs Enterprise.',
		ORGANIZATION_ACCESS_DENIED: ({ dossierApi }) =>
			`The API key belongs to another organization. Check ${dossierApi.field('organizationId')} in the credential.`,
		MISSING_ORGANIZATION_ID: ({ dossierApi }) =>
			`Enter ${dossierApi.field('organizationId')} in the credential.`,
		INSUFFICIENT_SCOPE: () =>
			'Create an API key that has this permission, in the settings of the service.',
		ROUTE_NOT_FOUND: () =>
			`${CHECK_ADDRESS} If other operations work, the service does not have this one.`,
		DUPLICATE_REFERENCE: () =>
			"The reference is your own number or name for the dossier. The operation 'Create or Update' changes the dossier that has it.",
		USER_ALREADY_INVITED: () =>
			"This person needs no invitation. To invite them anew, e.g. to another dossier, remove the portal user first, with the operation 'Remove'.",
		INVALID_STATE_TRANSITION: () =>
			'A dossier goes from open to in progress, pending, closed and archived; a closed one can be opened again.',
	}),
);
