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
	/** What stands before `/v1/…` and `/api/v1/…`. */
	root: string;
	access: Access;
	/** Names who shares the rate limit: the service and the organization. */
	limited: string;
	/** The limits that the credential stands for. */
	windows: Window[];
	/** Names the credential, whose own limits count its requests alone. */
	credential: string;
	/** Speaks the service's own names. */
	translator: Translator;
	/** The key or token, which no error repeats; absent if there is none. */
	secret?: string;
	/** Tells the owner of the workflow something, in n8n's log. */
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
 * Sends requests with the credential. n8n would read it from its database anew for each request: here it is read once for
 * a run. And n8n puts the execution's signal in place of the request's (httpRequestWithAuthentication in n8n-core), so it
 * is asked for by a context that gives the request's own.
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

/** With the API key of the credential `dossierApi`. */
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

/** With the token of a customer or an operator, of the credential `dossierWorkspaceApi`. */
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
 * With nothing: the public entry points.
 *
 * @param address from the form; without it, that of the credential is taken, whose key is not sent
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

/** The services whose end of version is already in the log. */
const warned = new Set<string>();

/** Logs once that the version of the API will end, if an answer says so (A-44, RFC 9745, RFC 8594). */
export function warnOfEnd({ root, warn }: Connection, headers: IDataObject): void {
	if (!(headers.deprecation ?? headers.sunset) || warned.has(root)) return;
	warned.add(root);
	const until = toText(headers.sunset);
	const end = until ? ` and ends on ${until}` : '';
	warn(
		`${root} says that this version of its API is deprecated${end}. Look for an update of n8n-nodes-dossier.`,
	);
}
