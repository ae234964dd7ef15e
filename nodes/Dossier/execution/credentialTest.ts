import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { refuseLiveKeyInSandbox, rootAddress, rootOf } from '../api/address';
import type { DossierCredential, WorkspaceCredential } from '../api/address';
import { endpoints } from '../api/endpoints';
import type { Access, EndpointName } from '../api/endpoints';
import { brokenConnection, notTheService, refusal, ServiceError } from '../api/errors';
import { isRecord, parseJson } from '../api/values';

interface Response {
	statusCode: number;
	body: string;
}

/** Valid keys that lack the permission to list dossiers are good keys all the same. */
const LACKS_SCOPE = 'INSUFFICIENT_SCOPE';

/** Judges an answer to the call of a test. */
function judge(
	{ statusCode, body }: Response,
	host: string,
	access: Access,
): ServiceError | undefined {
	const parsed = parseJson(body);
	if (statusCode < 300) {
		return isRecord(parsed) || Array.isArray(parsed) ? undefined : notTheService(statusCode, host);
	}
	// The service explains each refusal with its error object; whatever does not is something else.
	if (!isRecord(parsed) || !isRecord(parsed.error)) return notTheService(statusCode, host);
	if (statusCode === 404) return notTheService(statusCode, host);
	const refused = refusal(statusCode, body, undefined, access);
	if (refused.code === LACKS_SCOPE) return undefined;
	if (statusCode !== 400 || access !== 'workspace') return refused;
	const hint = 'Check the Tenant ID and the Business Unit ID in the credential.';
	return new ServiceError({ message: refused.message, hint, status: statusCode });
}

type Request = ICredentialTestFunctions['helpers']['request'];

/** Makes one reading call as the credential would, and throws what is wrong with the answer. */
async function probe(request: Request, root: string, name: EndpointName, headers: IDataObject) {
	const { host } = new URL(root);
	const { path, access } = endpoints[name];
	const sent = request({
		method: 'GET',
		uri: root + path,
		qs: { per_page: 1 },
		headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
		timeout: 15_000,
		simple: false,
		followRedirect: false,
		resolveWithFullResponse: true,
	}) as Promise<Response>;
	const response = await sent.catch((error: unknown) => {
		throw brokenConnection(error, host, 'GET');
	});
	const problem = judge(response, host, access);
	if (problem) throw problem;
}

async function verdict(test: Promise<void>, passed: string): Promise<INodeCredentialTestResult> {
	return await test.then(
		() => ({ status: 'OK', message: passed }),
		(error: unknown) => ({
			status: 'Error',
			message:
				error instanceof ServiceError
					? `${error.message}. ${error.hint}`
					: `The test failed: ${String(error)}`,
		}),
	);
}

async function probeKey(request: Request, credential: DossierCredential): Promise<void> {
	const root = rootAddress(credential);
	refuseLiveKeyInSandbox(credential);
	await probe(request, root, 'dossiers.list', {
		Authorization: `Bearer ${credential.apiKey}`,
		'X-Organization-ID': credential.organizationId,
	});
}

async function probeToken(request: Request, credential: WorkspaceCredential): Promise<void> {
	const { role, token, tenantId, businessUnitId, contractOverrides } = credential;
	const root = rootOf(credential.baseUrl, 'Base URL in the credential');
	const headers: IDataObject = { Authorization: `Bearer ${token}` };
	if (role === 'operator') {
		return await probe(request, root, 'admin.tenants.list', headers);
	}
	const name = (own: string | undefined, usual: string) => (contractOverrides && own) || usual;
	headers[name(credential.tenantHeader, 'X-Tenant-ID')] = tenantId;
	headers[name(credential.businessUnitHeader, 'X-Business-Unit-ID')] = businessUnitId;
	await probe(request, root, 'workspace.bootstrap', headers);
}

/**
 * The test behind the form of the credential with the API key. Says in a sentence what is wrong: the key, the
 * organization, the plan, or the address. Written as a function, since a declared test takes a web page for a good
 * answer.
 */
export async function testDossierApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// The only HTTP helper that n8n gives to a credential test.
	const { request } = this.helpers;
	return await verdict(
		probeKey(request, data as IDataObject & DossierCredential),
		'The service accepted the key and the organization.',
	);
}

/** The same for the credential of a customer or an operator. */
export async function testDossierWorkspaceApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { request } = this.helpers;
	return await verdict(
		probeToken(request, data as IDataObject & WorkspaceCredential),
		'The service accepted the token.',
	);
}
