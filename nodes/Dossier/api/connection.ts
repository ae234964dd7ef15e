import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { chooseRoot, parseRoot, refuseLiveKeyInSandbox } from './address';
import type { DossierCredential, WorkspaceCredential } from './address';
import { contract } from '../dialect/contract';
import type { Access } from './endpoints';
import { planWindows } from './limits';
import type { Window } from './limits';

/** The parts of n8n that a call needs: its HTTP helpers and the credentials. */
type CallContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
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
	/** How many records are asked for at a time. */
	pageSize: number;
	/** Tells the owner of the workflow something, in n8n's log. */
	warn: (message: string) => void;
	/** Whether the service knows a repeated POST by its `Idempotency-Key`. */
	recognisesRepeats: boolean;
	/** Sends a request with the key or the token. */
	send(options: IHttpRequestOptions): Promise<IN8nHttpFullResponse>;
	/** Sends a request without either. */
	fetch(options: IHttpRequestOptions): Promise<IN8nHttpFullResponse>;
}

type Send = Promise<IN8nHttpFullResponse>;

const fetchWith =
	(context: CallContext): Connection['fetch'] =>
	async (options) =>
		await (context.helpers.httpRequest(options) as Send);

/** n8n would read the credential from its database anew for each request: here it is read once for a run. */
function sendWith(
	context: CallContext,
	type: string,
	data: ICredentialDataDecryptedObject,
): Connection['send'] {
	const { id = '', name = type } = context.getNode().credentials?.[type] ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type, data };
	return async (options) =>
		await (context.helpers.httpRequestWithAuthentication.call(context, type, options, {
			credentialsDecrypted,
		}) as Send);
}

/** What every connection has in common. */
const shareWith = (context: CallContext, credentialType = '') => ({
	credential: context.getNode().credentials?.[credentialType]?.id ?? '',
	pageSize: contract.pages.size,
	warn: (message: string) => context.logger.warn(message),
	fetch: fetchWith(context),
});

function readPageSize({ contractOverrides, pageSize }: DossierCredential): number {
	const chosen = contractOverrides ? Math.floor(Number(pageSize)) : 0;
	return chosen > 0 ? chosen : contract.pages.size;
}

/** With the API key of the credential `dossierApi`. */
export async function keyConnection(context: CallContext): Promise<Connection> {
	const credential = await context.getCredentials<
		DossierCredential & ICredentialDataDecryptedObject
	>('dossierApi');
	refuseLiveKeyInSandbox(credential);
	const root = chooseRoot(credential);
	return {
		root,
		access: 'key',
		limited: `${root} ${credential.organizationId}`,
		windows: planWindows(credential),
		...shareWith(context, 'dossierApi'),
		pageSize: readPageSize(credential),
		recognisesRepeats: credential.contractOverrides === true && credential.idempotency === true,
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
		recognisesRepeats: false,
		send: sendWith(context, 'dossierWorkspaceApi', credential),
	};
}

/** With nothing: the public entry points, at the address in the form. */
export function publicConnection(context: CallContext, address: string): Connection {
	const root = parseRoot(address, { field: 'baseUrl' });
	return {
		root,
		access: 'public',
		limited: root,
		windows: [],
		...shareWith(context),
		recognisesRepeats: false,
		send: fetchWith(context),
	};
}
