import { CredentialTestContext } from 'n8n-core';
import { NodeHelpers } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import type { DossierCredential } from '../../nodes/Dossier/api/credential';
import { planWindows } from '../../nodes/Dossier/api/pace/limits';
import {
	testDossierApi,
	testDossierWorkspaceApi,
} from '../../nodes/Dossier/execution/credentialTest';
import { makeAdditionalData } from './n8n.mts';
import { answering, useFakes } from './fakeService.mts';
import { useService } from './service.mts';

const fake = useFakes();
const service = useService();

async function test(changes: ICredentialDataDecryptedObject) {
	const data = { ...service.credential, ...changes };
	const context = new CredentialTestContext(makeAdditionalData(data));
	return await testDossierApi.call(context, { id: '1', name: 'Test', type: 'dossierApi', data });
}

it('the test of Dossier API passes with the right key, organization and address', async () => {
	expect(await test({})).toEqual({
		status: 'OK',
		message: expect.stringMatching(/^The service accepted the key and the organization\./),
	});
});

it("the sandbox's page shows the fields of Dossier API that its environment requires", async () => {
	const page = await (await fetch(`${service.url}/_sandbox/`)).text();
	const box = /id="n8n"([^]*?)<\/section>/.exec(page)?.[1] ?? '';
	const shown = [...box.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, name]) => name);
	const required = new DossierApi().properties.filter(({ displayOptions, required, name }) => {
		const { environment = ['sandbox'], moreSettings } = displayOptions?.show ?? {};
		const isShown = environment.includes('sandbox') && !moreSettings;
		return isShown && (required === true || name === 'environment');
	});
	expect(shown).toEqual(required.map(({ displayName }) => displayName));
});

it.each([true, false])(
	"the settings under 'More Settings' count if it is on: %s",
	(moreSettings) => {
		const entered = {
			rateLimit: 'enterprise',
			webhookSecret: 'whsec_1',
			contractOverrides: true,
			dialect: '{"list": {"sort": null}}',
		};
		// As n8n reads a credential: CredentialsHelper.applyDefaultsAndOverwrites.
		const { properties } = new DossierApi();
		const values = { ...service.credential, ...entered, moreSettings };
		const read = NodeHelpers.getNodeParameters(properties, values, true, false, null, null) ?? {};
		const known = Object.keys(entered).filter((name) => name in read);
		expect(known).toEqual(moreSettings ? Object.keys(entered) : []);
		const { rateLimit } = read as Pick<DossierCredential, 'rateLimit'>;
		expect(planWindows({ rateLimit }).map(({ limit }) => limit)).toEqual(
			moreSettings ? [500, 10_000] : [100, 1_000],
		);
	},
);

it('the test of Dossier API takes a key that was copied with spaces around it', async () => {
	const { id, testKey: key } = service.organization;
	const passed = await test({ apiKey: ` ${key}\n`, organizationId: ` ${id} ` });
	expect(passed.status).toBe('OK');
});

it.each<[string, Record<string, string>, string]>([
	['a wrong key, without showing it', { apiKey: 'sk_test_secret_but_wrong' }, 'Check the API key'],
	...[' ', '\n', '\u200B', '–'].map((sign): [string, Record<string, string>, string] => [
		`a key with ${JSON.stringify(sign)} inside`,
		{ apiKey: `sk_test_secret${sign}_but_wrong` },
		"'API Key' in the credential has a space, a line break or another sign that no key has",
	]),
	['a wrong organization', { organizationId: 'org_other' }, "Check 'Organization ID'"],
	[
		'an address that does not answer',
		{ baseUrl: 'http://127.0.0.1:1/v1' },
		'Nothing answers at 127.0.0.1:1',
	],
])('the test of Dossier API reports %s', async (_, changes, sentence) => {
	const { status, message } = await test(changes);
	expect(status).toBe('Error');
	expect(message).toContain(sentence);
	expect(message).not.toContain('secret_but_wrong');
});

it('the test of Dossier API says each thing once, in the words of the form', async () => {
	const other = await test({ organizationId: 'org_other' });
	expect(other.message).toBe(
		"The API key belongs to another organization. Check 'Organization ID' in the credential.",
	);
	const missing = await test({ organizationId: '' });
	expect(missing.message).not.toContain('X-Organization-ID');
	expect((await test({ apiKey: 'password123' })).message).toContain(
		'it begins with sk_live_ or sk_test_',
	);
});

it.each([
	[200, '<html>Welcome</html>'],
	[404, '<html>Not found</html>'],
	[404, '{"error": {"code": "ROUTE_NOT_FOUND", "message": "No such route", "status": 404}}'],
	[401, '{"message": "Log in first"}'],
])(
	'the test of Dossier API reports an address that is not the service: %i %s',
	async (status, body) => {
		const { url: baseUrl } = await fake(answering(status, body));
		const result = await test({ baseUrl });
		expect(result.status).toBe('Error');
		expect(result.message).toContain('something that is not this API');
	},
);

it('the test of Dossier API reports a proxy that wants to know who asks', async () => {
	const { url: baseUrl } = await fake(answering(407, '<h1>Proxy Authentication Required</h1>'));
	const { message } = await test({ baseUrl });
	expect(message).toContain('HTTP_PROXY and HTTPS_PROXY of n8n');
});

it.each<[number, Record<string, string>, string, RegExp]>([
	[
		301,
		{ location: 'https://api.example.com/v1/dossiers?key=1' },
		'',
		/\(https:\/\/api\.example\.com\/v1\/dossiers\).*enter its new address/,
	],
	[502, {}, '<html>Bad Gateway</html>', /status 502.*problem of the service/],
])(
	'the test of Dossier API tells what a proxy answers: %i',
	async (status, headers, body, sentence) => {
		const { url: baseUrl } = await fake(answering(status, body, headers));
		const result = await test({ baseUrl });
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(sentence);
	},
);

it('the test of Dossier API does not send a live key to the sandbox', async () => {
	const { url, requests } = await fake(answering(200, '{}'));
	const sandboxUrl = `${url}/v1`;
	const result = await test({ environment: 'sandbox', sandboxUrl, apiKey: 'sk_live_x' });
	expect(result.message).toContain('A live key was about to be sent to the sandbox');
	expect(requests).toEqual([]);
});

describe('The test of Dossier Workspace API', () => {
	async function testToken(changes: Record<string, unknown>) {
		const data = { ...service.customer, ...changes } as ICredentialDataDecryptedObject;
		const context = new CredentialTestContext(makeAdditionalData(data));
		const credential = { id: '1', name: 'Test', type: 'dossierWorkspaceApi', data };
		return await testDossierWorkspaceApi.call(context, credential);
	}

	it('passes for a customer and for an operator', async () => {
		expect(await testToken({})).toMatchObject({ status: 'OK' });
		expect(await testToken(service.operator)).toMatchObject({ status: 'OK' });
	});

	it.each([
		[
			'an API key',
			{ token: 'sk_test_x' },
			'An API key (sk_…) belongs in the credential Dossier API',
		],
		['a wrong token', { token: 'wrong' }, 'token'],
		['the token of the other role', { role: 'operator' }, "Check 'Signed In As'"],
		['another tenant', { tenantId: 'ten_x' }, "Check 'Signed In As', 'Tenant ID'"],
		['no tenant', { tenantId: '' }, "'Tenant ID' and 'Business Unit ID' in the credential"],
	])('fails with %s, and says what to do', async (_, changes, sentence) => {
		expect(await testToken(changes)).toEqual({
			status: 'Error',
			message: expect.stringContaining(sentence),
		});
	});

	it('reports an address that is not the service', async () => {
		const { url: baseUrl } = await fake(answering(200, '<html>Welcome</html>'));
		const { message } = await testToken({ baseUrl });
		expect(message).toContain('something that is not this API');
	});
});
