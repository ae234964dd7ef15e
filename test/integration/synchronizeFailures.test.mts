/** Document: Synchronize, at a service that shows little and refuses. */
import type { INodeParameters } from 'n8n-workflow';
import type { Input } from './n8n.mts';
import { speaking } from './requests.mts';
import {
	exactly,
	files,
	going,
	item,
	synchronize,
	tell,
	useSynchronized,
} from './synchronizing.mts';

const { service, run, contents, writes, has } = useSynchronized();

it('refuses an item with an unknown reference, and runs the others', async () => {
	for (const dossier of service.dossiers.values()) dossier.reference = dossier.id;
	const items = ['dos_1', 'none', 'dos_2'].map((dossier, n) => item(dossier, `${n}.txt`, 'a'));
	const dossierId = { __rl: true, mode: 'reference', value: '={{ $json.dossier }}' };
	const { error } = await run(synchronize({ dossierId }), items);
	expect(error?.message).toContain('[item 1]');
	const goingOn = await run(synchronize({ dossierId }), items, going);
	expect(goingOn.items.map(({ json }) => json.action)).toEqual(['uploaded', undefined, 'uploaded']);
});

it('ends if one item has no switch for Raw Records', async () => {
	const rawRecords = '={{ $json.dossier === "dos_2" ? "ja" : false }}';
	const items = [item('dos_1', 'a.txt', 'a'), item('dos_2', 'b.txt', 'b')];
	const { error } = await run(synchronize({ options: { rawRecords } }), items);
	expect(error?.message).toContain("'Raw Records'");
	expect(writes()).toEqual([]);
});

it.each([-1, 2.5])('refuses %d as the number of documents to delete', async (deleteLimit) => {
	const { error } = await run(exactly(deleteLimit), files('dos_1', { 'a.txt': 'a' }));
	expect(error?.message).toBe("The field 'Delete at Most' is not a whole number, 0 or more");
	expect(writes()).toEqual([]);
});

it('recognizes a file under the name that the service made of it', async () => {
	service.habits.nameFile = (name) => name.replace(/ /g, '_');
	await run(synchronize(), files('dos_1', { 'a letter.txt': 'a' }));
	const { items } = await run(exactly(0), files('dos_1', { 'a letter.txt': 'a' }));
	expect(tell(items)).toEqual([['a_letter.txt', 'unchanged']]);
	expect(service.documents.size).toBe(1);
});

it('does not take a document for a file if another file has its name', async () => {
	has('a_b.txt', 'same');
	await run(synchronize(), files('dos_1', { 'a b.txt': 'same', 'a_b.txt': 'same' }));
	expect(contents()).toEqual([
		['a b.txt', 'same'],
		['a_b.txt', 'same'],
	]);
});

it('refuses two items with the same name, naming both, before anything is written', async () => {
	const items = [item('dos_1', 'A\u030a.txt', 'a'), item('dos_1', '\u00c5.txt', 'b')];
	const { error } = await run(synchronize(), [item('dos_2', 'fine.txt', 'x'), ...items]);
	expect(error?.message).toBe(
		'Two files named \u00c5.txt are for the same dossier, in item 1 and item 2 (n8n counts from 0) [item 1]',
	);
	expect(writes()).toEqual([]);
	const goingOn = await run(synchronize(), [item('dos_2', 'fine.txt', 'x'), ...items], going);
	expect(goingOn.items.map(({ json, pairedItem }) => [json.action, pairedItem])).toEqual([
		['uploaded', { item: 0 }],
		[undefined, { item: 1 }],
		[undefined, { item: 2 }],
	]);
	expect(contents()).toEqual([]);
});

it('runs if an expression chooses the files, although other operations have more fields for files', async () => {
	await run(synchronize({ filesFrom: '={{ "all" }}' }), [item('dos_1', 'a.txt', 'a')]);
	expect(contents()).toEqual([['a.txt', 'a']]);
});

it('refuses an item with two files of the same name', async () => {
	const file = (text: string) => ({ fileName: 'a.txt', content: Buffer.from(text) });
	const { error } = await run(synchronize(), [
		{ json: { dossier: 'dos_1' }, files: { one: file('1'), two: file('2') } },
	]);
	expect(error?.message).toBe(
		'Two files named a.txt are for the same dossier, in item 0 (n8n counts from 0)',
	);
	expect(service.requests).toEqual([]);
});

it('does not send of the old version what the service sets itself', async () => {
	const old = service.documents.get(has('a.txt', 'old'));
	Object.assign(old ?? {}, { title: 'Old', custom_fields: { box: 7 }, category: 'tax' });
	const dialect = { document: { readOnly: ['title', 'custom_fields'] } };
	const credential = { ...service.credential, ...speaking(dialect) };
	const items = files('dos_1', { 'a.txt': 'new' });
	const { error } = await run(synchronize(), items, { credential });
	expect(error).toBeUndefined();
	const [kept] = service.documents.values();
	expect(Object.keys(kept ?? {})).not.toContain('title');
	expect(Object.keys(kept ?? {})).not.toContain('custom_fields');
	expect(kept).toMatchObject({ category: 'tax' });
});

it('deletes nothing for an item without a file, such as what an empty or failed listing gives', async () => {
	has('a.txt', 'a');
	const empty = [{ json: { dossier: 'dos_1' } }];
	const { error } = await run(exactly(100), empty);
	expect(error?.message).toBe('The item has no file to upload');
	await run(exactly(100), empty, going);
	expect(contents()).toEqual([['a.txt', 'a']]);
});

it('deletes nothing in any dossier if one of the items cannot be read', async () => {
	has('a.txt', 'a');
	const items = [item('dos_1', 'b.txt', 'b'), { json: { error: 'could not be read' } }];
	const { error } = await run(exactly(100), items);
	expect(error?.message).toContain("The field 'Dossier' is empty");
	expect(writes()).toEqual([]);
	const goingOn = await run(exactly(100), items, going);
	expect(goingOn.items.map(({ json }) => json.action)).toEqual(['uploaded', 'kept', undefined]);
	expect(contents()).toEqual([
		['a.txt', 'a'],
		['b.txt', 'b'],
	]);
});

describe('Executed once, for the first of its items', () => {
	const both = { 'a.txt': 'a', 'b.txt': 'b' };

	it('deletes no document whose file the other items have', async () => {
		has('a.txt', 'a');
		has('b.txt', 'b');
		const { error } = await run(exactly(100), files('dos_1', both), { executeOnce: true });
		expect(error?.message).toContain('gets only the first item');
		expect(error?.description).toContain('Switch "Execute Once" off');
		expect(writes()).toEqual([]);
	});

	it('runs if nothing is to be deleted', async () => {
		const { items } = await run(exactly(100), files('dos_1', both), { executeOnce: true });
		expect(tell(items)).toEqual([['a.txt', 'uploaded']]);
	});
});

describe('In a loop that brings the files of a dossier in parts', () => {
	const first = files('dos_1', { 'a.txt': 'a' });
	const runRounds = async (parameters: INodeParameters, rounds: Input[][]) =>
		await run(parameters, first, { rounds });

	it('deletes nothing that an earlier round has uploaded, and says so', async () => {
		const { error } = await runRounds(exactly(100), [files('dos_1', { 'b.txt': 'b' })]);
		expect(error).toMatchObject({
			message:
				'An earlier round of the loop had the same dossier, and this round would delete a.txt',
			description: expect.stringContaining('all files of a dossier at once'),
		});
		expect(contents()).toEqual([['a.txt', 'a']]);
	});

	it('shows in a dry run that this would be refused', async () => {
		has('old.txt', 'old');
		const rounds = [files('dos_1', { 'b.txt': 'b' })];
		const { items, error } = await runRounds(exactly(100, { dryRun: true }), rounds);
		expect(error).toBeUndefined();
		expect(items.at(-1)?.json.refused).toBe(
			'Would be refused: an earlier round of the loop had the same dossier',
		);
		expect(writes()).toEqual([]);
	});

	it('deletes in a round that n8n runs again after a failure', async () => {
		has('old.txt', 'old');
		service.habits.uploadStatuses = [400];
		const { error } = await run(exactly(1), first, { retryOnFail: true });
		expect(error).toBeUndefined();
		expect(writes().filter((request) => request.startsWith('POST'))).toHaveLength(2);
		expect(contents()).toEqual([['a.txt', 'a']]);
	});

	it('runs every round if each has all files of its dossier, or if nothing is to be deleted', async () => {
		has('old.txt', 'old');
		const rounds = [files('dos_2', { 'b.txt': 'b' }), files('dos_1', { 'a.txt': 'new' })];
		expect((await runRounds(exactly(1), rounds)).error).toBeUndefined();
		expect([contents('dos_1'), contents('dos_2')]).toEqual([[['a.txt', 'new']], [['b.txt', 'b']]]);
		const more = [files('dos_1', { 'c.txt': 'c' })];
		expect((await runRounds(synchronize(), more)).error).toBeUndefined();
		expect(contents()).toEqual([
			['a.txt', 'a'],
			['c.txt', 'c'],
		]);
	});
});

it('deletes nothing if a file could not be uploaded, and the rest the next time', async () => {
	has('a.txt', 'a');
	service.habits.uploadStatuses = [400];
	const items = files('dos_1', { 'b.txt': 'b', 'c.txt': 'c' });
	const parameters = exactly(1, { options: { concurrentRequests: 1 } });
	const broken = await run(parameters, items, going);
	expect(broken.items.map(({ json }) => json.action)).toEqual([undefined, 'uploaded', 'kept']);
	expect(broken.items[0]?.json.error).toMatchObject({ status: 400 });
	const again = await run(parameters, items);
	expect(again.items.map(({ json }) => json.action)).toEqual(['uploaded', 'unchanged', 'deleted']);
	expect(contents()).toEqual([
		['b.txt', 'b'],
		['c.txt', 'c'],
	]);
});

it.each([
	['dos_1', '..'],
	['..', 'dos_1'],
])('writes nothing anywhere if a dossier of the run cannot be listed: %s, %s', async (...ids) => {
	const items = ids.map((id, index) => item(id, `${index}.txt`, 'a'));
	const { error } = await run(synchronize(), items);
	expect(error?.message).toBe(`".." is not an identifier [item ${ids.indexOf('..')}]`);
	expect(writes()).toEqual([]);
});

it('deletes nothing if the service does not show the name of each document', async () => {
	has('a.txt', 'a');
	service.documents.set('doc_x', { id: 'doc_x', dossier_id: 'dos_1', content: Buffer.alloc(0) });
	const { error } = await run(exactly(100), files('dos_1', { 'b.txt': 'b' }));
	expect(error?.message).toContain('does not show the file names');
	expect(writes()).toEqual([]);
	await run(synchronize(), files('dos_1', { 'b.txt': 'b' }));
	expect(service.documents.size).toBe(3);
});

it('does not choose among several documents of the name, unless the others may be deleted', async () => {
	has('a.txt', 'one');
	has('a.txt', 'two');
	const { error } = await run(synchronize(), files('dos_1', { 'a.txt': 'three' }));
	expect(error?.message).toBe('The dossier has 2 documents named a.txt');
	expect(error?.description).not.toContain('ifExists');
	const dry = await run(synchronize({ dryRun: true }), files('dos_1', { 'a.txt': 'three' }));
	expect(tell(dry.items)).toEqual([
		['a.txt', 'kept'],
		['a.txt', 'replaced'],
	]);
	expect(dry.items[0]?.json.refused).toBe('Would be refused: 2 documents are named a.txt');
	expect(writes()).toEqual([]);
	const { items } = await run(exactly(1), files('dos_1', { 'a.txt': 'three' }));
	expect(tell(items)).toEqual([
		['a.txt', 'deleted'],
		['a.txt', 'replaced'],
	]);
	expect(contents()).toEqual([['a.txt', 'three']]);
});

it('keeps a second document with an equal file, unless others may be deleted', async () => {
	has('a.txt', 'same');
	has('a.txt', 'same');
	const given = files('dos_1', { 'a.txt': 'same' });
	expect(tell((await run(synchronize(), given)).items)).toEqual([['a.txt', 'unchanged']]);
	expect(writes()).toEqual([]);
	expect((await run(exactly(0), given)).error?.message).toContain('at most 0 may be deleted');
	expect(tell((await run(exactly(1), given)).items)).toEqual([
		['a.txt', 'deleted'],
		['a.txt', 'unchanged'],
	]);
});

it('keeps what else has the name of a file that the dossier holds, unless it can only be its old version', async () => {
	const given = files('dos_1', { 'a.txt': 'same' });
	const stay = async () => {
		const { items, error } = await run(synchronize(), given);
		expect(error).toBeUndefined();
		expect(tell(items)).toEqual([
			['a.txt', 'kept'],
			['a.txt', 'unchanged'],
		]);
		expect(writes()).toEqual([]);
	};
	const found = [has('a.txt', 'same'), has('a.txt', 'same'), has('a.txt', 'other')];
	await stay();
	service.documents.delete(found[1] ?? '');
	const [same, other] = service.documents.values();
	Object.assign(same ?? {}, { created_at: '2026-03-01T12:00:00Z' });
	Object.assign(other ?? {}, { created_at: '2026-03-02T12:00:00Z' });
	await stay();
	Object.assign(other ?? {}, { created_at: '2026-02-28T12:00:00Z' });
	expect(tell((await run(synchronize(), given)).items)).toEqual([['a.txt', 'replaced']]);
	expect(contents()).toEqual([['a.txt', 'same']]);
});

it('keeps the old version if the service does not hold the whole new one', async () => {
	has('a.txt', 'old');
	service.habits.keptBytes = 2;
	const { error } = await run(synchronize(), files('dos_1', { 'a.txt': 'new' }));
	expect(error?.message).toMatch(/stored 2 bytes/);
	expect(contents()).toContainEqual(['a.txt', 'old']);
});
