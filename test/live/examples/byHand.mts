/** Examples that begin by hand and are told in a few lines. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listCases } from '../../../scripts/intake/caseFiles.mts';
import { readBack } from '../../../scripts/intake/readBack.mts';
import { complaints, readItems, runStored } from '../../../scripts/host/executions.mts';
import { root } from '../live.mts';
import type { Live } from '../live.mts';
import { importExample } from './imported.mts';
import { readBinary } from '../rows.mts';
import { newDossier } from './records.mts';

const folder = join(root, 'examples/files');

export function documentIntake(live: () => Live): void {
	it('puts each file into its dossier once, byte for byte, however often it runs', async () => {
		const { sandbox, organization, signal } = live();
		const settings = { folder, report_folder: live().folder, read_back: true };
		const workflow = await importExample(live(), 'document-intake.json', { settings });
		const { files } = await listCases(folder);
		const place = { baseUrl: `${sandbox.url}/v1`, organization };
		const trial = await importExample(live(), 'document-intake.json', {
			settings: { ...settings, dry_run: true },
		});
		const planned = readItems(await runStored(live(), trial), 'Upload File');
		expect(planned.map(({ json }) => json.dry_run)).toEqual(files.map(() => true));
		expect(await readBack(place, [], signal)).toMatchObject({ unexpected: [] });
		for (const wasThere of [false, true]) {
			const { data, ...execution } = await runStored(live(), workflow);
			expect([execution.status, complaints(data)]).toEqual(['success', []]);
			const compared = readItems({ data }, 'Compare').map(({ json }) => json);
			expect(compared.map((one) => [one.equal, one.already_there])).toEqual(
				files.map(() => [true, wasThere]),
			);
			expect(await readBack(place, files, signal)).toMatchObject({
				isComplete: true,
				unexpected: [],
			});
		}
	});

	it('imports a file with a line break in its name', async () => {
		const odd = join(live().folder, 'odd');
		await mkdir(join(odd, '2041-001 Odd'), { recursive: true });
		await writeFile(join(odd, '2041-001 Odd/a\nb.txt'), 'a');
		const settings = { folder: odd, report_folder: live().folder };
		const workflow = await importExample(live(), 'document-intake.json', { settings });
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([]);
		const [uploaded] = readItems(execution, 'Upload File');
		expect(uploaded?.json).toMatchObject({ title: 'a_b.txt', file_name: 'a_b.txt' });
	});
}

export function checkContract(live: () => Live): void {
	it('shows on a page, and in a file, what the check found', async () => {
		const workflow = await importExample(live(), 'check-contract.json');
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([]);
		const pages = readItems(execution, 'Show the Page').map(({ json }) => json.html);
		expect(pages).toEqual([
			expect.stringMatching(/<h2[^>]*>Dialect[^]*<h3[^>]*>List of dossiers[^]*<li>/),
		]);
		const [file] = readItems(execution, 'As a File');
		expect(file?.binary?.data?.fileName).toBe('check-contract.html');
		expect((await readBinary(live(), file?.binary?.data)).toString()).toBe(pages[0]);
	});
}

export function newDossiers(live: () => Live): void {
	it('goes on with each dossier in one execution', async () => {
		const workflow = await importExample(live(), 'new-dossiers.json');
		const run = async () => {
			const execution = await runStored(live(), workflow);
			return readItems(execution, 'Only Those Not Seen Before').map(({ json }) => json.id);
		};
		const old = await newDossier(live(), 'N-1');
		expect(await run()).toContain(old);
		const added = await newDossier(live(), 'N-2');
		expect(await run()).toEqual([added]);
		expect(await run()).toEqual([]);
	});
}
