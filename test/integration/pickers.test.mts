import { LoadOptionsContext } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import {
	getDossiers,
	searchDocuments,
	searchDossiers,
} from '../../nodes/Dossier/execution/pickers';
import { searchDossierTypes, searchUsers } from '../../nodes/Dossier/execution/namePickers';
import { makeAdditionalData } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { speaking } from './requests.mts';
import { answerJson, useFakes } from './fakeService.mts';
import { byId, useService } from './service.mts';
import { makeNode, toNodeTypes } from './stepTypes.mts';

const service = useService();
/** A service that leaves out whatever it may. */
const { service: plain } = usePlainService();
const fake = useFakes();

function listContext(
	chosen: INodeParameters = {},
	apiKey = service.organization.testKey,
	credential = service.credential,
) {
	const parameters = { resource: 'dossier', operation: 'get', ...chosen };
	const credentials = { dossierApi: { id: '1', name: 'Test' } };
	const node = makeNode('Dossier', 'dossier', { parameters, credentials });
	const nodeTypes = toNodeTypes({ dossier: new Dossier() });
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const data = makeAdditionalData({ ...credential, apiKey });
	return new LoadOptionsContext(
		workflow,
		node,
		{ ...data, currentNodeParameters: parameters },
		'parameters',
	);
}

it('The dossier picker lists dossiers page by page, the latest first, and searches them', async () => {
	for (let n = 0; n < 60; n++) {
		await service.client.post('/dossiers', { title: `Listed ${n}`, reference: `R-${n}` });
	}
	await service.sandbox.clock.move(1000);
	await service.client.post('/dossiers', { title: 'Latest' });
	const first = await searchDossiers.call(listContext());
	expect(first.results).toHaveLength(50);
	expect(first.results[0]?.name).toBe('Latest');
	const second = await searchDossiers.call(listContext(), undefined, String(first.paginationToken));
	expect(second.results).toHaveLength(11);
	expect(second.paginationToken).toBeUndefined();
	const values = [...first.results, ...second.results].map(({ value }) => value);
	expect(new Set(values).size).toBe(61);
	const found = await searchDossiers.call(listContext(), 'Listed 17');
	expect(found.results.map(({ name }) => name)).toEqual(['R-17 – Listed 17']);
});

it('The document picker lists the documents of the chosen dossier, also by its reference, and asks for one if none is chosen', async () => {
	const { data: dossier } = await service.client.post<{ id: string }>('/dossiers', {
		title: 'D',
		reference: 'R-D',
	});
	await service.addDocument(dossier.id, { file_name: 'lease.pdf', category: 'contract' });
	const context = listContext({ dossierOfList: byId(dossier.id) });
	const { results } = await searchDocuments.call(context);
	expect(results.map(({ name }) => name)).toEqual(['lease.pdf – contract']);
	const named = { dossierOfList: { __rl: true, mode: 'reference', value: 'R-D' } };
	expect((await searchDocuments.call(listContext(named))).results).toEqual(results);
	await expect(searchDocuments.call(listContext())).rejects.toMatchObject({
		message: "Choose a dossier in the field 'Dossier' first",
	});
});

it('Assignees and types of dossiers come from what records name', async () => {
	const lists: Record<string, object[]> = {
		dossiers: [
			{ id: 'd1', type: 'tax_return', assignee_id: 'usr_1' },
			{ id: 'd2', type: 'lease', assignee_id: null },
		],
		tasks: [{ id: 't1', assignee_id: 'usr_2' }],
		documents: [{ id: 'f1', uploaded_by: 'usr_3' }],
		users: [{ id: 'usr_3', first_name: 'Grace', last_name: 'Client', email: 'grace@example.com' }],
		'audit-log': [
			{ id: 'a1', actor: { type: 'user', id: 'usr_1', name: 'Mara Lindt' } },
			{ id: 'a2', actor: { type: 'api_key', id: 'key_1', name: 'Import' } },
		],
	};
	const { credential } = await fake(({ url = '' }, response) => {
		const data = lists[url.split(/[/?]/).at(-2) ?? ''] ?? [];
		response.end(JSON.stringify({ data, pagination: { total: data?.length, total_pages: 1 } }));
	});
	const context = () => listContext({}, undefined, credential);
	const mara = { name: 'Mara Lindt – usr_1', value: 'usr_1' };
	const users = await searchUsers.call(context());
	const grace = { name: 'Grace Client – grace@example.com – usr_3', value: 'usr_3' };
	expect(users.results).toEqual([grace, mara, { name: 'usr_2', value: 'usr_2' }]);
	expect((await searchUsers.call(context(), 'grace')).results).toEqual([grace]);
	expect((await searchUsers.call(context(), 'lindt')).results).toEqual([mara]);
	const types = await searchDossierTypes.call(context());
	expect(types.results.map(({ value }) => value)).toEqual(['lease', 'tax_return']);
});

it('A picker shows what matches, also if the service ignores the words', async () => {
	plain.habits.ignoresFilters = true;
	for (const title of ['Rent', 'Sale', 'Tax return'])
		plain.dossiers.set(title, { id: title, title });
	const context = listContext({}, undefined, plain.credential);
	const { results } = await searchDossiers.call(context, 'return tax');
	expect(results.map(({ name }) => name)).toEqual(['Tax return']);
});

it('A picker searches further pages of a service that ignores the words, until one holds a match', async () => {
	const pages: unknown[] = [];
	const { credential } = await fake((_, response, { query }) => {
		const page = query.get('page');
		pages.push(page);
		const data = [{ id: `d${page}`, title: `Title ${page}` }];
		response.end(JSON.stringify({ data, pagination: { total: 30, total_pages: 30 } }));
	});
	const list = async (typed: string) =>
		await searchDossiers.call(listContext({}, 'sk_test_x', credential), typed);
	expect(await list('title 3')).toMatchObject({
		results: [{ value: 'd3' }],
		paginationToken: expect.stringContaining('"page":4'),
	});
	expect(pages).toEqual(['1', '2', '3']);
	expect(await list('nothing')).toMatchObject({
		results: [{ value: 'd1' }],
		paginationToken: expect.stringContaining('"page":2'),
	});
	expect(pages).toHaveLength(13);
});

it('A picker reports what is wrong with the credential', async () => {
	const failing = searchDossiers.call(listContext({}, 'sk_test_wrong'));
	await expect(failing).rejects.toMatchObject({
		description: expect.stringContaining('Check the API key'),
	});
});

it('The choice of several dossiers says where its list ends', async () => {
	for (let n = 0; n < 501; n++) plain.dossiers.set(`d${n}`, { id: `d${n}`, title: `Dossier ${n}` });
	const list = async () => await getDossiers.call(listContext({}, undefined, plain.credential));
	const choices = await list();
	expect(choices).toHaveLength(500);
	expect(choices.at(-1)?.description).toContain('There are more dossiers than this list shows');
	plain.dossiers.delete('d500');
	expect((await list()).filter(({ description }) => description)).toEqual([]);
});

it('The dossier picker asks for no larger page than the dialect allows', async () => {
	const sizes: unknown[] = [];
	const { credential } = await fake((_, response, { query }) => {
		sizes.push(query.get('per_page'));
		response.end(JSON.stringify({ data: [{ id: 'd1', title: 'One' }] }));
	});
	const own = { ...credential, ...speaking({ list: { largestSize: 20 } }) };
	const { results } = await searchDossiers.call(listContext({}, 'sk_test_x', own));
	expect(results).toEqual([{ name: 'One', value: 'd1' }]);
	expect(sizes).toEqual(['20']);
});

it('A searchable list shows what matches one letter if the service refuses to search for so little', async () => {
	const { credential } = await fake((request, response) => {
		const words = new URL(request.url ?? '', 'http://service').searchParams.get('q');
		if (words !== null && words.length < 3) {
			return answerJson(response, 400, {
				error: { code: 'TOO_SHORT', message: 'No', status: 400 },
			});
		}
		const data = ['Xaver', 'Yvonne'].map((title) => ({ id: title, title }));
		answerJson(response, 200, { data, has_more: false });
	});
	const context = listContext({}, 'sk_test_picker', credential);
	const { results } = await searchDossiers.call(context, 'x');
	expect(results.map(({ value }) => value)).toEqual(['Xaver']);
});
