/** The example import, in a real n8n: what it does with real files, and with everything that goes wrong. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { listCases } from '../../scripts/intake/caseFiles.ts';
import { importWorkflow } from '../../scripts/host/rest.ts';
import { complaints, readWorkflow, withFolder } from '../../scripts/intake/workflow.ts';
import { readBack } from '../../scripts/intake/readBack.ts';
import { BINARY_MODE, HOSTS, OPENING_MS, openLive, root } from './live.ts';
import type { Live } from './live.ts';
import { openRemover } from './remover.ts';
import { readFiles, openUploads } from './uploads.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import {
	byId,
	dossierStep,
	readItems,
	runOnce,
	runStored,
	startWith,
	readOutcomes,
} from './workflows.ts';

const files = join(root, 'examples/files');

const read = readFiles('={{ $json.path }}');

const upload = {
	resource: 'document',
	operation: 'upload',
	dossierId: byId("={{ $('Items').item.json.dossier }}"),
	filesFrom: 'named',
	binaryPropertyName: "={{ $('Items').item.json.field ?? 'data' }}",
	category: 'other',
	ifExists: 'upload',
};

describe.each(HOSTS)('In %s', (host) => {
	let live: Live;
	let uploads: ReturnType<typeof openUploads>;
	beforeAll(async () => {
		live = await openLive(host);
		uploads = openUploads(live);
	}, OPENING_MS);
	afterAll(() => live.close());

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
			expect(
				readItems(first, 'Compare').map(({ json }) => [json.equal, json.already_there]),
			).toEqual(listing.files.map(() => [true, false]));
			expect(await readBack(sandbox, listing.files, live.signal)).toMatchObject({
				complete: true,
				unexpected: [],
			});

			const again = await runStored(live, stored);
			expect(again.status).toBe('success');
			expect(
				readItems(again, 'Compare').map(({ json }) => [json.equal, json.already_there]),
			).toEqual(listing.files.map(() => [true, true]));
			expect(await readBack(sandbox, listing.files, live.signal)).toMatchObject({ complete: true });
		});
	});

	describe('An upload that cannot be done', () => {
		it('is reported at its item in a sentence, and the others are uploaded', async () => {
			const dossier = await uploads.newDossier();
			const [first, second, third, last] = await uploads.filesIn('one', [
				'a.txt',
				'b.txt',
				'c.txt',
				'd.txt',
			]);
			const execution = await runOnce(
				live,
				buildWorkflow('One of several', [
					...startWith([
						{ path: first, dossier },
						{ path: second, dossier: 'dos_missing' },
						{ path: third, dossier, field: 'attachment' },
						{ path: last, dossier },
					]),
					read,
					dossierStep('Upload', await live.credential(), upload),
				]),
			);
			expect(execution.status).toBe('success');
			expect(readOutcomes(execution, 'Upload')).toEqual([
				'done',
				expect.stringMatching(/^There is no dossier with this id\. .*Choose one from the list/),
				expect.stringContaining('The item has no binary field "attachment". Available: "data".'),
				'done',
			]);
			expect(readItems(execution, 'Upload').map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2, 3].map((item) => ({ item })),
			);
			expect(await uploads.listDocuments(dossier)).toEqual(['a.txt', 'd.txt']);
		});

		it('ends the run with a sentence that names the item, if the node is not set to continue', async () => {
			const dossier = await uploads.newDossier();
			const [first, second] = await uploads.filesIn('ending', ['a.txt', 'b.txt']);
			const execution = await runOnce(
				live,
				buildWorkflow('Ends', [
					...startWith([
						{ path: first, dossier },
						{ path: second, dossier: 'dos_missing' },
					]),
					read,
					dossierStep('Upload', await live.credential(), upload, 'stopWorkflow'),
				]),
			);
			expect(execution.status).toBe('error');
			expect(complaints(execution.data)).toEqual([
				expect.stringMatching(
					/^At "Upload": There is no dossier with this id.*\[item 1\] .*Choose one from the list/,
				),
			]);
		});

		const refusals: Array<
			[what: string, changes: ICredentialDataDecryptedObject, sentence: RegExp]
		> = [
			[
				'a wrong key',
				{ apiKey: 'sk_test_wrong' },
				/unknown\. .*Check the API key in the credential/,
			],
			[
				'a wrong organization',
				{ organizationId: 'org_wrong' },
				/^.*organization.* Check 'Organization ID' in the credential/,
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

		it.each(refusals)('is reported at every item with %s', async (what, changes, sentence) => {
			const dossier = await uploads.newDossier();
			const [first, second] = await uploads.filesIn(what, ['a.txt', 'b.txt']);
			const execution = await runOnce(
				live,
				buildWorkflow(what, [
					...startWith([
						{ path: first, dossier },
						{ path: second, dossier },
					]),
					read,
					dossierStep('Upload', await live.credential(changes), upload),
				]),
			);
			const refused: unknown = expect.stringMatching(sentence);
			expect(readOutcomes(execution, 'Upload')).toEqual([refused, refused]);
			expect(await uploads.listDocuments(dossier)).toEqual([]);
		});
	});

	describe('A file that is gone', () => {
		it('before n8n reads it does not prevent the upload of the others', async () => {
			const dossier = await uploads.newDossier();
			const [first, second, last] = await uploads.filesIn('gone', ['a.txt', 'b.txt', 'c.txt']);
			await rm(String(second));
			const execution = await runOnce(
				live,
				buildWorkflow('Gone before', [
					...startWith([first, second, last].map((path) => ({ path, dossier }))),
					read,
					dossierStep('Upload', await live.credential(), upload),
				]),
			);
			// Read Files itself says nothing of it in n8n 1, and gives an item without a file in n8n 2
			const missing = /It has no file at all: check that the previous step returns files/;
			const lacking = host === 'n8n-1' ? [] : [expect.stringMatching(missing)];
			expect(readOutcomes(execution, 'Upload')).toEqual(['done', ...lacking, 'done']);
			expect(await uploads.listDocuments(dossier)).toEqual(['a.txt', 'c.txt']);
		});

		// If n8n keeps files in memory, there is no stored file to remove
		if (BINARY_MODE[host] === 'filesystem') {
			it('from the storage of n8n is reported at its item, and the others are uploaded', async () => {
				const dossier = await uploads.newDossier();
				const paths = await uploads.filesIn('storage', ['a.txt', 'b.txt', 'c.txt']);
				const remover = await openRemover(live.host.userFolder);
				const execution = await runOnce(
					live,
					buildWorkflow('Gone from storage', [
						...startWith(paths.map((path) => ({ path, dossier }))),
						read,
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
				expect(readOutcomes(execution, 'Upload')).toEqual([
					'done',
					expect.stringMatching(
						/b\.txt is no longer in n8n's storage\. .*Read or receive the file again/,
					),
					'done',
				]);
				expect(await uploads.listDocuments(dossier)).toEqual(['a.txt', 'c.txt']);
			});
		}
	});
});
