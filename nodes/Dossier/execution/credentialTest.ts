import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { openKeyCredential, openTokenCredential } from '../api/connection';
import type { RemoteService } from '../api/connection';
import { readOrganization } from '../api/credential';
import type { DossierCredential, WorkspaceCredential } from '../api/credential';
import { endpoints } from '../api/endpoints';
import type { EndpointName } from '../api/endpoints';
import { parseAnswer } from '../api/send/answer';
import { mapConnectionError } from '../api/send/failures';
import { Problem, readRefusal } from '../problems/problem';
import { CODE_HINTS } from '../problems/statusHints';
import { writeFirstPage } from '../dialect/lists';
import { parseJson, toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { explain } from './explain';
import { collectForms } from './labels';

/** The code for a valid key without the permission to list dossiers, which passes the test. */
const LACKS_SCOPE = 'INSUFFICIENT_SCOPE';

type TestRequest = ICredentialTestFunctions['helpers']['request'];

/** Makes one GET with the token or the key of the credential. Throws Problem unless it succeeds. */
async function probe(
	request: TestRequest,
	service: RemoteService,
	name: EndpointName,
	{ headers, query = {} }: { headers: IDataObject; query?: IDataObject },
): Promise<void> {
	const { root, host, access, secret } = service;
	const own = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers };
	const sent = request({
		method: 'GET',
		uri: root + endpoints[name].path,
		qs: query,
		headers: { Authorization: `Bearer ${secret}`, ...own },
		timeout: 15_000,
		simple: false,
		followRedirect: false,
		resolveWithFullResponse: true,
	}) as Promise<{ statusCode: number; headers: IDataObject; body?: string }>;
	const { statusCode: status, ...answer } = await sent.catch((error: unknown) => {
		throw mapConnectionError(error, { host, access, method: 'GET' });
	});
	const text = toText(answer.body) ?? '';
	const parsed = parseJson(text);
	// A 4xx without the service's error object comes from another server; a 407 and a 5xx may come from a proxy on the way.
	const refused = isObject(parsed) && isObject(parsed.error) ? parsed.error : undefined;
	if (refused?.code === LACKS_SCOPE) return;
	const isStrange = status >= 400 && status < 500 && status !== 407 && !refused;
	if (status === 404 || isStrange) {
		throw new Problem('NOT_THE_SERVICE', { host, access, status });
	}
	parseAnswer(service, name, { ...answer, statusCode: status, body: Buffer.from(text) });
}

async function reportTest(test: Promise<string>): Promise<INodeCredentialTestResult> {
	return await test.then(
		(message) => ({ status: 'OK', message }),
		(error: unknown) => {
			const { message, hint } = explain(error, collectForms([]));
			const { code } = readRefusal(error) ?? {};
			// The hints for these codes say what happened, too.
			const isTold = code !== undefined && CODE_HINTS.has(code);
			const text = [isTold ? '' : message, hint].filter(Boolean).join('. ');
			return { status: 'Error', message: text };
		},
	);
}

async function probeKey(request: TestRequest, credential: DossierCredential): Promise<string> {
	const service = openKeyCredential(credential);
	await probe(request, service, 'dossiers.list', {
		headers: { 'X-Organization-ID': readOrganization(credential) },
		query: writeFirstPage(service.translator, 1),
	});
	return 'The service accepted the key and the organization.';
}

async function probeToken(request: TestRequest, credential: WorkspaceCredential): Promise<string> {
	const service = openTokenCredential(credential);
	const { translator } = service;
	if (credential.role === 'operator') {
		const query = writeFirstPage(translator, 1);
		await probe(request, service, 'admin.tenants.list', { headers: {}, query });
	} else {
		const { tenantHeader = 'X-Tenant-ID', businessUnitHeader = 'X-Business-Unit-ID' } =
			translator.dialect.workspace ?? {};
		const { tenantId, businessUnitId } = credential;
		const headers = { [tenantHeader]: tenantId, [businessUnitHeader]: businessUnitId };
		await probe(request, service, 'workspace.bootstrap', { headers });
	}
	return 'The service accepted the token.';
}

/**
 * Tests the credential with the API key. Its message says what is wrong: the key, the organization, the plan, or the
 * address. It is a function, because a declared test would accept any web page.
 */
export async function testDossierApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// The only HTTP helper that n8n gives to a credential test.
	const { request } = this.helpers;
	return await reportTest(probeKey(request, data as IDataObject & DossierCredential));
}

/** Tests the credential of a customer or an operator. */
export async function testDossierWorkspaceApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { request } = this.helpers;
	return await reportTest(probeToken(request, data as IDataObject & WorkspaceCredential));
}
