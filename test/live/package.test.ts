/** The package as users get it, in a real n8n: whole, under its own names, with icons and previews. */
import axios from 'axios';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';
import { OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { listOperations } from './workflows.ts';

let live: Live;
beforeAll(async () => {
	live = await openLive();
}, OPENING_MS);
afterAll(() => live.close());

const ask = async <T>(path: string) =>
	(await live.session.get<T>(path, { baseURL: live.host.url })).data;

describe('The packed package', () => {
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
