import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { openReceiver } from '../../../sandbox/test/receiver.mts';
import type { Receiver } from '../../../sandbox/test/receiver.mts';
import { activateWorkflow, deactivateWorkflow } from '../../../scripts/host/rest.mts';
import { complaints, readItems, runStored } from '../../../scripts/host/executions.mts';
import { until } from '../../../scripts/process/until.mts';
import type { Live } from '../live.mts';
import { observeTriggers } from '../triggers.mts';
import { importExample } from './imported.mts';
import { dossierWith, listDocuments, newDossier } from './records.mts';

/** More failures than one message of the chat names. */
const REFUSED = ['=c.txt', ...Array.from({ length: 50 }, (_, index) => `d${index + 10}.txt`)];
/** Two cases; nothing can be added to the dossier of the second one. */
const FILES = { '2040-001 New': ['a.txt', 'b.txt'], '2040-002 Old': REFUSED };

/** The intake starts by itself within half a minute, not at night. */
const startSoon = (node: INode): INode =>
	node.name === 'Every Night'
		? { ...node, parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 30 }] } } }
		: node;

export function failedFiles(live: () => Live): void {
	let chat: Receiver;
	let folder: string;
	let reports: string;
	beforeAll(async () => {
		chat = await openReceiver();
		folder = join(live().folder, 'bulk');
		reports = join(live().folder, 'reports');
		await mkdir(reports);
		for (const [name, files] of Object.entries(FILES)) {
			await mkdir(join(folder, name), { recursive: true });
			for (const file of files) await writeFile(join(folder, name, file), `content of ${file}`);
		}
		const old = { title: 'Old', reference: '2040-002' };
		const id = await newDossier(live(), old.reference, { title: old.title, status: 'closed' });
		await live().service.put(`/dossiers/${id}`, { ...old, status: 'archived' });
	});
	afterAll(() => chat.close());

	const importIntake = async (readBack: boolean, errorWorkflow?: string) =>
		await importExample(live(), 'document-intake.json', {
			settings: { folder, report_folder: reports, read_back: readBack },
			change: startSoon,
			workflowSettings: { errorWorkflow },
		});

	it('has a report of all files that could not be uploaded or read back, and the others are imported', async () => {
		const workflow = await importIntake(true);
		const gone = { operation: 'documents.download', status: 404, code: 'DOCUMENT_NOT_FOUND' };
		await live().control.faults.add({ ...gone, times: 1 });
		const execution = await runStored(live(), workflow);

		expect(execution.status).toBe('error');
		expect(complaints(execution.data)).toContainEqual(
			expect.stringMatching(
				/52 files were not imported, the first is '=c\.txt of dossier 2040-002: .* The report is .*failed-files .*\.csv\. .*2040-002 \/ d59\.txt: .*2040-001 \/ [ab]\.txt: /s,
			),
		);
		const dossier = (await dossierWith(live(), '2040-001')) ?? '';
		expect((await listDocuments(live(), dossier)).map(([name]) => name)).toEqual([
			'a.txt',
			'b.txt',
		]);

		const [name = ''] = await readdir(reports);
		const [header, ...rows] = (await readFile(join(reports, name), 'utf8'))
			.replace('\ufeff', '')
			.trim()
			.split('\n');
		expect(header).toBe('file,dossier,error_code,problem,what_to_do');
		expect(rows).toEqual([
			expect.stringMatching(/^'=c\.txt,2040-002,[A-Z_]+,.{20}/),
			...REFUSED.slice(1).map((file) =>
				expect.stringMatching(new RegExp(`^${file},2040-002,[A-Z_]+,.{20}`)),
			),
			expect.stringMatching(/^[ab]\.txt,2040-001,DOCUMENT_NOT_FOUND,.{20}/),
		]);
	});

	it('writes to the chat which files failed of an import that began by itself', async () => {
		const errors = await importExample(live(), 'failed-files.json', {
			settings: { chat_url: chat.url },
		});
		// In n8n 1, there is nothing to publish about a workflow for errors
		await activateWorkflow(live().session, errors).catch((refusal: unknown) =>
			expect(String(refusal)).toContain('no node to start the workflow'),
		);
		const workflow = await importIntake(false, errors.id);
		await activateWorkflow(live().session, workflow);
		await until('messages', async () => await Promise.resolve(chat.received.length >= 3));
		await deactivateWorkflow(live().session, workflow);
		const [run] = await observeTriggers(live()).awaitRuns(workflow, 1);
		// A file that is not read back is not handed on, which the editor would draw
		const uploaded = run ? readItems(run, 'Upload File') : [];
		expect(uploaded.map(({ binary }) => binary)).toEqual([undefined, undefined]);
		const texts = chat.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
		expect(texts[0]).toContain(
			"Document intake: 51 files were not imported, the first is '=c.txt of dossier 2040-002: ",
		);
		expect(texts[0]).toContain(`/workflow/${workflow.id}/`);
		const named = texts.slice(1, 3).map((text) => text.split('\n'));
		expect(named.map(({ length }) => length)).toEqual([50, 1]);
		expect(named.flat()).toEqual([
			expect.stringMatching(/^2040-002 \/ '=c\.txt: .{20}.*\([A-Z_]+\)$/),
			...REFUSED.slice(1).map((file) =>
				expect.stringMatching(new RegExp(`^2040-002 / ${file}: .{20}.*\\([A-Z_]+\\)$`)),
			),
		]);
	});
}
