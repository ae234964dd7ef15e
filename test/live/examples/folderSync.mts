import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { complaints, readItems, runStored } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { importExample } from './imported.mts';
import { addDocument, listDocuments, newDossier, sha256 } from './records.mts';

export function folderSync(live: () => Live): void {
	/** Runs the example over a folder with these files. Gives its complaints and what became of each file. */
	async function run(reference: string, texts: Record<string, string>, settings: object = {}) {
		const folder = join(live().folder, `sync-${reference}`);
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder);
		for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
		const workflow = await importExample(live(), 'folder-sync.json', {
			settings: { folder, reference, dry_run: false, delete_at_most: 1, ...settings },
		});
		const execution = await runStored(live(), workflow);
		const items = readItems(execution, 'Synchronize');
		return {
			problems: complaints(execution.data),
			actions: items.map(({ json }) => [json.file_name, json.action]).sort(),
		};
	}

	it('uploads what is new, replaces what changed and deletes what is gone, after a dry run', async () => {
		const dossier = await newDossier(live(), 'S-1');
		await addDocument(live(), dossier, 'gone.txt');
		await addDocument(live(), dossier, 'Müller.txt', 'old');
		const before = await listDocuments(live(), dossier);
		const texts = { 'Müller.txt': 'new', 'b.txt': 'b' };
		const wanted = {
			problems: [],
			actions: [
				['Müller.txt', 'replaced'],
				['b.txt', 'uploaded'],
				['gone.txt', 'deleted'],
			],
		};
		expect(await run('S-1', texts, { dry_run: true })).toEqual(wanted);
		expect(await listDocuments(live(), dossier)).toEqual(before);
		expect(await run('S-1', texts)).toEqual(wanted);
		const after = Object.entries(texts).map(([name, text]) => [name, sha256(text)]);
		expect(await listDocuments(live(), dossier)).toEqual(after);
		const again = await run('S-1', texts);
		expect(again.actions.map(([, action]) => action)).toEqual(['unchanged', 'unchanged']);
	});

	it('changes nothing and says why if more would be deleted than it may, or if the folder is empty', async () => {
		const dossier = await newDossier(live(), 'S-2');
		for (const name of ['a.txt', 'b.txt']) await addDocument(live(), dossier, name);
		const before = await listDocuments(live(), dossier);
		const { problems } = await run('S-2', { 'c.txt': 'c' });
		expect(problems).toContainEqual(
			expect.stringContaining(
				'Nothing was changed: more documents would be deleted than "delete_at_most" in Settings allows. 2 documents of the dossier are not among the files, and at most 1 may be deleted',
			),
		);
		await run('S-2', {});
		expect(await listDocuments(live(), dossier)).toEqual(before);
	});
}
