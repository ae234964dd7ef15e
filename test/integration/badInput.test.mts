/** Every field of every operation with a wrong value: empty, of the wrong type, or from an expression without a result. */
import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { Operation, Resource } from '../../nodes/Dossier/execution/operation';
import { resources } from '../../nodes/Dossier/resources';
import { runDossier } from './n8n.mts';
import { carry, get } from './requests.mts';
import { byId, useService } from './service.mts';

const service = useService();
/** Records of each kind for the locators, so that nothing but the wrong value can fail. */
let ids: Record<string, unknown>;

beforeAll(async () => {
	const dossier = await service.create('/dossiers', { title: 'Bad input' });
	const task = await service.create('/tasks', { title: 'Bad input' });
	const { liveKey } = service.organization;
	const liveDossier = await service.create('/dossiers', { title: 'Bad input' }, liveKey);
	const document = await service.addDocument(dossier.id);
	const invitation = { email: 'bad.input@client.example', dossier_ids: [] };
	const { portal_user_id } = await service.create('/portal/invite', invitation);
	ids = {
		dossierId: dossier.id,
		liveDossierId: liveDossier.id,
		documentId: document.id,
		taskId: task.id,
		portalUserId: portal_user_id,
	};
});

/** A wrong value, and whether the node may take it for an empty field. */
interface WrongValue {
	what: string;
	value: NodeParameterValueType;
	isEmpty?: boolean;
}

/** Values that an expression may give for a field of this type. */
function listWrongValues({ type }: INodeProperties): WrongValue[] {
	switch (type) {
		case 'resourceLocator':
			return [
				{ what: 'nothing', value: byId('={{ $json.missing }}'), isEmpty: true },
				{ what: 'an object', value: byId('={{ {} }}') },
				{ what: 'a list', value: byId('={{ [1] }}') },
			];
		case 'dateTime':
			return [
				{ what: 'text', value: 'soon' },
				{ what: 'an object', value: '={{ ({ a: 1 }) }}' },
			];
		case 'json':
			return [
				{ what: 'broken JSON', value: '{"a":' },
				{ what: 'a list', value: '[1]' },
			];
		case 'number':
			return [{ what: 'text', value: '={{ "many" }}' }];
		case 'multiOptions':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}' },
				{ what: 'a list of objects', value: '={{ [{ name: "a" }] }}' },
			];
		case 'boolean':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}' },
				{ what: 'text', value: '={{ "maybe" }}' },
				{ what: 'a list', value: '={{ [true] }}' },
			];
		case 'string':
		case 'options':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}', isEmpty: true },
				{ what: 'an object', value: '={{ ({ a: { b: 1 } }) }}' },
				{ what: 'a list', value: '={{ [[1], 2] }}' },
				{ what: 'a list of objects', value: '={{ [{ name: "a" }] }}' },
			];
		default:
			return [];
	}
}

/** Only the list of documents reads the first, and only a live key makes the node read the second. */
const unreadFields = ['dossierOfList', 'writeLive'];

interface Attempt extends WrongValue {
	field: INodeProperties;
	parameters: INodeParameters;
}

/** Each wrong value for each field, with the parameters that make n8n show the field. */
function listAttempts({ fields }: Operation): Attempt[] {
	return fields.flatMap((outer) => {
		const shown: INodeParameters = {};
		for (const [name, [value] = []] of Object.entries(outer.displayOptions?.show ?? {})) {
			if (name === '/dossierId.mode' && value === 'reference') {
				// Another one each time, since an attempt may create it
				shown.dossierId = { ...byId('={{ "new " + Math.random() }}'), mode: value };
			} else shown[name] = value;
		}
		if (outer.type !== 'collection') {
			return listWrongValues(outer).map((wrong) => ({
				...wrong,
				field: outer,
				parameters: { ...shown, [outer.name]: wrong.value },
			}));
		}
		return ((outer.options ?? []) as INodeProperties[]).flatMap((field) =>
			listWrongValues(field).map((wrong) => {
				const beside = Object.entries(field.displayOptions?.show ?? {}).map(
					([name, values]) => [name, values?.[0]] as const,
				);
				const held = { ...Object.fromEntries(beside), [field.name]: wrong.value };
				return { ...wrong, field, parameters: { ...shown, [outer.name]: held } };
			}),
		);
	});
}

/** Valid values for all fields. */
function fillIn({ fields }: Operation, access: Resource['access']): INodeParameters {
	return Object.fromEntries(
		fields.map(({ name, type, default: value }): [string, NodeParameterValueType] => {
			if (type === 'resourceLocator') return [name, byId(ids[name] ?? ids.dossierId)];
			// A customer works on live data.
			if (name === 'dossierId' && access === 'workspace') return [name, String(ids.liveDossierId)];
			if (name === 'baseUrl') return [name, service.url];
			return [name, type === 'string' ? value || 'x' : value];
		}),
	);
}

const operations = resources.flatMap(({ value: resource, access, operations: list }) =>
	list.map((operation) => ({
		resource,
		access,
		operation,
		name: `${resource} ${operation.value}`,
	})),
);

it.each(operations)(
	'$name refuses each wrong value with a message, unless the value may be empty',
	async ({ resource, access, operation }) => {
		const credential = access === 'workspace' ? service.customer : service.credential;
		const accepted: string[] = [];
		for (const { field, what, isEmpty, parameters } of listAttempts(operation)) {
			const { items } = await runDossier({
				parameters: {
					resource,
					operation: operation.value,
					...fillIn(operation, access),
					...parameters,
				},
				credential,
				items: [carry('x.txt')],
				onError: 'continueRegularOutput',
			});
			const place = `${field.displayName} (${field.name}) = ${what}`;
			const errors = items.flatMap(({ json }) => (json.error ? [json.error as IDataObject] : []));
			for (const { code, message, hint } of errors) {
				// An error without a sentence of its own has no hint, and this code.
				expect([place, code]).not.toEqual([place, 'UNEXPECTED_ERROR']);
				expect([place, typeof message, typeof hint]).toEqual([place, 'string', 'string']);
				expect(message).not.toMatch(/undefined|\[object|NaN|TypeError|Cannot read/);
			}
			if (
				!isEmpty &&
				!unreadFields.includes(field.name) &&
				!errors.some(({ code }) => code === 'INVALID_INPUT')
			)
				accepted.push(`${place}: ${JSON.stringify(errors)}`);
		}
		expect(accepted).toEqual([]);
	},
	120_000,
);

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
		parameters: { ...get(ids.dossierId), options: { timeout } },
		credential: service.credential,
	});
	expect(error).toBeUndefined();
});

it.each([
	['filesFrom', { filesFrom: 'everything' }],
	['ifExists', { ifExists: 'overwrite' }],
	['format', { options: { format: 'xml' } }],
] as const)('an upload refuses a word in %s that is not among its choices', async (_, own) => {
	const { items } = await runDossier({
		parameters: {
			resource: 'document',
			operation: 'upload',
			dossierId: byId(ids.dossierId),
			category: 'other',
			...own,
		},
		credential: service.credential,
		items: [carry('x.txt')],
		onError: 'continueRegularOutput',
	});
	expect(items).toHaveLength(1);
	expect(items[0]?.json.error).toMatchObject({
		code: 'INVALID_INPUT',
		message: expect.stringMatching(
			/^The field '[A-Z].*' has no choice "(everything|overwrite|xml)"$/,
		),
	});
});
