/** The example import, in a real n8n: what it does with real files, and with everything that goes wrong. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { listCases } from '../../scripts/caseFiles.ts';
import { importWorkflow } from '../../scripts/hostRest.ts';
import { complaints, readWorkflow, withFolder } from '../../scripts/intakeWorkflow.ts';
import { readBack } from '../../scripts/readBack.ts';
import { OPENING_MS, openLive, root } from './live.ts';
import type { Live } from './live.ts';
import { openRemover } from './remover.ts';
import {
	byId,
	dossierStep,
	itemsOf,
	runOnce,
	runStored,
	startWith,
	told,
	workflowOf,
} from './workflows.ts';
import type { Step } from './workflows.ts';

const files = join(root, 'examples/files');

let live: Live;
beforeAll(async () => {
	live = await openLive();
}, OPENING_MS);
afterAll(() => live.close());

async function newDossier(): Promise<string> {
	const { data } = await live.service.post<{ id: string }>('/dossiers', { title: 'Bad input' });
	return data.id;
}

async function documentsOf(dossier: string): Promise<string[]> {
	const { data } = await live.service.get<{ data: Array<{ file_name: string }> }>(
		`/dossiers/${dossier}/documents`,
	);
	return data.data.map(({ file_name: name }) => name).sort();
}

/** Files in a folder that n8n may read; gives their paths. */
async function filesIn(name: string, names: string[]): Promise<string[]> {
	const folder = join(live.folder, name);
	await mkdir(folder);
	const paths = names.map((one) => join(folder, one));
	for (const path of paths) await writeFile(path, `content of ${path}`);
	return paths;
}

const readFiles: Step = {
	name: 'Read',
	type: 'n8n-nodes-base.readWriteFile',
	typeVersion: 1.1,
	parameters: { operation: 'read', fileSelector: '={{ $json.path }}', options: {} },
	onError: 'continueRegularOutput',
};

const upload = {
	resource: 'document',
	operation: 'upload',
	dossierId: byId("={{ $('Items').item.json.dossier }}"),
	filesFrom: 'named',
	binaryPropertyName: "={{ $('Items').item.json.field ?? 'data' }}",
	category: 'other',
	ifExists: 'upload',
};

describe('The example import of a folder', () => {
	it('puts each file into its dossier once, byte for byte, however often it runs', async () => {
		const credential = await live.credential();
		const workflow = await readWorkflow(join(root, 'examples/document-intake.json'), credential);
		const { session } = live;
		const nodes = withFolder(workflow.nodes, files);
		const stored = await importWorkflow(session, { ...workflow, nodes });
		const listing = await listCases(files);
		const sandbox = { baseUrl: `${live.sandbox.url}/v1`, organization: live.organization };

		const first = await runStored(live, stored);
		expect(complaints(first.data)).toEqual([]);
		expect(itemsOf(first, 'Compare').map(({ json }) => [json.equal, json.already_there])).toEqual(
			listing.files.map(() => [true, false]),
		);
		expect(await readBack(sandbox, listing.files, live.signal)).toMatchObject({
			complete: true,
			unexpected: [],
		});

		const again = await runStored(live, stored);
		expect(again.status).toBe('success');
		expect(itemsOf(again, 'Compare').map(({ json }) => [json.equal, json.already_there])).toEqual(
			listing.files.map(() => [true, true]),
		);
		expect(await readBack(sandbox, listing.files, live.signal)).toMatchObject({ complete: true });
	});
});

describe('An upload that cannot be done', () => {
	it('is told at its item in a sentence, and the others go on', async () => {
		const dossier = await newDossier();
		const [first, second, third, last] = await filesIn('one', ['a.txt', 'b.txt', 'c.txt', 'd.txt']);
		const execution = await runOnce(
			live,
			workflowOf('One of several', [
				...startWith([
					{ path: first, dossier },
					{ path: second, dossier: 'dos_missing' },
					{ path: third, dossier, field: 'attachment' },
					{ path: last, dossier },
				]),
				readFiles,
				dossierStep('Upload', await live.credential(), upload),
			]),
		);
		expect(execution.status).toBe('success');
		expect(told(execution, 'Upload')).toEqual([
			'done',
			expect.stringMatching(/^There is no dossier with this id\. .*Choose one from the list/),
			'The item has no binary field "attachment". It has "data": enter one of these.',
			'done',
		]);
		expect(itemsOf(execution, 'Upload').map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(await documentsOf(dossier)).toEqual(['a.txt', 'd.txt']);
	});

	it('ends the run in a sentence with the item, where the node is not set to continue', async () => {
		const dossier = await newDossier();
		const [first, second] = await filesIn('ending', ['a.txt', 'b.txt']);
		const execution = await runOnce(
			live,
			workflowOf('Ends', [
				...startWith([
					{ path: first, dossier },
					{ path: second, dossier: 'dos_missing' },
				]),
				readFiles,
				dossierStep('Upload', await live.credential(), upload, 'stopWorkflow'),
			]),
		);
		expect(execution.status).toBe('error');
		expect(complaints(execution.data)).toEqual([
			expect.stringMatching(
				/^At "Upload": There is no dossier with this id\. .*\[Item 1\] .*Choose one from the list/,
			),
		]);
	});

	const refusals: Array<[what: string, changes: ICredentialDataDecryptedObject, sentence: RegExp]> =
		[
			['a wrong key', { apiKey: 'sk_test_wrong' }, /key\. .*Check the API key in the credential/],
			[
				'a wrong organization',
				{ organizationId: 'org_wrong' },
				/^.*organization.* Check the organization ID in the credential/,
			],
			[
				'a live key for the sandbox',
				{ apiKey: 'sk_live_1' },
				/^A live key was about to be sent to the sandbox, so nothing was sent\. /,
			],
			[
				'a sandbox that is not there',
				{ sandboxUrl: 'http://127.0.0.1:9/v1' },
				/^Nothing answers at 127\.0\.0\.1:9\. Check the address in the credential/,
			],
		];

	it.each(refusals)('is told at every item with %s', async (what, changes, sentence) => {
		const dossier = await newDossier();
		const [first, second] = await filesIn(what, ['a.txt', 'b.txt']);
		const execution = await runOnce(
			live,
			workflowOf(what, [
				...startWith([
					{ path: first, dossier },
					{ path: second, dossier },
				]),
				readFiles,
				dossierStep('Upload', await live.credential(changes), upload),
			]),
		);
		const refused: unknown = expect.stringMatching(sentence);
		expect(told(execution, 'Upload')).toEqual([refused, refused]);
		expect(await documentsOf(dossier)).toEqual([]);
	});
});

describe('A file that is gone', () => {
	it('before it was read leaves an item that says so, and the others are uploaded', async () => {
		const dossier = await newDossier();
		const [first, second, last] = await filesIn('gone', ['a.txt', 'b.txt', 'c.txt']);
		await rm(String(second));
		const execution = await runOnce(
			live,
			workflowOf('Gone before', [
				...startWith([first, second, last].map((path) => ({ path, dossier }))),
				readFiles,
				dossierStep('Upload', await live.credential(), upload),
			]),
		);
		expect(told(execution, 'Upload')).toEqual([
			'done',
			expect.stringContaining('It has no file at all: check that the step before gives out files'),
			'done',
		]);
		expect(await documentsOf(dossier)).toEqual(['a.txt', 'c.txt']);
	});

	it('from the storage of n8n is told at its item, and the others are uploaded', async () => {
		const dossier = await newDossier();
		const paths = await filesIn('storage', ['a.txt', 'b.txt', 'c.txt']);
		const remover = await openRemover(join(dirname(live.folder), 'n8n'));
		const execution = await runOnce(
			live,
			workflowOf('Gone from storage', [
				...startWith(paths.map((path) => ({ path, dossier }))),
				readFiles,
				{
					name: 'Remove',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					parameters: {
						url: `=${remover.url}?remove={{ $binary.data.fileName === 'b.txt' ? $binary.data.id : '' }}`,
						options: {},
					},
				},
				dossierStep('Upload', await live.credential(), {
					...upload,
					binaryPropertyName: "={{ $('Read').item.binary.data }}",
				}),
			]),
		);
		await remover.close();
		expect(told(execution, 'Upload')).toEqual([
			'done',
			expect.stringMatching(
				/b\.txt is no longer in n8n's storage\. .*Read or receive the file again/,
			),
			'done',
		]);
		expect(await documentsOf(dossier)).toEqual(['a.txt', 'c.txt']);
	});
});
