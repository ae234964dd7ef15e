import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { contract } from '../dialect/contract';
import type { Translator } from '../dialect/translate';
import { Problem } from '../problems/problem';
import type { Access, FormField } from '../problems/problem';
import { describePlace, openDialect, readOrganization, readSecret } from './credential';
import type { DossierCredential, WorkspaceCredential } from './credential';
import { planWindows } from './pace/limits';
import type { Window } from './pace/limits';

/** Sends a request through n8n's helpers. */
export type Send = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** The parts of n8n that a call needs: its HTTP helpers and the credentials. */
type N8nContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

/** The service that a credential leads to: its address, its names, and the key or token for it. */
export interface RemoteService {
	/** The address in front of `/v1/…` and `/api/v1/…`. */
	root: string;
	/** Host name of the service with its port. */
	host: string;
	access: Access;
	/** Translates between the service's names and those of this package. */
	translator: Translator;
	/** The key or token, which no error may repeat. */
	secret?: string;
}

/** The service as one execution calls it: for which account, within which limits, and through which helpers of n8n. */
export interface Connection extends RemoteService {
	/** Identifies the service and the organization: requests with the same value share the records. */
	account: string;
	/** What people know it by, for sentences: the organization, and whether the key reaches live or test data. */
	place: string;
	/** The rate limits that are chosen in the credential. */
	windows: Window[];
	/** Writes a warning to n8n's log. */
	warn: (message: string) => void;
	/** Sends a request with the key or the token. */
	send: Send;
	/** Sends a request without either. */
	fetch: Send;
}

/**
 * Reads a base address. The root of the service, below which `/v1/…` and `/api/v1/…` hang, is the address without its last
 * segment `/v1`, which may be typed or not, with or without a slash.
 *
 * @param field the field of the form that holds the address
 * @throws Problem if the address is missing or is not one
 */
function parseAddress(
	address: string | undefined,
	field: FormField,
): Pick<RemoteService, 'root' | 'host'> {
	const typed = (address ?? '').trim();
	if (!typed) throw new Problem('FIELD_INVALID', { ...field, rule: 'givenBaseAddress' });
	const url = URL.canParse(typed) ? new URL(typed) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw new Problem('FIELD_INVALID', { ...field, rule: 'baseAddress' });
	}
	const segments = url.pathname.split('/').filter(Boolean);
	if (segments.at(-1) === contract.versionSegment) segments.pop();
	return { root: [url.origin, ...segments].join('/'), host: url.host };
}

/** Reads the address of the environment that is chosen in the credential. Throws as `parseAddress` does. */
const chooseAddress = ({ environment, sandboxUrl, baseUrl }: DossierCredential) =>
	environment === 'sandbox'
		? parseAddress(sandboxUrl, { credential: 'dossierApi', field: 'sandboxUrl' })
		: parseAddress(baseUrl, { credential: 'dossierApi', field: 'baseUrl' });

/**
 * Reads the service, and the API key for it, from a credential.
 *
 * @param timezone of the workflow
 * @throws Problem, also if a key for production data would go to a sandbox
 */
export function openKeyCredential(credential: DossierCredential, timezone?: string): RemoteService {
	const secret = readSecret(credential.apiKey, {
		credential: 'dossierApi',
		field: 'apiKey',
	});
	if (credential.environment === 'sandbox' && secret.startsWith(contract.liveKeyPrefix)) {
		throw new Problem('LIVE_KEY_IN_SANDBOX', {});
	}
	return {
		...chooseAddress(credential),
		access: 'key',
		translator: openDialect(credential, timezone),
		secret,
	};
}

/** Reads the service, and the token of a customer or an operator for it, from a credential. Throws Problem. */
export function openTokenCredential(
	credential: WorkspaceCredential,
	timezone?: string,
): RemoteService {
	const field = { credential: 'dossierWorkspaceApi', field: 'baseUrl' } as const;
	return {
		...parseAddress(credential.baseUrl, field),
		access: 'workspace',
		translator: openDialect(credential, timezone),
		secret: readSecret(credential.token, {
			credential: 'dossierWorkspaceApi',
			field: 'token',
		}),
	};
}

/**
 * Sends requests with the credential. The decrypted credential is passed along, because n8n would otherwise read it from
 * its database for each request. n8n replaces the signal of a request by that of the execution
 * (httpRequestWithAuthentication in n8n-core), so the helper gets a context whose signal is the request's.
 */
function sendWith(context: N8nContext, type: string, data: ICredentialDataDecryptedObject): Send {
	const { id = '', name = type } = context.getNode().credentials?.[type] ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type, data };
	return async (options) => {
		const signal = { value: () => options.abortSignal };
		const own = Object.create(context, { getExecutionCancelSignal: signal }) as N8nContext;
		return await (context.helpers.httpRequestWithAuthentication.call(own, type, options, {
			credentialsDecrypted,
		}) as Promise<IN8nHttpFullResponse>);
	};
}

/** Takes from n8n what a connection needs. Without a credential, it sends every request without one. */
function bindContext(context: N8nContext, type = '', data?: ICredentialDataDecryptedObject) {
	const fetch: Send = async (options) =>
		await (context.helpers.httpRequest(options) as Promise<IN8nHttpFullResponse>);
	return {
		warn: (message: string) => context.logger.warn(message),
		fetch,
		send: data ? sendWith(context, type, data) : fetch,
	};
}

const readKeyCredential = async (context: N8nContext) =>
	await context.getCredentials<DossierCredential & ICredentialDataDecryptedObject>('dossierApi');

/** Connects with the API key of the credential `dossierApi`. */
export async function keyConnection(context: N8nContext): Promise<Connection> {
	const credential = await readKeyCredential(context);
	const service = openKeyCredential(credential, context.getTimezone());
	return {
		...service,
		...bindContext(context, 'dossierApi', credential),
		account: `${service.root} ${readOrganization(credential)}`,
		place: describePlace(credential, service.secret),
		windows: planWindows(credential),
	};
}

/** Connects with the token of a customer or an operator, of the credential `dossierWorkspaceApi`. */
export async function workspaceConnection(context: N8nContext): Promise<Connection> {
	const credential = await context.getCredentials<
		WorkspaceCredential & ICredentialDataDecryptedObject
	>('dossierWorkspaceApi');
	const service = openTokenCredential(credential, context.getTimezone());
	return {
		...service,
		...bindContext(context, 'dossierWorkspaceApi', credential),
		account: `${service.root} ${credential.tenantId}`,
		place: service.host,
		windows: [],
	};
}

/**
 * Connects to the public endpoints, without a key or token.
 *
 * @param address from the form; without it, the address in the credential, whose key is not sent
 */
export async function publicConnection(
	context: N8nContext,
	address: string | undefined,
): Promise<Connection> {
	const place =
		address === undefined
			? chooseAddress(await readKeyCredential(context))
			: parseAddress(address, { field: 'baseUrl' });
	return {
		...place,
		...bindContext(context),
		access: 'public',
		translator: openDialect({}),
		account: place.root,
		place: place.host,
		windows: [],
	};
}

/** How one execution calls the service, from its options and from n8n. */
export interface CallPolicy {
	/** How many requests may be under way at once. */
	concurrency: number;
	/** How many may be under way at first, if the number grows and shrinks with the load of the service. */
	startConcurrency?: number;
	/** The longest wait of one call for the rate limit, in ms. */
	longestWait: number;
	/** How long the service may be silent before a call fails, in ms. */
	timeout: number;
	/** Aborts when the execution is cancelled. */
	signal?: AbortSignal;
}

/** For work in the background, unless its options say otherwise. */
export const BACKGROUND_POLICY: CallPolicy = {
	concurrency: 16,
	startConcurrency: 5,
	longestWait: 90_000,
	timeout: 300_000,
};

/** For a person who waits at a form: better an error now than an answer in a minute. */
export const INTERACTIVE_POLICY: CallPolicy = {
	concurrency: 1,
	longestWait: 10_000,
	timeout: 15_000,
};
