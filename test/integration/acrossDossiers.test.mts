/** Document: Get Many in all dossiers. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson } from './fakeService.mts';
import { usePlainService } from './plainService.mts';
import { carry, runOn, uploadTo } from './requests.mts';
import { PROFILES, useService } from './service.mts';

const find = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'document',
	operation: 'getAll',
	searchIn: 'all',
	returnAll: true,
	output: 'raw',
	...more,
});

describe.each(PROFILES)('Documents of all dossiers, under the profile %s', (profile) => {
	const service = useService({ profile });
	const made: Record<string, string> = {};

	beforeAll(async () => {
		for (const [reference, type, ...names] of [
			['A-1', 'tax', 'lease.pdf', 'invoice.pdf'],
			['A-2', 'tax', 'invoice.pdf'],
			['A-3', 'lease', 'invoice.pdf'],
			['A-4', 'tax'],
		]) {
			const { id } = await service.create('/dossiers', { title: 'One', reference, type });
			made[reference ?? ''] = id as string;
			for (const name of names) {
				const category = name === 'lease.pdf' ? 'contract' : 'invoice';
				const items = [carry(name, `${reference} ${name}`)];
				const { error } = await runOn(service, uploadTo(id as string, { category }), { items });
				expect(error).toBeUndefined();
			}
		}
	});

	const tell = async (more: INodeParameters) => {
		const { items, error } = await runOn(service, find(more));
		expect(error).toBeUndefined();
		return items.map(({ json }) => [json.dossier_id, json.file_name]).sort();
	};

	it('are found by their own fields and by those of their dossiers', async () => {
		const invoices = ['A-1', 'A-2', 'A-3'].map((one) => [made[one], 'invoice.pdf']).sort();
		expect(await tell({ filters: { fileName: 'invoice.pdf' } })).toEqual(invoices);
		expect(await tell({ filters: { category: 'contract' } })).toEqual([[made['A-1'], 'lease.pdf']]);
		expect(await tell({ filters: { createdAfter: '2999-01-01' } })).toEqual([]);
		const type = { __rl: true, mode: 'id', value: 'lease' };
		expect(await tell({ dossierFilters: { type } })).toEqual([[made['A-3'], 'invoice.pdf']]);
		const reference = { dossierFilters: { reference: 'A-1' }, filters: { category: 'invoice' } };
		expect(await tell(reference)).toEqual([[made['A-1'], 'invoice.pdf']]);
	});

	it('are no more than the limit', async () => {
		const { items, hints } = await runOn(service, find({ returnAll: false, limit: 3 }));
		expect(items).toHaveLength(3);
		expect(hints.join(' ')).toContain("There are more records than 'Limit' allows");
	});
});

describe('Documents of all dossiers', () => {
	const { service, run } = usePlainService();
	let isGone = false;

	beforeEach(() => {
		isGone = false;
		for (const at of [1, 2, 3, 4]) {
			const id = `dos_${at}`;
			service.dossiers.set(id, { id, title: id, document_count: at === 4 ? 0 : 1 });
		}
		// It ignores every filter, and says that its lists end.
		service.handlers['GET /v1/dossiers/{id}/documents'] = (_, response, { id }) => {
			if (isGone && id === 'dos_2') {
				return answerJson(response, 404, { error: { code: 'NOT_FOUND', status: 404 } });
			}
			const data = [{ id: `doc of ${id}`, file_name: 'a.txt' }];
			return answerJson(response, 200, { data, pagination: { page: 1, has_more: false } });
		};
	});

	const lists = () => service.requests.filter((one) => one.endsWith('/documents'));

	it('take one request for each dossier that has some, and the hint says how many', async () => {
		const { items, hints } = await run(find());
		expect(items.map(({ json }) => json.dossier_id)).toEqual(['dos_1', 'dos_2', 'dos_3']);
		expect(lists()).toHaveLength(3);
		expect(hints).toEqual([expect.stringMatching(/^Dossiers read: 3, with one request or more/)]);
	});

	it('take one more request, and not one for each dossier, if the service ignores a filter', async () => {
		const { items } = await run(find({ filters: { fileName: 'none.txt' } }));
		expect(items).toEqual([]);
		expect(lists()).toHaveLength(4);
	});

	it('are those of the other dossiers if one is deleted meanwhile', async () => {
		isGone = true;
		const { items, error } = await run(find());
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.id)).toEqual(['doc of dos_1', 'doc of dos_3']);
	});
});
