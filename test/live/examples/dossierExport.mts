import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { complaints, runStored } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { importExample } from './imported.mts';
import { addDocument, newDossier, sha256 } from './records.mts';

const MANIFEST = 'manifest.csv';

export function dossierExport(live: () => Live): void {
	/** Imports the example, set to export the dossier with this reference into a new folder. */
	async function importFor(reference: string) {
		const folder = join(live().folder, `export-${reference}`);
		await mkdir(folder);
		const settings = { folder, reference };
		return { folder, workflow: await importExample(live(), 'dossier-export.json', { settings }) };
	}

	/** The files of a folder by name, with the SHA-256 of each. */
	async function listFiles(folder: string) {
		const names = (await readdir(folder)).filter((name) => name !== MANIFEST).sort();
		return await Promise.all(
			names.map(async (name) => [name, sha256(await readFile(join(folder, name)))]),
		);
	}

	/** The rows of the manifest without its header, in the order of the file names. */
	async function readManifest(folder: string) {
		const [header, ...rows] = (await readFile(join(folder, MANIFEST), 'utf8'))
			.replace('\ufeff', '')
			.trim()
			.split('\n');
		expect(header).toBe('file,document_id,name,category,size_bytes,sha256');
		return rows.sort();
	}

	it('writes each document byte for byte, also several with one name, and duplicates none in a second run', async () => {
		const dossier = await newDossier(live(), 'X-1');
		const letter = 'Brief Müller 手紙.txt';
		await addDocument(live(), dossier, letter);
		const first = await addDocument(live(), dossier, 'invoice.pdf', 'first');
		const second = await addDocument(live(), dossier, 'Invoice.PDF', 'second');
		const { folder, workflow } = await importFor('X-1');

		const wanted = [
			[letter, sha256(`content of ${letter}`)],
			[`Invoice (${second}).PDF`, sha256('second')],
			[`invoice (${first}).pdf`, sha256('first')],
		];
		for (let runs = 0; runs < 2; runs += 1) {
			const execution = await runStored(live(), workflow);
			expect(complaints(execution.data)).toEqual([]);
			expect(await listFiles(folder)).toEqual(wanted);
			const rows = [
				[`Invoice (${second}).PDF`, second, 'Invoice.PDF', 'other', 6, sha256('second')],
				[`invoice (${first}).pdf`, first, 'invoice.pdf', 'other', 5, sha256('first')],
			];
			const manifest = await readManifest(folder);
			expect(manifest).toHaveLength(wanted.length);
			expect(manifest).toEqual(expect.arrayContaining(rows.map((row) => row.join())));
		}
	});

	it('escapes names that a spreadsheet would run as formulas, and keeps the manifest from a document of its name', async () => {
		const dossier = await newDossier(live(), 'X-4');
		const hostile = ['=HYPERLINK("x").txt', '+1.txt', '-2.txt', '@SUM(1).txt'];
		for (const name of [...hostile, 'Manifest.CSV']) await addDocument(live(), dossier, name);
		const { folder, workflow } = await importFor('X-4');
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([]);
		const names = (await readManifest(folder)).map(
			(row) => row.match(/,("'.*"|[^,]*),other,/)?.[1],
		);
		const wanted = [
			`"'=HYPERLINK(""x"").txt"`,
			`'+1.txt`,
			`'-2.txt`,
			`'@SUM(1).txt`,
			'Manifest.CSV',
		];
		expect(names.sort()).toEqual(wanted.sort());
		expect((await listFiles(folder)).map(([, sum]) => sum)).toContain(
			sha256('content of Manifest.CSV'),
		);
	});

	it('succeeds for a dossier without documents', async () => {
		await newDossier(live(), 'X-2');
		const { folder, workflow } = await importFor('X-2');
		const { status } = await runStored(live(), workflow);
		expect([status, await readdir(folder)]).toEqual(['success', []]);
	});

	it('writes the other files if one cannot be downloaded, and names that one', async () => {
		const dossier = await newDossier(live(), 'X-3');
		for (const name of ['a.txt', 'b.txt', 'c.txt']) await addDocument(live(), dossier, name);
		const { folder, workflow } = await importFor('X-3');
		const fault = { operation: 'documents.download', status: 404, code: 'DOCUMENT_NOT_FOUND' };
		await live().control.faults.add({ ...fault, times: 1 });

		const execution = await runStored(live(), workflow);
		expect(execution.status).toBe('error');
		expect(complaints(execution.data)).toContainEqual(
			expect.stringMatching(/1 file was not exported: [abc]\.txt: /),
		);
		expect(await listFiles(folder)).toHaveLength(2);
		expect(await readManifest(folder)).toHaveLength(2);
	});

	it('says so if no dossier has the reference', async () => {
		const { workflow } = await importFor('X-missing');
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([
			'At "Stop: No Such Dossier": No dossier has the reference "X-missing". Check it in the node Settings.',
		]);
	});
}
