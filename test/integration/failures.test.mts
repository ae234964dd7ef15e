/** What failed, as n8n reads it: why, how long to wait, and which field or setting to look at. */
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { CredentialTestContext } from 'n8n-core';
import { testDossierApi } from '../../nodes/Dossier/execution/credentialTest';
import type { Failure, INodeParameters } from 'n8n-workflow';
import { carry, file, get, uploadTo, useDossier, listDossiers } from './requests.mts';
import { answering, answerJson, findClosedPort, shortenPauses, useFakes } from './fakeService.mts';
import type { Handler } from './fakeService.mts';
import { makeAdditionalData, runDossier } from './n8n.mts';
import { callTool } from './tools.mts';

shortenPauses();

const place = useDossier();
const fake = useFakes();

const readFailure = (error: Error | undefined): Failure | undefined =>
	error && 'failure' in error ? (error.failure as Failure) : undefined;

const refuse =
	(status: number, headers: Record<string, string> = {}, body: object = {}): Handler =>
	(_, response) => {
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		answerJson(response, status, { error: { code: 'NO', message: 'No', ...body } });
	};

const fail = async (handler: Handler, parameters: INodeParameters = get('dos_1')) => {
	const { credential } = await fake(handler);
	const own = { ...parameters, options: { longestWait: 0 } };
	const { error } = await runDossier({ parameters: own, credential });
	return error;
};

describe('Why a call failed', () => {
	it.each<[number, Failure]>([
		[400, { cause: 'configuration-invalid' }],
		[401, { cause: 'credential-invalid' }],
		[403, { cause: 'configuration-invalid' }],
		[404, { cause: 'configuration-invalid' }],
		[409, { cause: 'temporarily-unavailable' }],
		[410, { cause: 'configuration-invalid' }],
		[422, { cause: 'configuration-invalid' }],
		[500, { cause: 'temporarily-unavailable' }],
	])('is declared for n8n: status %i', async (status, failure) => {
		expect(readFailure(await fail(refuse(status)))).toEqual(failure);
	});

	it('is declared with the wait that the service asks for', async () => {
		const busy = await fail(refuse(503, { 'Retry-After': '30' }));
		expect(readFailure(busy)).toEqual({ cause: 'temporarily-unavailable', retryAfterMs: 30_000 });
		const limited = readFailure(await fail(refuse(429, { 'Retry-After': '60' })));
		expect(limited?.cause).toBe('rate-limited');
		const until = limited && 'resetsAtEpochMs' in limited ? (limited.resetsAtEpochMs ?? 0) : 0;
		const wait = until - Date.now();
		expect(Math.abs(wait - 60_000)).toBeLessThan(10_000);
	});

	it('is declared without an answer, and for a value and an address that cannot be used', async () => {
		const closed = {
			...place.service.credential,
			baseUrl: `http://127.0.0.1:${await findClosedPort()}`,
		};
		const { error } = await runDossier({ parameters: get('dos_1'), credential: closed });
		expect(readFailure(error)).toEqual({ cause: 'temporarily-unavailable' });
		const page: Handler = (_, response) => response.end('<h1>Welcome</h1>');
		for (const failed of [await fail(page), (await place.run(get('..'))).error])
			expect(readFailure(failed)).toEqual({ cause: 'configuration-invalid' });
	});
});

describe('An expression that fails', () => {
	it.each([
		['$("Nowhere").item.json.title', "'Title'"],
		['$json.title.', "'Title'"],
		['$node["Nowhere"].json.a', "'Title'"],
	])('is told by its field: %s', async (expression, field) => {
		const parameters = { resource: 'dossier', operation: 'create', title: `={{ ${expression} }}` };
		const { items } = await place.run(parameters, { onError: 'continueRegularOutput' });
		expect(items[0]?.json.error).toMatchObject({
			code: 'INVALID_INPUT',
			message: expect.stringContaining(`The expression in ${field} cannot be computed: `),
			hint: expect.stringContaining('Open the field'),
		});
	});
});

describe('A refusal', () => {
	it('has the ID of its request, whatever it is called', async () => {
		for (const name of ['request_id', 'trace_id', 'traceId']) {
			const error = await fail(refuse(422, {}, { [name]: 'tr-4711' }));
			expect(error?.description).toContain('(Request ID: tr-4711)');
		}
	});

	it('of a list names no record', async () => {
		const list = async (code: string) => {
			const error = { code, message: 'No such thing' };
			return await fail(answering(404, JSON.stringify({ error })), listDossiers());
		};
		const unknown = await list('NO_SUCH_THING');
		expect(unknown?.message).toBe('No such thing');
		expect(unknown?.description).toMatch(/^The service may not have this list.*'Check Contract'/);
		expect((await list('DOSSIER_NOT_FOUND'))?.description).toMatch(/^It may have been deleted/);
	});

	it('of the key names the organization, too; one with 410 suggests no other way to name the record', async () => {
		expect((await fail(refuse(401)))?.description).toContain("'Organization ID'");
		expect((await fail(refuse(404)))?.description).toContain("'By Ref.'");
		expect((await fail(refuse(410)))?.description).not.toContain("'By Ref.'");
	});
});

it('A request that the SSRF protection of n8n blocks leads to the administrator and the allowlist', async () => {
	const { credential } = await fake({ 'GET /v1/dossiers': { data: [] } });
	const settings = Reflect.get(Container.get(OutboundHttp), 'ssrfConfig') as { enabled: boolean };
	settings.enabled = true;
	try {
		const { error } = await runDossier({ parameters: listDossiers(), credential });
		expect(error?.message).toMatch(/^n8n does not allow calls to 127\.0\.0\.1:\d+/);
		expect(error?.description).toMatch(/administrator .* N8N_SSRF_ALLOWED_HOSTNAMES/);
		expect(readFailure(error)).toEqual({ cause: 'configuration-invalid' });
		const context = new CredentialTestContext(makeAdditionalData(credential));
		const tested = { id: '1', name: 'Test', type: 'dossierApi', data: credential };
		const { status, message } = await testDossierApi.call(context, tested);
		expect(status).toBe('Error');
		expect(message).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	} finally {
		settings.enabled = false;
	}
});

it('A binary field whose name has a comma is uploaded', async () => {
	const items = [{ json: {}, files: { 'scan, page 1': file('a.txt'), other: file('b.txt') } }];
	for (const [binaryPropertyName, names] of [
		['scan, page 1', ['a.txt']],
		['["scan, page 1", "other"]', ['a.txt', 'b.txt']],
	] as const) {
		const parameters = uploadTo(place.dossier, { binaryPropertyName });
		const { items: given, error } = await place.run(parameters, { items });
		expect(error).toBeUndefined();
		expect(given.map(({ json }) => json.file_name)).toEqual(names);
	}
	const { error } = await place.run(uploadTo(place.dossier), { items: [carry('c.txt')] });
	expect(error).toBeUndefined();
});

it('A filter that a model does not mean is left out, and filters that found nothing are named', async () => {
	const { credential } = place.service;
	const list = async (given: Record<string, unknown>) =>
		await callTool(credential, { resource: 'dossier', operation: 'getAll' }, given);
	const all = await list({});
	for (const word of ['null', 'N/A', 'none', ' None '])
		expect(await list({ Search: word, Status: word, Reference: word, Assignee: word })).toEqual(
			all,
		);
	expect(await list({ Search: 'nobody has this', Status: 'Closed' })).toEqual([
		{ notice: 'Nothing was found with Search "nobody has this" and Status "Closed".' },
	]);
});
