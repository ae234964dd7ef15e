/** Document: Synchronise, which makes dossiers hold the files of the items. */
import { createHash } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runDossier, useBinaryMode } from './n8n';
import type { Input } from './n8n';
import { startPlainService } from './plainService';
import type { PlainService } from './plainService';
import { byId, PROFILES, startService } from './service';
import type { Service } from './service';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** One item with one file, for a dossier. */
const item = (dossier: unknown, fileName: string, text: string): Input => ({
	json: { dossier: dossier as string },
	files: { data: { fileName, content: Buffer.from(text) } },
});

const files = (dossier: unknown, wanted: Record<string, string>) =>
	Object.entries(wanted).map(([name, text]) => item(dossier, name, text));

const synchronise = (parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'document',
	operation: 'synchronise',
	dossierId: byId('={{ $json.dossier }}'),
	filesFrom: 'all',
	extent: 'atLeast',
	dryRun: false,
	category: 'other',
	options: {},
	...parameters,
});

const exactly = (deleteLimit: number, parameters: INodeParameters = {}) =>
	synchronise({ extent: 'exactly', deleteLimit, ...parameters });

const tell = (items: Array<{ json: IDataObject }>) =>
	items.map(({ json }) => [json.file_name, json.action]).sort();

let forget: () => Promise<void>;

beforeAll(async () => {
	forget = await useBinaryMode('filesystem');
});

afterAll(async () => {
	await forget();
});

describe.each(PROFILES)('Synchronise, under the profile %s', (profile) => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ profile });
	});

	afterAll(async () => {
		await service.stop();
	});

	const newDossier = async () =>
		(await service.create('/dossiers', { title: 'Synchronised' })).id as string;

	const run = async (parameters: INodeParameters, items: Input[]) =>
		await runDossier({ parameters, credential: service.credential, items });

	/** The name and the SHA-256 of each document. */
	const contents = async (dossier: string) =>
		(await service.list(`/dossiers/${encodeURIComponent(dossier)}/documents`))
			.map((one) => [one.file_name, one.checksum_sha256])
			.sort();

	const wanted = (texts: Record<string, string>) =>
		Object.entries(texts)
			.map(([name, text]) => [name, sha256(text)])
			.sort();

	it('uploads what is new, replaces what changed, and leaves what is equal, in several dossiers', async () => {
		const [one, two] = [await newDossier(), await newDossier()];
		const first = await run(synchronise(), [
			...files(one, { 'Übersicht.txt': 'a', 'b.txt': 'b' }),
			...files(two, { 'b.txt': 'other' }),
		]);
		expect(first.error).toBeUndefined();
		expect(tell(first.items)).toEqual([
			['b.txt', 'uploaded'],
			['b.txt', 'uploaded'],
			['Übersicht.txt', 'uploaded'],
		]);
		const second = await run(synchronise(), [
			...files(one, { 'Übersicht.txt': 'a', 'b.txt': 'changed', 'c.txt': 'c' }),
			...files(two, { 'd.txt': 'd' }),
		]);
		expect(second.error).toBeUndefined();
		expect(second.items.map(({ json, pairedItem }) => [json.action, pairedItem])).toEqual([
			['unchanged', { item: 0 }],
			['replaced', { item: 1 }],
			['uploaded', { item: 2 }],
			['uploaded', { item: 3 }],
			['kept', { item: 3 }],
		]);
		expect(await contents(one)).toEqual(
			wanted({ 'Übersicht.txt': 'a', 'b.txt': 'changed', 'c.txt': 'c' }),
		);
		expect(await contents(two)).toEqual(wanted({ 'b.txt': 'other', 'd.txt': 'd' }));
	});

	it('deletes what is not among the files, if that is asked for, and does nothing the next time', async () => {
		const dossier = await newDossier();
		await run(synchronise(), files(dossier, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }));
		const { items, error } = await run(exactly(2), files(dossier, { 'c.txt': 'new' }));
		expect(error).toBeUndefined();
		expect(tell(items)).toEqual([
			['a.txt', 'deleted'],
			['b.txt', 'deleted'],
			['c.txt', 'replaced'],
		]);
		expect(await contents(dossier)).toEqual(wanted({ 'c.txt': 'new' }));
		const again = await run(exactly(0), files(dossier, { 'c.txt': 'new' }));
		expect(tell(again.items)).toEqual([['c.txt', 'unchanged']]);
	});

	it('changes nothing if more would be deleted than the limit allows', async () => {
		const dossier = await newDossier();
		const before = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };
		await run(synchronise(), files(dossier, before));
		const { error } = await run(exactly(1), files(dossier, { 'c.txt': 'new', 'd.txt': 'd' }));
		expect(error?.message).toMatch(
			/^2 documents of the dossier are not among the files, and at most 1 may be deleted: [ab]\.txt, [ab]\.txt/,
		);
		expect(error?.description).toContain("raise 'Delete at Most'");
		expect(await contents(dossier)).toEqual(wanted(before));
	});

	it('only tells in a dry run', async () => {
		const dossier = await newDossier();
		const before = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };
		await run(synchronise(), files(dossier, before));
		const now = { 'b.txt': 'b', 'c.txt': 'new', 'd.txt': 'd' };
		const dry = await run(exactly(1, { dryRun: true }), files(dossier, now));
		expect(tell(dry.items)).toEqual([
			['a.txt', 'deleted'],
			['b.txt', 'unchanged'],
			['c.txt', 'replaced'],
			['d.txt', 'uploaded'],
		]);
		expect(dry.items.every(({ json }) => json.dry_run === true)).toBe(true);
		expect(await contents(dossier)).toEqual(wanted(before));
		const { items } = await run(exactly(1), files(dossier, now));
		expect(tell(items)).toEqual(tell(dry.items));
	});

	it('gives a new version the category, the title and the custom fields of the old one', async () => {
		const dossier = await newDossier();
		const options = {
			title: 'Assessment 2025',
			customFields: { field: [{ name: 'box', value: 7 }] },
		};
		await run(synchronise({ category: 'tax', options }), files(dossier, { 'a.txt': 'a' }));
		const { items } = await run(synchronise(), files(dossier, { 'a.txt': 'new' }));
		expect(items[0]?.json).toMatchObject({
			action: 'replaced',
			category: 'tax',
			title: 'Assessment 2025',
			custom_fields: { box: 7 },
			replaced: { checksum_sha256: sha256('a') },
		});
	});
});

describe('Synchronise, at a service that tells little and fails', () => {
	let service: PlainService;

	beforeEach(async () => {
		service = await startPlainService();
		service.habits.hasChecksums = false;
		for (const id of ['dos_1', 'dos_2']) service.dossiers.set(id, { id, title: id });
	});

	afterEach(async () => {
		await service.stop();
	});

	const run = async (
		parameters: INodeParameters,
		items: Input[],
		onError?: 'continueRegularOutput',
	) => await runDossier({ parameters, credential: service.credential, items, onError });

	const contents = (dossier = 'dos_1') =>
		[...service.documents.values()]
			.filter((one) => one.dossier_id === dossier)
			.map((one) => [one.file_name, one.content.toString()])
			.sort();

	const writes = () => service.requests.filter((request) => !request.startsWith('GET'));

	const has = (fileName: string, text: string, id = `doc_${service.documents.size}`) => {
		service.documents.set(id, {
			id,
			dossier_id: 'dos_1',
			file_name: fileName,
			size_bytes: text.length,
			checksum_sha256: sha256(text),
			content: Buffer.from(text),
		});
		return id;
	};

	it('compares contents if the service tells no checksum', async () => {
		has('a.txt', 'a');
		has('b.txt', 'b');
		const { items } = await run(synchronise(), files('dos_1', { 'a.txt': 'a', 'b.txt': 'B' }));
		expect(items.map(({ json }) => [json.action, json.compared_by])).toEqual([
			['unchanged', 'content'],
			['replaced', undefined],
		]);
		expect(contents()).toEqual([
			['a.txt', 'a'],
			['b.txt', 'B'],
		]);
	});

	it('recognises a file under the name that the service made of it', async () => {
		service.habits.nameFile = (name) => name.replace(/ /g, '_');
		await run(synchronise(), files('dos_1', { 'a letter.txt': 'a' }));
		const { items } = await run(exactly(0), files('dos_1', { 'a letter.txt': 'a' }));
		expect(tell(items)).toEqual([['a_letter.txt', 'unchanged']]);
		expect(service.documents.size).toBe(1);
	});

	it('does not take a document for a file if another file has its name', async () => {
		has('a_b.txt', 'same');
		await run(synchronise(), files('dos_1', { 'a b.txt': 'same', 'a_b.txt': 'same' }));
		expect(contents()).toEqual([
			['a b.txt', 'same'],
			['a_b.txt', 'same'],
		]);
	});

	it('refuses two items with the same name, naming both, before anything is written', async () => {
		const items = [item('dos_1', 'A\u030a.txt', 'a'), item('dos_1', '\u00c5.txt', 'b')];
		const { error } = await run(synchronise(), [item('dos_2', 'fine.txt', 'x'), ...items]);
		expect(error?.message).toBe(
			'Items 1 and 2 both have a file named \u00c5.txt for the same dossier [item 1]',
		);
		expect(writes()).toEqual([]);
		const going = await run(
			synchronise(),
			[item('dos_2', 'fine.txt', 'x'), ...items],
			'continueRegularOutput',
		);
		expect(going.items.map(({ json, pairedItem }) => [json.action, pairedItem])).toEqual([
			['uploaded', { item: 0 }],
			[undefined, { item: 1 }],
			[undefined, { item: 2 }],
		]);
		expect(contents()).toEqual([]);
	});

	it('runs if an expression chooses the files, whatever fields other operations have for them', async () => {
		await run(synchronise({ filesFrom: '={{ "all" }}' }), [item('dos_1', 'a.txt', 'a')]);
		expect(contents()).toEqual([['a.txt', 'a']]);
	});

	it('refuses an item with two files of the same name', async () => {
		const file = (text: string) => ({ fileName: 'a.txt', content: Buffer.from(text) });
		const { error } = await run(synchronise(), [
			{ json: { dossier: 'dos_1' }, files: { one: file('1'), two: file('2') } },
		]);
		expect(error?.message).toBe('Item 0 has two files named a.txt for the same dossier');
		expect(service.requests).toEqual([]);
	});

	it('takes the same name for two dossiers', async () => {
		await run(synchronise(), [item('dos_1', 'a.txt', '1'), item('dos_2', 'a.txt', '2')]);
		expect([contents('dos_1'), contents('dos_2')]).toEqual([[['a.txt', '1']], [['a.txt', '2']]]);
	});

	it('deletes nothing for an item without a file, such as what an empty or failed listing gives', async () => {
		has('a.txt', 'a');
		const empty = [{ json: { dossier: 'dos_1' } }];
		const { error } = await run(exactly(100), empty);
		expect(error?.message).toBe('The item has no file to upload');
		await run(exactly(100), empty, 'continueRegularOutput');
		expect(contents()).toEqual([['a.txt', 'a']]);
	});

	it('deletes nothing in any dossier if one of the items cannot be read', async () => {
		has('a.txt', 'a');
		const items = [item('dos_1', 'b.txt', 'b'), { json: { error: 'could not be read' } }];
		const { error } = await run(exactly(100), items);
		expect(error?.message).toContain("The field 'Dossier' is empty");
		expect(writes()).toEqual([]);
		const going = await run(exactly(100), items, 'continueRegularOutput');
		expect(going.items.map(({ json }) => json.action)).toEqual(['uploaded', 'kept', undefined]);
		expect(contents()).toEqual([
			['a.txt', 'a'],
			['b.txt', 'b'],
		]);
	});

	it('deletes nothing if a file could not be uploaded, and the rest the next time', async () => {
		has('a.txt', 'a');
		service.habits.uploadStatuses = [400];
		const items = files('dos_1', { 'b.txt': 'b', 'c.txt': 'c' });
		const parameters = exactly(1, { options: { concurrentRequests: 1 } });
		const broken = await run(parameters, items, 'continueRegularOutput');
		expect(broken.items.map(({ json }) => json.action)).toEqual([undefined, 'uploaded', 'kept']);
		expect(broken.items[0]?.json.error).toMatchObject({ status: 400 });
		const again = await run(parameters, items);
		expect(again.items.map(({ json }) => json.action)).toEqual([
			'uploaded',
			'unchanged',
			'deleted',
		]);
		expect(contents()).toEqual([
			['b.txt', 'b'],
			['c.txt', 'c'],
		]);
	});

	it('writes nothing anywhere if a dossier of the run cannot be listed', async () => {
		const items = [item('dos_1', 'a.txt', 'a'), item('..', 'b.txt', 'b')];
		const { error } = await run(synchronise(), items);
		expect(error?.message).toBe('".." is not an identifier [item 1]');
		expect(writes()).toEqual([]);
	});

	it('deletes nothing if the service does not tell the name of each document', async () => {
		has('a.txt', 'a');
		service.documents.set('doc_x', { id: 'doc_x', dossier_id: 'dos_1', content: Buffer.alloc(0) });
		const { error } = await run(exactly(100), files('dos_1', { 'b.txt': 'b' }));
		expect(error?.message).toContain('does not tell the file names');
		expect(writes()).toEqual([]);
		await run(synchronise(), files('dos_1', { 'b.txt': 'b' }));
		expect(service.documents.size).toBe(3);
	});

	it('does not choose among several documents of the name, unless the others may be deleted', async () => {
		has('a.txt', 'one');
		has('a.txt', 'two');
		const { error } = await run(synchronise(), files('dos_1', { 'a.txt': 'three' }));
		expect(error?.message).toBe('The dossier has 2 documents named a.txt');
		expect(error?.description).not.toContain('ifExists');
		expect(writes()).toEqual([]);
		const { items } = await run(exactly(1), files('dos_1', { 'a.txt': 'three' }));
		expect(tell(items)).toEqual([
			['a.txt', 'deleted'],
			['a.txt', 'replaced'],
		]);
		expect(contents()).toEqual([['a.txt', 'three']]);
	});

	it('keeps the old version if the service does not hold the whole new one', async () => {
		has('a.txt', 'old');
		service.habits.keptBytes = 2;
		const { error } = await run(synchronise(), files('dos_1', { 'a.txt': 'new' }));
		expect(error?.message).toMatch(/stored 2 bytes/);
		expect(contents()).toContainEqual(['a.txt', 'old']);
	});

	// As if n8n were killed: the run ends at one of its seven writes, which was carried out or was not.
	const breaks = [1, 2, 3, 4, 5, 6, 7].flatMap((write) =>
		[false, true].map((isDone) => ({ write, isDone })),
	);

	it.each(breaks)(
		'is completed by the next run if it ends at write $write, carried out: $isDone',
		async (broken) => {
			has('a.txt', 'old');
			has('b.txt', 'old');
			has('gone.txt', 'gone');
			has('gone too.txt', 'gone');
			const items = files('dos_1', { 'a.txt': 'new', 'b.txt': 'newer', 'c.txt': 'c' });
			let breakAt: PlainService['habits']['breakAt'];
			const cancelWhen = new Promise<void>((then) => {
				breakAt = { ...broken, then };
				service.habits.breakAt = breakAt;
			});
			const parameters = exactly(2, { options: { concurrentRequests: 1 } });
			await runDossier({ parameters, credential: service.credential, items, cancelWhen }).catch(
				() => undefined,
			);
			expect(breakAt?.write).toBeLessThanOrEqual(0);
			service.habits.breakAt = undefined;

			const { error } = await run(parameters, items);
			expect(error).toBeUndefined();
			expect(contents()).toEqual([
				['a.txt', 'new'],
				['b.txt', 'newer'],
				['c.txt', 'c'],
			]);
			const third = await run(parameters, items);
			expect(third.items.map(({ json }) => json.action)).toEqual(Array(3).fill('unchanged'));
		},
	);
});
