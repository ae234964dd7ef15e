import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { chooseDialect, chooseRoot, parseRoot, refuseLiveKeyInSandbox } from './address';
import type { DossierCredential, WorkspaceCredential } from './address';
import type { Translator } from '../dialect/translate';
import type { Access } from './endpoints';
import type { Send } from './exchange';
import { planWindows } from './limits';
import type { Window } from './limits';
import { CANONICAL, openTranslator } from './translation';
import { toText } from './values';

/** The parts of n8n that a call needs: its HTTP helpers and the credentials. */
type CallContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

/** How one execution reaches the service: where it is, as whom, and within which limits. */
export interface Connection {
	/** The address before `/v1/…` and `/api/v1/…`. */
	root: string;
	access: Access;
	/** Names who shares the rate limit: the service and the organization. */
	limited: string;
	/** The rate limits that are chosen in the credential. */
	windows: Window[];
	/** Names the credential: a custom limit counts the requests of its credential alone. */
	credential: string;
	/** Speaks the service's own names. */
	translator: Translator;
	/** The key or token, which no error may repeat. */
	secret?: string;
	/** Writes a warning to n8n's log. */
	warn: (message: string) => void;
	/** Sends a request with the key or the token. */
	send: Send;
	/** Sends a request without either. */
	fetch: Send;
}

const fetchWith =
	(context: CallContext): Send =>
	async (options) =>
		await (context.helpers.httpRequest(options) as Promise<IN8nHttpFullResponse>);

/**
 * Sends requests with the credential. The decrypted credential is passed along, because n8n would otherwise read it from
 * its database for each request. n8n replaces the signal of a request by that of the execution
 * (httpRequestWithAuthentication in n8n-core), so the helper gets a context whose signal is the request's.
 */
function sendWith(context: CallContext, type: string, data: ICredentialDataDecryptedObject): Send {
	const { id = '', name = type } = context.getNode().credentials?.[type] ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type, data };
	return async (options) => {
		const signal = { value: () => options.abortSignal };
		const own = Object.create(context, { getExecutionCancelSignal: signal }) as CallContext;
		return await (context.helpers.httpRequestWithAuthentication.call(own, type, options, {
			credentialsDecrypted,
		}) as Promise<IN8nHttpFullResponse>);
	};
}

/** What every connection has in common. */
const shareWith = (context: CallContext, credentialType = '') => ({
	credential: context.getNode().credentials?.[credentialType]?.id ?? '',
	translator: CANONICAL,
	warn: (message: string) => context.logger.warn(message),
	fetch: fetchWith(context),
});

/** Connects with the API key of the credential `dossierApi`. */
export async function keyConnection(context: CallContext): Promise<Connection> {
	const credential = await context.getCredentials<
		DossierCredential & ICredentialDataDecryptedObject
	>('dossierApi');
	refuseLiveKeyInSandbox(credential);
	const root = chooseRoot(credential);
	const translator = openTranslator(chooseDialect(credential));
	return {
		root,
		access: 'key',
		limited: `${root} ${credential.organizationId}`,
		windows: planWindows(credential),
		...shareWith(context, 'dossierApi'),
		translator,
		secret: credential.apiKey.trim(),
		send: sendWith(context, 'dossierApi', credential),
	};
}

/** Connects with the token of a customer or an operator, of the credential `dossierWorkspaceApi`. */
export async function workspaceConnection(context: CallContext): Promise<Connection> {
	const credential = await context.getCredentials<
		WorkspaceCredential & ICredentialDataDecryptedObject
	>('dossierWorkspaceApi');
	const root = parseRoot(credential.baseUrl, {
		credential: 'dossierWorkspaceApi',
		field: 'baseUrl',
	});
	return {
		root,
		access: 'workspace',
		limited: `${root} ${credential.tenantId}`,
		windows: [],
		...shareWith(context, 'dossierWorkspaceApi'),
		translator: openTranslator(chooseDialect(credential)),
		secret: credential.token.trim(),
		send: sendWith(context, 'dossierWorkspaceApi', credential),
	};
}

/**
 * Connects to the public endpoints, without a key or token.
 *
 * @param address from the form; without it, the address in the credential, whose key is not sent
 */
export async function publicConnection(
	context: CallContext,
	address: string | undefined,
): Promise<Connection> {
	const root =
		address === undefined
			? chooseRoot(
					await context.getCredentials<DossierCredential & ICredentialDataDecryptedObject>(
						'dossierApi',
					),
				)
			: parseRoot(address, { field: 'baseUrl' });
	return {
		root,
		access: 'public',
		limited: root,
		windows: [],
		...shareWith(context),
		send: fetchWith(context),
	};
}

/** The services whose deprecation is in the log already. */
const warned = new Set<string>();

/** Warns once for each service that its API is deprecated, if an answer says so (A-44, RFC 9745, RFC 8594). */
export function warnOfEnd({ root, warn }: Connection, headers: IDataObject): void {
	if (!(headers.deprecation ?? headers.sunset) || warned.has(root)) return;
	warned.add(root);
	const until = toText(headers.sunset);
	const end = until ? ` and ends on ${until}` : '';
	warn(
		`${root} says that this version of its API is deprecated${end}. Look for an update of n8n-nodes-dossier.`,
	);
}
