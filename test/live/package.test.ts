/** The package as users get it, in a real n8n: whole, under its own names, with previews and tests of credentials. */
import axios from 'axios';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { list } from 'tar';
import { createCredential } from '../../scripts/host/rest.ts';
import { OPENING_MS, openLive, root } from './live.ts';
import type { Live } from './live.ts';
import { listOperations } from './workflows.ts';

let live: Live;
beforeAll(async () => {
	live = await openLive();
}, OPENING_MS);
afterAll(() => live.close());

const ask = async <T>(path: string) =>
	(await live.session.get<T>(path, { baseURL: live.host.url })).data;

/** The files below a folder of the checkout, with the names that they have from its root. */
async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

describe('The packed package', () => {
	it('holds everything that was built, and besides only what npm adds', async () => {
		const packed: string[] = [];
		await list({
			file: live.host.tarball,
			onReadEntry: ({ path }) => packed.push(path.replace('package/', '')),
		});
		const built = await filesBelow('dist');
		expect(packed.sort()).toEqual([...built, 'LICENSE', 'README.md', 'package.json'].sort());
	});

	it('is loaded under its own names, with icons for light and dark', async () => {
		const nodes = (await ask<INodeTypeDescription[]>('/types/nodes.json')).filter(({ name }) =>
			name.startsWith('n8n-nodes-dossier.'),
		);
		expect(nodes.map(({ name }) => name).sort()).toEqual([
			'n8n-nodes-dossier.dossier',
			'n8n-nodes-dossier.dossierPollTrigger',
			'n8n-nodes-dossier.dossierTool',
			'n8n-nodes-dossier.dossierTrigger',
		]);
		const credentials = (await ask<ICredentialType[]>('/types/credentials.json')).filter(
			({ name }) => name.startsWith('dossier'),
		);
		expect(credentials.map(({ name }) => name).sort()).toEqual([
			'dossierApi',
			'dossierWorkspaceApi',
		]);
		for (const { iconUrl } of [...nodes, ...credentials]) {
			expect(iconUrl).toEqual({ light: expect.any(String), dark: expect.any(String) });
			for (const url of Object.values(iconUrl ?? {})) {
				const { status, headers } = await axios.get(`${live.host.url}/${url}`, { proxy: false });
				expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('svg')]);
			}
		}
	});

	it('shows what each operation gives out before it has run', async () => {
		const nodes = await ask<INodeTypeDescription[]>('/types/nodes.json');
		const dossier = nodes.find(({ name }) => name === 'n8n-nodes-dossier.dossier');
		const paths = dossier ? listOperations(dossier) : [];
		expect(paths.length).toBeGreaterThan(25);
		const previews = [
			...paths.map((path) => `/schemas/n8n-nodes-dossier.dossier/1/${path}.json`),
			'/schemas/n8n-nodes-dossier.dossierTrigger/1.1.json',
			'/schemas/n8n-nodes-dossier.dossierPollTrigger/1.json',
		];
		for (const path of previews) {
			expect([path, await ask(path)]).toEqual([
				path,
				expect.objectContaining({ type: 'object', properties: expect.any(Object) }),
			]);
		}
	});
});

interface Outcome {
	status: string;
	message: string;
}

/** Tests what is entered into the form of a credential, which may have been stored with something else before. */
async function test(
	type: string,
	data: ICredentialDataDecryptedObject,
	stored = data,
): Promise<Outcome> {
	const name = `${type} ${JSON.stringify(data)}`.slice(0, 100);
	const id = await createCredential(live.session, { name, type, data: stored });
	const { data: answer } = await live.session.post<{ data: Outcome }>('/credentials/test', {
		credentials: { id, name, type, data },
	});
	return answer.data;
}

describe('The test of the credential Dossier API', () => {
	const tested = async (changes: ICredentialDataDecryptedObject = {}) =>
		await test('dossierApi', { ...live.right, ...changes });

	it('passes with the right key', async () => {
		expect(await tested()).toEqual({
			status: 'OK',
			message: 'The service accepted the key and the organization.',
		});
	});

	const wrong: Array<[what: string, changes: ICredentialDataDecryptedObject, sentence: string]> = [
		['a wrong key', { apiKey: 'sk_test_wrong' }, 'Check the API key in the credential'],
		['a wrong organization', { organizationId: 'org_x' }, "Check 'Organization ID' in the"],
		['a live key for the sandbox', { apiKey: 'sk_live_1' }, 'A live key was about to be sent'],
		['an address without a server', { sandboxUrl: 'http://127.0.0.1:9' }, 'Nothing answers at'],
		[
			'no web address',
			{ sandboxUrl: 'here' },
			"The field 'Sandbox URL' in the credential is not a web",
		],
	];

	it.each(wrong)('fails with %s, and says what to do', async (_, changes, sentence) => {
		expect(await tested(changes)).toEqual({
			status: 'Error',
			message: expect.stringContaining(sentence),
		});
	});

	it('fails if another server than the service answers', async () => {
		expect(await tested({ sandboxUrl: `${live.host.url}/v1` })).toEqual({
			status: 'Error',
			message: expect.stringContaining('returned something that is not this API'),
		});
	});
});

describe('The test of the credential Dossier Workspace API', () => {
	const customer = () => ({
		role: 'customer',
		baseUrl: live.sandbox.url,
		token: live.organization.customerToken,
		tenantId: live.organization.tenantId,
		businessUnitId: live.organization.businessUnitId,
	});
	const operator = () => ({
		role: 'operator',
		baseUrl: `${live.sandbox.url}/v1/`,
		token: live.sandbox.operatorToken,
	});

	it('passes for a customer and for an operator', async () => {
		expect(await test('dossierWorkspaceApi', customer())).toMatchObject({ status: 'OK' });
		expect(await test('dossierWorkspaceApi', operator())).toMatchObject({ status: 'OK' });
	});

	const wrong: Array<[what: string, sentence: string, data: () => ICredentialDataDecryptedObject]> =
		[
			[
				'an API key',
				'An API key (sk_…) belongs in the credential Dossier API',
				() => ({ ...customer(), token: live.organization.testKey }),
			],
			[
				'the token of the other kind',
				"Check 'Signed in As'",
				() => ({ ...operator(), token: live.organization.customerToken }),
			],
			[
				'another tenant',
				"Check 'Signed in As', 'Tenant ID'",
				() => ({ ...customer(), tenantId: 'ten_x' }),
			],
			[
				'no tenant',
				"'Tenant ID' and 'Business Unit ID' in the credential",
				() => ({ ...customer(), tenantId: '' }),
			],
			[
				'another address',
				'Check the address in the credential',
				() => ({ ...customer(), baseUrl: `${live.sandbox.url}/other/v1` }),
			],
		];

	it.each(wrong)('fails with %s, and says what to do', async (_, sentence, data) => {
		// n8n stores none without a tenant, but tests it
		expect(await test('dossierWorkspaceApi', data(), customer())).toEqual({
			status: 'Error',
			message: expect.stringContaining(sentence),
		});
	});
});
