import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { refuseLiveKeyInSandbox, rootAddress } from './api/address';
import type { DossierCredential } from './api/address';
import { endpoints } from './api/endpoints';
import { brokenConnection, notTheService, refusal, ServiceError } from './api/errors';
import { isRecord, parseJson } from './api/values';

interface Response {
	statusCode: number;
	body: string;
}

/** Valid keys that lack the permission to list dossiers are good keys all the same. */
const LACKS_SCOPE = 'INSUFFICIENT_SCOPE';

/** Judges an answer to the list of dossiers. */
function judge({ statusCode, body }: Response, host: string): ServiceError | undefined {
	const parsed = parseJson(body);
	if (statusCode < 300) {
		return isRecord(parsed) || Array.isArray(parsed) ? undefined : notTheService(statusCode, host);
	}
	// The service explains each refusal with its error object; whatever does not is something else.
	if (!isRecord(parsed) || !isRecord(parsed.error)) return notTheService(statusCode, host);
	if (statusCode === 404) return notTheService(statusCode, host);
	const refused = refusal(statusCode, body, undefined);
	return refused.code === LACKS_SCOPE ? undefined : refused;
}

async function probe(
	request: ICredentialTestFunctions['helpers']['request'],
	credential: DossierCredential,
): Promise<void> {
	const root = rootAddress(credential);
	refuseLiveKeyInSandbox(credential);
	const { host } = new URL(root);
	const { method, path } = endpoints['dossiers.list'];
	const sent = request({
		method,
		uri: `${root}${path}?per_page=1`,
		headers: {
			Authorization: `Bearer ${credential.apiKey}`,
			'X-Organization-ID': credential.organizationId,
			'Content-Type': 'application/json',
			Accept: 'application/json',
		},
		timeout: 15_000,
		simple: false,
		followRedirect: false,
		resolveWithFullResponse: true,
	}) as Promise<Response>;
	const response = await sent.catch((error: unknown) => {
		throw brokenConnection(error, host, method);
	});
	const problem = judge(response, host);
	if (problem) throw problem;
}

/**
 * The test behind the credential's form. Says in a sentence what is wrong: the key, the organization, the plan, or the
 * address. Written as a function, since a declared test takes a web page for a good answer.
 */
export async function testDossierApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// The only HTTP helper that n8n gives to a credential test.
	const { request } = this.helpers;
	const data = (credential.data ?? {}) as IDataObject & DossierCredential;
	return await probe(request, data).then(
		() => ({ status: 'OK', message: 'The service accepted the key and the organization.' }),
		(error: unknown) => ({
			status: 'Error',
			message:
				error instanceof ServiceError
					? `${error.message}. ${error.hint}`
					: `The test failed: ${String(error)}`,
		}),
	);
}
