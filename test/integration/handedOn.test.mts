/** Operations hand on the files of an item, so that Read Files → Create or Update → Upload works. */
import type { INodeParameters } from 'n8n-workflow';
import { readBinary, runDossier, useBinaryMode } from './n8n.mts';
import type { BinaryMode, Input } from './n8n.mts';
import { file, uploadTo, useDossier } from './requests.mts';
import { byId } from './service.mts';
import { callTool } from './tools.mts';

const place = useDossier();

const run = async (
	parameters: INodeParameters,
	items: Input[],
	extra: Partial<Parameters<typeof runDossier>[0]> = {},
) => await runDossier({ parameters, items, credential: place.service.credential, ...extra });

const upsert: INodeParameters = {
	resource: 'dossier',
	operation: 'upsert',
	reference: '={{ $json.reference }}',
	title: 'Handed on',
};

const byReference = { __rl: true, mode: 'reference', value: '={{ $json.reference }}' };

const uploadByReference = (parameters: INodeParameters = {}): INodeParameters => ({
	...uploadTo('', { filesFrom: 'all', ifExists: 'skip' }),
	dossierId: byReference,
	...parameters,
});

const listFiles = async (dossier: string) =>
	(await place.service.list(`/dossiers/${dossier}/documents`)).map((one) => one.file_name);

const findDossiers = async (reference: string) =>
	(await place.service.list('/dossiers')).filter((one) => one.reference === reference);

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));

	it('a file goes through Create or Update to Upload', async () => {
		const items = ['a.txt', 'b.txt'].map((name) => ({
			json: { reference: `through ${mode}` },
			files: { data: file(name) },
		}));
		const upload = uploadTo('', { dossierId: byId('={{ $json.id }}') });
		const steps = [{ name: 'Upsert', parameters: upsert }];
		const { items: uploaded, error } = await run(upload, items, { steps });
		expect(error).toBeUndefined();
		expect(uploaded.map(({ json }) => json.file_name)).toEqual(['a.txt', 'b.txt']);
		expect(await readBinary(uploaded[1]?.binary?.data)).toEqual(Buffer.from('b.txt'));
		const [dossier, ...more] = await findDossiers(`through ${mode}`);
		expect(more).toEqual([]);
		expect((await listFiles(dossier?.id as string)).sort()).toEqual(['a.txt', 'b.txt']);
	});
});

it('A file is handed on as a reference to the storage, not as a copy', async () => {
	await useBinaryMode('filesystem');
	const given = { json: { reference: 'reference' }, files: { data: file('a.txt') } };
	let id: string | undefined;
	const { items } = await run(upsert, [given], {
		before: async ([item]) => await Promise.resolve(void (id = item?.binary?.data?.id)),
	});
	expect(id).toMatch(/^filesystem/);
	expect(items[0]?.binary?.data?.id).toBe(id);
});

it('A file of the output replaces one with the same name, and the others stay', async () => {
	const document = await place.service.addDocument(place.dossier, { file_name: 'own.txt' });
	const download = { resource: 'document', operation: 'download', documentId: byId(document.id) };
	const { items } = await run(download, [
		{ json: {}, files: { data: file('given.txt'), other: file('other.txt') } },
	]);
	const { data, other } = items[0]?.binary ?? {};
	expect([data?.fileName, other?.fileName]).toEqual(['own.txt', 'other.txt']);
});

it('Each of several documents has its own file, and the files that were not uploaded', async () => {
	const { items } = await run(uploadTo(place.dossier, { binaryPropertyName: 'one, two' }), [
		{ json: {}, files: { one: file('1.txt'), two: file('2.txt'), rest: file('3.txt') } },
	]);
	expect(items.map(({ binary }) => Object.keys(binary ?? {}).sort())).toEqual([
		['one', 'rest'],
		['rest', 'two'],
	]);
});

it('A list hands on no files, and a failed item keeps its own', async () => {
	const files = { data: file('a.txt') };
	const list = { resource: 'dossier', operation: 'getAll', limit: 1 };
	expect((await run(list, [{ json: {}, files }])).items[0]?.binary).toBeUndefined();
	const missing = { resource: 'dossier', operation: 'get', dossierId: byId('dos_missing') };
	const onError = 'continueRegularOutput';
	const { items } = await run(missing, [{ json: {}, files }], { onError });
	expect(items[0]).toMatchObject({
		json: { error: { status: 404 } },
		binary: { data: { fileName: 'a.txt' } },
	});
});

it('A file that is missing is told with the step that did not hand it on', async () => {
	const items = [{ json: { id: place.dossier }, files: { data: file('a.txt') } }];
	const steps = [
		{ name: 'Edit Fields' },
		{
			name: 'Get',
			parameters: { resource: 'dossier', operation: 'get', dossierId: byId(place.dossier) },
		},
	];
	const { error } = await run(uploadTo(place.dossier), items, { steps });
	expect(error?.message).toBe('The item has no binary field "data"');
	expect(error?.description).toMatch(/"Source" gave it one, but "Edit Fields" did not.*Merge/);
});

it('A tool hands on no files', async () => {
	const parameters = { resource: 'dossier', operation: 'get', dossierId: byId(place.dossier) };
	const [result] = await callTool(place.service.credential, parameters);
	expect(result).not.toHaveProperty('binary');
});

describe('A dossier that is missing', () => {
	it.each([
		['Upload', uploadByReference({ ifMissing: 'create', newTitle: 'Smith & Sons' })],
		[
			'Synchronize',
			uploadByReference({
				operation: 'synchronize',
				ifMissing: 'create',
				newTitle: 'Smith & Sons',
				extent: 'atLeast',
			}),
		],
	])('is made once by %s for 16 files at the same time', async (name, parameters) => {
		const reference = `new by ${name}`;
		const items = Array.from({ length: 16 }, (_, n) => ({
			json: { reference },
			files: { data: file(`${n}.txt`) },
		}));
		const { items: uploaded, error } = await run(parameters, items);
		expect(error).toBeUndefined();
		expect(uploaded).toHaveLength(16);
		const made = await findDossiers(reference);
		expect(made.map(({ title }) => title)).toEqual(['Smith & Sons']);
		expect(await listFiles(made[0]?.id as string)).toHaveLength(16);
		const again = await run(parameters, items);
		expect(again.error).toBeUndefined();
		expect(await findDossiers(reference)).toHaveLength(1);
		expect(await listFiles(made[0]?.id as string)).toHaveLength(16);
	});

	const alone: Input = { json: { reference: 'not there' }, files: { data: file('a.txt') } };
	const items = [alone];

	it('has its reference for a title if none is given', async () => {
		const item = { ...alone, json: { reference: 'untitled' } };
		await run(uploadByReference({ ifMissing: 'create' }), [item]);
		expect((await findDossiers('untitled')).map(({ title }) => title)).toEqual(['untitled']);
	});

	it('is an error that says how to have it created', async () => {
		const { error } = await run(uploadByReference(), items);
		expect(error?.message).toContain('no record with the reference "not there"');
		expect(error?.description).toContain("set 'If Missing' to 'Create'");
		expect(await findDossiers('not there')).toEqual([]);
	});

	it('is not created by a dry run, which names it', async () => {
		const parameters = uploadByReference({
			operation: 'synchronize',
			ifMissing: 'create',
			dryRun: true,
			extent: 'atLeast',
		});
		const { items: planned, hints, error } = await run(parameters, items);
		expect(error).toBeUndefined();
		expect(planned.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				action: 'uploaded',
				dossier_id: null,
				new_dossier: 'not there',
				file_name: 'a.txt',
			}),
		]);
		expect(hints).toEqual([
			`Dry run in organization ${place.service.organization.id} (test data), nothing was written. The plan: 1 uploaded; dossiers created: 1`,
		]);
		expect(await findDossiers('not there')).toEqual([]);
	});

	const toSynchronize = { operation: 'synchronize', extent: 'atLeast' };
	const nofield = { filesFrom: 'named', binaryPropertyName: 'nofield' };
	const twins = [alone, { ...alone, files: { data: file('a.txt'), other: file('b.txt') } }];

	it.each<[string, INodeParameters, Input[]]>([
		['Upload has no such binary field', nofield, items],
		['Upload has no file', {}, [{ json: { reference: 'not there' } }]],
		['Upload has no category', { category: '' }, items],
		['Synchronize has no such binary field', { ...toSynchronize, ...nofield }, items],
		['Synchronize has two files of the same name', toSynchronize, twins],
	])('is not created if %s', async (_, parameters, given) => {
		const { error } = await run(uploadByReference({ ...parameters, ifMissing: 'create' }), given);
		expect(error).toBeDefined();
		expect(await findDossiers('not there')).toEqual([]);
	});

	it('belongs to the round of a loop that created it, so a later one deletes nothing', async () => {
		const make = (name: string) => [{ json: { reference: 'rounds' }, files: { data: file(name) } }];
		const exactly = { operation: 'synchronize', extent: 'exactly', deleteLimit: 9 };
		const parameters = uploadByReference({ ...exactly, ifMissing: 'create' });
		const { error } = await run(parameters, make('a.txt'), { rounds: [make('b.txt')] });
		expect(error?.message).toContain('An earlier round of the loop had the same dossier');
		const [made] = await findDossiers('rounds');
		expect(await listFiles(made?.id as string)).toEqual(['a.txt']);
	});
});
