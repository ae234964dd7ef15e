import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { chooseRoot, parseRoot, refuseLiveKeyInSandbox, openDialect } from '../api/credential';
import type { DossierCredential, WorkspaceCredential } from '../api/credential';
import { endpoints } from '../api/endpoints';
import type { EndpointName } from '../api/endpoints';
import type { Access } from '../problems/problem';
import { mapConnectionError, mapRefusal, redact } from '../api/send/failures';
import { Problem, readRefusal } from '../problems/problem';
import { CODE_HINTS } from '../problems/refusal';
import { writeWorkspaceHeaders } from '../dialect/headers';
import { writeFirstPage } from '../dialect/lists';
import { parseJson, toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { explain } from './explain';
import { collectForms } from './labels';

interface Response {
	statusCode: number;
	headers: IDataObject;
	body: string;
}

/** The code for a valid key without the permission to list dossiers, which passes the test. */
const LACKS_SCOPE = 'INSUFFICIENT_SCOPE';

/** What is wrong with the answer to a test's call; `undefined` if nothing is. */
function findTestProblem(
	{ statusCode: status, headers, body }: Response,
	host: string,
	access: Access,
): Problem | undefined {
	const parsed = parseJson(body);
	const notTheService = new Problem('NOT_THE_SERVICE', { host, access, status });
	if (status < 300) return isObject(parsed) || Array.isArray(parsed) ? undefined : notTheService;
	if (status < 400) {
		const target = toText(headers.location)?.split('?')[0];
		return new Problem('REDIRECTED', { host, access, target, status });
	}
	// An answer without the service's error object comes from something else; from 500 on, from a proxy whose service is away.
	const isOwn = isObject(parsed) && isObject(parsed.error);
	if (status === 404 || (status < 500 && !isOwn)) return notTheService;
	const refusal = mapRefusal(status, body, undefined, { access });
	return refusal.facts.code === LACKS_SCOPE ? undefined : refusal;
}

type TestRequest = ICredentialTestFunctions['helpers']['request'];

/** Makes one GET with the headers of the credential. Throws Problem if the answer is not a good one. */
async function probe(
	request: TestRequest,
	root: string,
	name: EndpointName,
	headers: IDataObject,
	query: IDataObject = {},
): Promise<void> {
	const { host } = new URL(root);
	const { path, access } = endpoints[name];
	const sent = request({
		method: 'GET',
		uri: root + path,
		qs: query,
		headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
		timeout: 15_000,
		simple: false,
		followRedirect: false,
		resolveWithFullResponse: true,
	}) as Promise<Response>;
	const response = await sent.catch((error: unknown) => {
		throw mapConnectionError(error, { host, access, method: 'GET' });
	});
	const secret = toText(headers.Authorization)?.replace(/^Bearer /, '');
	const body = redact(toText(response.body) ?? '', secret);
	const location = redact(toText(response.headers.location) ?? '', secret);
	const problem = findTestProblem({ ...response, headers: { location }, body }, host, access);
	if (problem) throw problem;
}

/** @param advice what to say further if the key or the token is refused */
async function judge(test: Promise<string>, advice = ''): Promise<INodeCredentialTestResult> {
	return await test.then(
		(message) => ({ status: 'OK', message }),
		(error: unknown) => {
			const { message, hint } = explain(error, collectForms([]));
			const { code, status } = readRefusal(error) ?? {};
			// These hints say what happened, too, and name the field as the form does.
			const isTold = code !== undefined && code in CODE_HINTS;
			const text = [isTold ? '' : message, hint].filter(Boolean).join('. ');
			return { status: 'Error', message: status === 401 ? text + advice : text };
		},
	);
}

async function probeKey(request: TestRequest, credential: DossierCredential): Promise<string> {
	const root = chooseRoot(credential);
	refuseLiveKeyInSandbox(credential);
	const translator = openDialect(credential);
	const headers = {
		Authorization: `Bearer ${credential.apiKey.trim()}`,
		'X-Organization-ID': credential.organizationId.trim(),
	};
	const page = writeFirstPage(translator, 1);
	await probe(request, root, 'dossiers.list', headers, page);
	return 'The service accepted the key and the organization.';
}

async function probeToken(request: TestRequest, credential: WorkspaceCredential): Promise<string> {
	const { role, token } = credential;
	const root = parseRoot(credential.baseUrl, {
		credential: 'dossierWorkspaceApi',
		field: 'baseUrl',
	});
	const translator = openDialect(credential);
	const headers: IDataObject = { Authorization: `Bearer ${token.trim()}` };
	const accepted = 'The service accepted the token.';
	if (role === 'operator') {
		await probe(request, root, 'admin.tenants.list', headers, writeFirstPage(translator, 1));
		return accepted;
	}
	await probe(request, root, 'workspace.bootstrap', {
		...headers,
		...writeWorkspaceHeaders(translator.dialect, credential),
	});
	return accepted;
}

/**
 * Tests the credential with the API key. Its message says what is wrong: the key, the organization, the plan, or the
 * address. It is a function, because a declared test would accept a web page as a good answer.
 */
export async function testDossierApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// The only HTTP helper that n8n gives to a credential test.
	const { request } = this.helpers;
	const credential = data as IDataObject & DossierCredential;
	const isKey = credential.apiKey.trim().startsWith('sk_');
	return await judge(probeKey(request, credential), isKey ? '' : ' API keys begin with sk_.');
}

/** Tests the credential of a customer or an operator. */
export async function testDossierWorkspaceApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { request } = this.helpers;
	return await judge(probeToken(request, data as IDataObject & WorkspaceCredential));
}
