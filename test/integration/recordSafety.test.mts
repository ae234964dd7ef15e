/** The node loses nothing in records and changes only what it should, even if the service offers the minimum. */
import { Expression } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { useBinaryMode } from './n8n.mts';
import type { Input } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { answerJson } from './fakeService.mts';
import type { Handler } from './fakeService.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run: runOnItems, count } = usePlainService();

beforeEach(() => {
	service.dossiers.set('dos_1', {
		id: 'dos_1',
		reference: 'R1',
		title: 'Old',
		description: 'Long text',
		status: 'open',
		tags: ['a', 'b'],
		contact: { name: 'Jane', email: 'jane@example.com' },
	});
});

const run = async (parameters: INodeParameters, items?: Input[]) =>
	await runOnItems(parameters, { items });

const dossier = (operation: string, parameters: INodeParameters): INodeParameters => ({
	resource: 'dossier',
	operation,
	...parameters,
});

const update = (fields: INodeParameters) => dossier('update', { dossierId: byId('dos_1'), fields });

const upsert = (fields: INodeParameters) =>
	dossier('upsert', { reference: '={{ $json.reference ?? "R1" }}', title: 'Old', fields });

const stored = () => service.dossiers.get('dos_1') ?? {};

describe('A dossier that several items change in one run', () => {
	it.each([
		['Update', update({ tags: '', furtherFields: '={{ JSON.stringify($json) }}' })],
		['Create or Update', upsert({ furtherFields: '={{ JSON.stringify($json) }}' })],
	])('has all their changes after %s', async (_, parameters) => {
		const items = [
			{ json: { description: 'New' } },
			{ json: { type: 'tax' } },
			{ json: { custom: 1 } },
		];
		const { error } = await run(parameters, items);
		expect(error).toBeUndefined();
		expect(stored()).toMatchObject({ description: 'New', type: 'tax', custom: 1, status: 'open' });
	});

	it('is created once, then changed, if it is new', async () => {
		const items = ['x', 'y', 'x'].map((reference) => ({ json: { reference } }));
		const { items: output } = await run(upsert({}), items);
		expect(output.map(({ json }) => json.created)).toEqual([true, true, false]);
		expect(service.dossiers.size).toBe(3);
	});

	it.each([
		// A second page, since nothing says that the list has ended
		['is there', 'R1', { list: 2, create: 0, read: 1, write: 8 }],
		['is new', 'R2', { list: 1, create: 1, read: 1, write: 7 }],
	])('is looked for and read once if it %s', async (_, reference, expected) => {
		const items = Array.from({ length: 8 }, (_, n) => ({ json: { reference, type: `t${n}` } }));
		await run(upsert({ type: '={{ $json.type }}' }), items);
		expect({
			list: service.requests.filter((one) => one === 'GET /v1/dossiers').length,
			create: count('POST'),
			read: count('GET /v1/dossiers/'),
			write: count('PUT'),
		}).toEqual(expected);
	});
});

describe('Executions at the same time', () => {
	const words = ['a', 'b', 'c', 'd', 'e'];

	it('keep the changes that each makes to one dossier', async () => {
		// Each execution makes two changes. For the second it must read the dossier again.
		const twice = words.map((word) => [word, `${word}2`].map((tag) => ({ json: { tag } })));
		const runs = twice.map(
			async (items) => await run(update({ addTags: '={{ $json.tag }}' }), items),
		);
		expect((await Promise.all(runs)).map(({ error }) => error)).toEqual(words.map(() => undefined));
		const tags = new Set(['a', 'b', ...twice.flat().map(({ json }) => json.tag)]);
		expect((stored().tags as string[]).sort()).toEqual([...tags].sort());
	});

	it.each(['allows duplicates', 'lists it only later'])(
		'create one dossier for a reference, even if the service %s',
		async (habit) => {
			const listNone: Handler = (_, response) => answerJson(response, 200, { data: [] });
			if (habit === 'lists it only later') service.handlers['GET /v1/dossiers'] = listNone;
			const newReference = dossier('upsert', { reference: 'R2', title: 'New', fields: {} });
			const outputs = await Promise.all(words.map(async () => await run(newReference)));
			const made = outputs.map(({ items }) => items[0]?.json.created);
			expect(made.sort()).toEqual([...Array<boolean>(4).fill(false), true]);
			expect(service.dossiers.size).toBe(2);
		},
	);
});

it('changes none of several dossiers with one reference, and names them', async () => {
	service.dossiers.set('dos_2', { id: 'dos_2', title: 'Two', reference: 'R1' });
	const { error } = await run(upsert({ type: 'tax' }), [{ json: {} }]);
	expect(error?.message).toBe(`'Reference': more than one record with the reference "R1"`);
	expect(error?.description).toContain('dos_1 and dos_2 have it');
	expect(count('PUT')).toBe(0);
});

it('finds a dossier by a reference that the service gives as a number', async () => {
	service.dossiers.set('dos_1', { id: 'dos_1', title: 'Old', reference: 4711 });
	await run(upsert({}), [{ json: { reference: '4711' } }]);
	expect(service.dossiers.size).toBe(1);
});

it.each([
	['', (text: string) => text],
	[', if the service composes it', (text: string) => text.normalize('NFC')],
])('finds a dossier by a reference in the decomposed form of macOS%s', async (_, storeText) => {
	service.habits.storeText = storeText;
	const references = ['Müller', 'Müller'.normalize('NFD')];
	for (const reference of [...references, ...references]) {
		const { error } = await run(upsert({}), [{ json: { reference } }]);
		expect(error).toBeUndefined();
		const { error: failed } = await run(
			dossier('get', { dossierId: { ...byId(reference), mode: 'reference' }, output: 'raw' }),
		);
		expect(failed).toBeUndefined();
	}
	expect(service.dossiers.size).toBe(2);
});

describe('A dossier whose list shows less than the record', () => {
	it('keeps every field through Create or Update', async () => {
		service.habits.listFields = ['reference', 'title'];
		await run(upsert({ status: 'closed' }));
		expect(stored()).toMatchObject({
			status: 'closed',
			description: 'Long text',
			tags: ['a', 'b'],
			contact: { name: 'Jane', email: 'jane@example.com' },
		});
	});
});

describe('An expression without a value', () => {
	it.each([
		['tags', '={{ $json.a }},{{ $json.b }}'],
		['description', '={{ $json.a }} {{ $json.b }}'],
		['tags', '={{ [] }}'],
	])('clears nothing: %s', async (field, expression) => {
		const before = { ...stored() };
		const { error } = await run(update({ [field]: expression, status: 'closed' }));
		expect(error).toBeUndefined();
		expect(stored()).toEqual({ ...before, status: 'closed' });
	});
});

describe('Only If New', () => {
	const only = (onlyIfNew: string[], reference: string) => ({
		...upsert({ description: 'Given' }),
		reference,
		title: 'Given',
		options: { onlyIfNew },
	});

	it.each([
		[[], { title: 'Given', description: 'Given' }],
		[['title'], { title: 'Old', description: 'Given' }],
		[['title', 'fields'], { title: 'Old', description: 'Long text' }],
	])('keeps the values of an existing dossier: %j', async (chosen, kept) => {
		const { items, error } = await run(only(chosen, 'R1'));
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ ...kept, created: false });
		expect(stored()).toMatchObject(kept);
	});

	it('sets all of them in a new one', async () => {
		const { items } = await run(only(['title', 'fields'], 'R2'));
		const given = { title: 'Given', description: 'Given', created: true };
		expect(items[0]?.json).toMatchObject(given);
	});
});

it('Custom fields that are given in rows and in JSON are both kept', async () => {
	const customFields = { field: [{ name: 'box', value: 'A' }] };
	const furtherFields = '{"custom_fields": {"pages": 7}}';
	const { error } = await run(update({ customFields, furtherFields }));
	expect(error).toBeUndefined();
	expect(stored().custom_fields).toEqual({ box: 'A', pages: 7 });
});

describe('Tags', () => {
	it('can be added and removed without naming the others', async () => {
		await run(update({ addTags: 'c, a', removeTags: 'b' }));
		expect(stored().tags).toEqual(['a', 'c']);
		await run(upsert({ addTags: 'd' }));
		expect(stored().tags).toEqual(['a', 'c', 'd']);
	});

	it('are not written if nothing changes', async () => {
		await run(update({ addTags: 'a', removeTags: 'z' }));
		expect(count('PUT')).toBe(0);
	});
});

describe('A date that does not exist, or is written in another format', () => {
	it.each(['2026-02-31', '2026-02-30T10:00:00Z', '2026-13-01'])('is refused: %s', async (date) => {
		const { error } = await run(update({ dueAt: date }));
		expect(error?.message).toContain("'Due At'");
		expect(service.requests).toEqual([]);
	});

	it('is refused with an expression that converts the format', async () => {
		const items = [{ json: { date: '31.03.2026' } }];
		const { error } = await run(update({ dueAt: '={{ $json.date }}' }), items);
		const expression = /{{.*}}/.exec(error?.description ?? '')?.[0];
		await run(update({ dueAt: `=${expression}` }), items);
		expect(stored().due_at).toBe('2026-03-30T22:00:00.000Z');
	});
});

it.each([
	['" TRUE "', 2],
	['"False"', 1],
	['true', 2],
])('A switch does what the expression %s says', async (returnAll, expected) => {
	service.dossiers.set('dos_2', { id: 'dos_2', title: 'Other' });
	const parameters = { returnAll: `={{ ${returnAll} }}`, limit: 1 };
	const { items } = await run(dossier('getAll', parameters));
	expect(items).toHaveLength(expected);
});

it('n8n evaluates the choice of the output no more often for many records than for one', async () => {
	const output = '={{ "raw" }}';
	const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
	const countEvaluations = async () => {
		evaluate.mockClear();
		const { items } = await run(dossier('getAll', { returnAll: true, output }));
		expect(items).toHaveLength(service.dossiers.size);
		return evaluate.mock.calls.filter(([value]) => value === output).length;
	};
	const once = await countEvaluations();
	for (let n = 2; n < 40; n++) service.dossiers.set(`dos_${n}`, { id: `dos_${n}`, title: `${n}` });
	expect(once).toBeGreaterThan(0);
	expect(await countEvaluations()).toBe(once);
	evaluate.mockRestore();
});
