/** Values that an expression could not compute, or that a field of another type cannot take. */
import type { INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import { carry, get, useDossier } from './requests.mts';

const place = useDossier();
const { service } = place;

const write = (expression: string) => `={{ ${expression} }}`;
const inFields = (name: string) => (value: string) => ({
	operation: 'create',
	title: 'Unusable',
	fields: { [name]: write(value) },
});
const inReference = (value: string) => ({ mode: 'reference', value: write(value) });
const noNumber = 'a number that could not be computed';
const noDate = 'a date that could not be read';
const unusable = [
	['Number("12,5")', noNumber],
	['1 / 0', noNumber],
	['12345678901234567890', 'the number 12345678901234567000, which has lost digits'],
	['DateTime.fromISO("x")', noDate],
] as const;

it.each<[string, string, (value: string) => INodeParameters]>([
	['Reference', 'in a field', inFields('reference')],
	['Status', 'in a field', inFields('status')],
	['Tags', 'in a field', inFields('tags')],
	[
		'Custom Fields',
		'in a row',
		(value) => ({
			...inFields('title')('"x"'),
			fields: { customFields: { field: [{ name: 'k', value: write(value) }] } },
		}),
	],
	[
		'Further Fields (JSON)',
		'deep in an object',
		(value) => inFields('furtherFields')(`({ custom_fields: { k: [${value}] } })`),
	],
	[
		'Search',
		'as a filter',
		(value) => ({ operation: 'getAll', filters: { search: write(value) } }),
	],
	['Dossier', 'by reference', (value) => ({ operation: 'get', dossierId: inReference(value) })],
	[
		'Dossier',
		'to create',
		(value) => ({
			resource: 'document',
			operation: 'upload',
			dossierId: inReference(value),
			ifMissing: 'create',
		}),
	],
])('%s %s refuses what an expression could not compute', async (label, _, form) => {
	const before = await service.list('/dossiers');
	for (const [value, given] of unusable) {
		const { error } = await runDossier({
			parameters: { resource: 'dossier', ...form(value) },
			credential: service.credential,
			items: [carry('x.txt')],
		});
		expect(error?.message).toBe(`The field '${label}' gets ${given}`);
	}
	expect(await service.list('/dossiers')).toHaveLength(before.length);
});

it('Create or Update makes no dossier for references that are not numbers', async () => {
	const { items } = await runDossier({
		parameters: {
			resource: 'dossier',
			operation: 'upsert',
			reference: '={{ Number($json.number) }}',
			title: 'Unusable',
		},
		credential: service.credential,
		items: [{ json: { number: 'A1' } }, { json: { number: 'B2' } }, { json: { number: '77' } }],
		onError: 'continueRegularOutput',
	});
	const message = `The field 'Reference' gets ${noNumber}`;
	expect(items.map(({ json }) => json)).toMatchObject([
		{ error: { message } },
		{ error: { message } },
		{ reference: '77' },
	]);
});

const createWith = async (field: string, value: string) =>
	await runDossier({
		parameters: { resource: 'dossier', ...inFields(field)(value) },
		credential: service.credential,
	});

it('Tags refuses NaN in a list', async () => {
	const { error } = await createWith('tags', '[null, undefined, NaN]');
	expect(error?.message).toBe(`The field 'Tags' gets ${noNumber}`);
});

describe('A date of an expression in Further Fields', () => {
	const create = async (value: string) => await createWith('furtherFields', value);

	it('is sent as ISO 8601', async () => {
		const { items } = await create('({ due_at: new Date(0), custom_fields: { at: new Date(1) } })');
		expect(items[0]?.json).toMatchObject({
			due_at: '1970-01-01T00:00:00.000Z',
			custom_fields: { at: '1970-01-01T00:00:00.001Z' },
		});
	});

	it('is refused if it is not valid, or stands for all fields', async () => {
		const { error } = await create('({ due_at: new Date("x") })');
		const label = "The field 'Further Fields (JSON)'";
		expect(error?.message).toBe(`${label} gets ${noDate}`);
		expect((await create('new Date(0)')).error?.message).toBe(`${label} is not a JSON object`);
	});
});

const noNumbers = ['[5]', '({ a: 1 })', '"many"', 'NaN', 'Infinity', 'true', 'DateTime.now()'];

it.each([
	['Concurrent Requests', 'options', 'concurrentRequests', 'a number'],
	['Longest Wait (Seconds)', 'options', 'longestWait', 'a number'],
	['Timeout (Seconds)', 'options', 'timeout', 'a number'],
	['Limit', undefined, 'limit', 'a whole number above 0'],
])('%s takes nothing but numbers', async (label, collection, name, rule) => {
	for (const given of noNumbers) {
		const held = { [name]: write(given) };
		const own = collection ? { [collection]: held } : held;
		const { error } = await runDossier({
			parameters: { resource: 'dossier', operation: 'getAll', ...own },
			credential: service.credential,
		});
		expect([given, error?.message]).toEqual([given, `The field '${label}' is not ${rule}`]);
	}
});

it.each([5_000_000, 1e300])('Timeout may be %d seconds', async (timeout) => {
	const { error } = await runDossier({
		parameters: { ...get(place.dossier), options: { timeout } },
		credential: service.credential,
	});
	expect(error).toBeUndefined();
});
