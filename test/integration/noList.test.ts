/** Answers to the call for a list that hold none: an empty list would let files and dossiers be made a second time. */
import type { INodeParameters } from 'n8n-workflow';
import { useFake } from './fakeService';
import { carry, speaking, uploadTo } from './requests';

const { run, give, count } = useFake();

const list: INodeParameters = { resource: 'dossier', operation: 'getAll', returnAll: true };

const foreign: object[] = [
	{ status: 'ok', uptime: 5 },
	{ data: { user: { name: 'Jane' } } },
	{ id: 'dos_1', title: 'A dossier', closed_at: null },
	{ data: ['dos_1', 'dos_2'] },
	{ data: 'none' },
	{ data: { dos_1: { id: 'dos_1', title: 'By its id' } } },
];

it.each(foreign)('%j is no list', async (body) => {
	const { error, items } = await run(list, { handlers: { 'GET /v1/dossiers': body } });
	expect(error?.message).toContain('is not this API');
	expect(items).toEqual([]);
});

it.each(foreign)('Nothing is uploaded after %j', async (body) => {
	const { error } = await run(uploadTo('dos_1', { ifExists: 'skip' }), {
		items: [carry('a.txt')],
		handlers: { 'GET /v1/dossiers/dos_1/documents': body },
	});
	expect(error?.message).toContain('is not this API');
	expect(count('POST')).toBe(0);
});

it.each([
	{},
	{ data: null },
	{ success: true, data: {} },
	{ meta: { total: 0 } },
	{ status: 'success', data: null },
	{ results: null, total: '0' },
	{ dossiers: [], warnings: ['None'] },
])('%j is an empty list', async (body) => {
	expect(await give(list, { handlers: { 'GET /v1/dossiers': body } })).toEqual([]);
});

it.each([
	[{ envelope: 'Ergebnis.Akten' }, { Ergebnis: { Akten: null } }],
	[{ total: 'Anzahl' }, { Anzahl: 0 }],
])('By the dialect %j, %j is an empty list', async (part, body) => {
	const handlers = { 'GET /v1/dossiers': body };
	expect(await give(list, { handlers, credential: speaking({ list: part }) })).toEqual([]);
	const { error } = await run(list, { handlers });
	expect(error?.message).toContain('is not this API');
});

it('Entries that are no records are left out, and missed if the service counts them', async () => {
	const data = [null, { id: 'dos_1', title: 'Seen' }, 'dos_2'];
	const items = await give(list, { handlers: { 'GET /v1/dossiers': { data } } });
	expect(items.map(({ json }) => json.id)).toEqual(['dos_1']);
	const { error } = await run(list, { handlers: { 'GET /v1/dossiers': { data, total: 3 } } });
	expect(error?.message).toBe('The service has 3 records but gives only the first 1');
});
