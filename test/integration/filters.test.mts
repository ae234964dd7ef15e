/** Filters of lists: by category, with expressions that have no value, and at services that ignore them. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, useFake } from './fakeService.mts';
import { usePlainService } from './plainService.mts';
import { useDossier } from './requests.mts';
import { byId } from './service.mts';
import { callTool } from './tools.mts';

describe('The filter Category', () => {
	const place = useDossier();

	beforeAll(async () => {
		for (const category of ['identity_document', 'invoice', 'passport']) {
			await place.service.addDocument(place.dossier, { category });
		}
	});

	async function list(filters: INodeParameters) {
		const { items, error } = await place.run({
			resource: 'document',
			operation: 'getAll',
			dossierId: byId(place.dossier),
			returnAll: true,
			filters,
		});
		return { found: items.map(({ json }) => json.category), error };
	}

	it.each<[string, INodeParameters, string]>([
		['from the list', { category: 'invoice' }, 'invoice'],
		['of the user', { category: 'OWN', ownCategory: 'passport' }, 'passport'],
		...['Identity Document', 'identity-document', 'IDENTITY_DOCUMENT', ' "identity document" '].map(
			(word): [string, INodeParameters, string] => [
				`as ${word}`,
				{ category: `={{ ${JSON.stringify(word)} }}` },
				'identity_document',
			],
		),
		['that an expression gives', { category: '={{ "passport" }}' }, 'passport'],
	])('finds documents of a category %s', async (_, filters, category) => {
		expect(await list(filters)).toEqual({ found: [category], error: undefined });
	});

	it('is sorted by words in any spelling', async () => {
		const rule = { field: '={{ "File Name" }}', direction: '={{ "Descending" }}' };
		const { items, error } = await place.run({
			resource: 'document',
			operation: 'getAll',
			dossierId: byId(place.dossier),
			returnAll: true,
			sort: { rule },
		});
		expect(error).toBeUndefined();
		const names = items.map(({ json }) => json.file_name);
		expect(names).toEqual([...names].sort().reverse());
		const { error: refused } = await place.run({
			resource: 'dossier',
			operation: 'getAll',
			sort: { rule: { field: 'title', direction: '={{ "sideways" }}' } },
		});
		expect(refused?.message).toBe(`The field 'Direction' has no choice "sideways"`);
	});

	it('asks for the name of an own category', async () => {
		const { found, error } = await list({ category: 'OWN', ownCategory: '={{ undefined }}' });
		expect(found).toEqual([]);
		expect(error?.message).toBe("The field 'Category Name' is empty");
	});

	it.each(['Identity Document', 'passport'])('takes a word of a model: %s', async (Category) => {
		const parameters = { resource: 'document', operation: 'getAll' };
		const given = { Dossier: place.dossier, Limit: 10, Category };
		const found = await callTool(place.service.credential, parameters, given);
		expect(found.map(({ category }) => category)).toEqual([
			Category.toLowerCase().replace(' ', '_'),
		]);
	});

	it('tells a model the choices if no document has its word', async () => {
		const parameters = { resource: 'document', operation: 'getAll' };
		const given = { Dossier: place.dossier, Limit: 10, Category: 'letters' };
		await expect(callTool(place.service.credential, parameters, given)).rejects.toThrow(
			/'Category' has no choice "letters"\. Give one of: (?!.*OWN).*correspondence/,
		);
		const found = await callTool(place.service.credential, parameters, {
			...given,
			Category: 'tax',
		});
		expect(found).toEqual([{ notice: 'Nothing was found with Category "tax".' }]);
	});
});

describe('At a service that leaves out whatever it may', () => {
	const { service, run } = usePlainService();

	beforeEach(() => {
		service.dossiers.set('dos_1', { id: 'dos_1', title: 'Old', status: 'open' });
	});

	const listAll = (filters: INodeParameters, extra: INodeParameters = {}): INodeParameters => ({
		resource: 'dossier',
		operation: 'getAll',
		returnAll: true,
		output: 'raw',
		filters,
		...extra,
	});

	describe('A filter whose expression has no value', () => {
		it.each<[string, string, INodeParameters]>([
			['dossier', "'Status'", { status: '={{ $json.missing }}' }],
			['task', "'Dossier'", { dossierId: byId('={{ $json.missing }}') }],
		])('fails instead of returning every %s', async (resource, label, filters) => {
			const parameters = { resource, operation: 'getAll', returnAll: true, filters };
			const { items, error } = await run(parameters);
			expect(error?.message).toBe(`The field ${label} is empty`);
			expect(items).toEqual([]);
			expect(service.requests).toEqual([]);
		});

		it('does not filter if it gives empty text', async () => {
			const filters = { status: 'OWN', ownStatus: '={{ "" }}', search: ' ', createdAfter: '' };
			const { items, hints } = await run(listAll(filters));
			expect(items).toHaveLength(1);
			expect(hints).toEqual([
				expect.stringMatching(
					/^Filters left empty: (?=.*'Status Name')(?=.*'Search')(?=.*'Created After')/,
				),
			]);
		});
	});

	describe('A filter that the service ignores', () => {
		const closed = (extra?: INodeParameters) => listAll({ status: 'closed' }, extra);

		beforeEach(() => {
			service.habits.ignoresFilters = true;
			service.dossiers.set('dos_2', { id: 'dos_2', title: 'Done', status: 'closed' });
		});

		it.each([{}, { returnAll: false, limit: 1 }])('still holds records back: %j', async (extra) => {
			const { items } = await run(closed(extra));
			expect(items.map(({ json }) => json.id)).toEqual(['dos_2']);
		});

		it('fails with a sentence if the list does not show what it compares', async () => {
			service.habits.listFields = ['title'];
			const { error } = await run(closed());
			expect(error?.message).toBe(
				"The filter 'Status' needs the field status, which the list of the service does not show",
			);
		});

		it('takes a record without the field for one without a value, if the list shows it of others', async () => {
			service.dossiers.set('dos_3', { id: 'dos_3', title: 'Mine', assignee_id: 'usr_1' });
			const { items, error } = await run(listAll({ assigneeId: byId('usr_1') }));
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.id)).toEqual(['dos_3']);
		});

		it('fails with the same sentence if it is a filter on a time that the list does not show', async () => {
			const { error } = await run(listAll({ createdAfter: '2026-01-01T00:00:00Z' }));
			expect(error?.message).toBe(
				"The filter 'Created After' needs the field created_at, which the list of the service does not show",
			);
		});

		it('keeps records that the service spells differently', async () => {
			service.habits.ignoresFilters = false;
			service.dossiers.set('dos_3', { id: 'dos_3', title: 'Done', status: 'CLOSED' });
			const { items } = await run(closed());
			expect(items.map(({ json }) => json.id)).toEqual(['dos_2', 'dos_3']);
		});

		it('is trusted if the service applies it and the list lacks the field', async () => {
			service.habits.listFields = ['title'];
			service.habits.ignoresFilters = false;
			const { items } = await run(closed());
			expect(items.map(({ json }) => json.id)).toEqual(['dos_2']);
		});
	});
});

describe('A bound of time', () => {
	const { service, run } = useFake();
	const bound = '2026-10-26T00:00:00.000Z';
	const at = (ms: number) => new Date(Date.parse(bound) + ms).toISOString();
	const moments = { before: at(-1_000), bound, after: at(1_000) };

	/** What a service does with the bound in a query. */
	const manners: Record<string, (value: string, name: string, limit: string) => boolean> = {
		'leaves the bound out': (value, name, limit) =>
			name.endsWith('_before') ? value < limit : value > limit,
		'includes the bound': (value, name, limit) =>
			name.endsWith('_before') ? value <= limit : value >= limit,
		'ignores filters': () => true,
	};

	const filters: Array<[string, string, string, string[]]> = [
		['dossier', 'createdAfter', 'created_at', ['bound', 'after']],
		['dossier', 'createdBefore', 'created_at', ['before']],
		['dossier', 'updatedAfter', 'updated_at', ['bound', 'after']],
		['task', 'dueAfter', 'due_at', ['bound', 'after']],
		['task', 'dueBefore', 'due_at', ['before']],
		['auditLog', 'from', 'created_at', ['bound', 'after']],
		['auditLog', 'to', 'created_at', ['before']],
		['export', 'from', 'created_at', ['bound', 'after']],
		['export', 'to', 'created_at', ['before']],
	];
	const paths: Record<string, string> = {
		dossier: '/v1/dossiers',
		task: '/v1/tasks',
		auditLog: '/v1/audit-log',
		export: '/v1/audit-log/export',
	};

	it.each(
		filters.flatMap((filter) => Object.keys(manners).map((manner) => [...filter, manner] as const)),
	)('means the same for %s, %s, %s = %j, if the service %s', async (...given) => {
		const [resource, filter, field, found, manner] = given;
		const records = Object.entries(moments).map(([id, value]) => ({
			id,
			title: id,
			action: 'dossier.created',
			[field]: value,
		}));
		service.handlers[`GET ${paths[resource]}`] = (_, response, { query }) => {
			const passing = records.filter((record) =>
				[...query]
					.filter(([name]) => /_(after|before)$|^(from|to)$/.test(name))
					.every(([name, limit]) => {
						const side = name === 'to' ? '_before' : name;
						return manners[manner]?.(String(record[field]), side, limit);
					}),
			);
			answerJson(response, 200, { data: passing, has_more: false });
		};
		const exporting = { resource: 'auditLog', operation: 'export', exportAs: 'items' };
		const listing = { resource, operation: 'getAll', returnAll: true, output: 'raw' };
		const { items, error } = await run(
			resource === 'export'
				? { ...exporting, [filter]: bound }
				: { ...listing, filters: { [filter]: bound } },
		);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.id)).toEqual(found);
	});
});
