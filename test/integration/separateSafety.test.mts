/** An upload in steps leaves other documents alone, and reports no success that it has not seen. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import { answering, answerJson, refusing, sha256, shortenPauses } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { carry, speaking, uploadTo } from './requests.mts';
import { addressAt, content, storesAt, useSeparate } from './separately.mts';

beforeAll(async () => await useBinaryMode('default'));
shortenPauses();

const { service, run, startFake, documents, take, naming, upload, startStorage } = useSeparate();

describe('A ticket that names a document which was there before', () => {
	const old = {
		dossier_id: 'dos_1',
		file_name: 'invoice.txt',
		size_bytes: 3,
		checksum_sha256: sha256('old'),
	};

	const toVersion = (url: string): Handlers => ({
		...naming(addressAt(url)),
		'POST /v1/dossiers/{id}/documents': (_, response) => {
			answerJson(response, 201, { id: 'doc_9', upload: addressAt(url)('doc_9') });
		},
	});

	const synchronize: INodeParameters = {
		operation: 'synchronize',
		extent: 'atLeast',
		dryRun: false,
	};

	const fails: Array<[string, Handlers]> = [
		['the storage is away', { 'PUT /files/{id}': refusing(503, 'Away') }],
		[
			'the confirmation fails',
			{
				'PUT /files/{id}': answering(200),
				'POST /v1/documents/{id}/confirm': refusing(500, 'Broken'),
			},
		],
	];
	const modes: Array<[string, INodeParameters, IDataObject]> = [
		['Skip', { ifExists: 'skip' }, old],
		['Replace', { ifExists: 'replace' }, old],
		['Synchronize', synchronize, old],
		[
			'Skip, without content',
			{ ifExists: 'skip' },
			{ ...old, size_bytes: null, checksum_sha256: null },
		],
		['Upload Anyway', { ifExists: 'upload' }, old],
		[
			'Upload Anyway, made long ago and shown without sizes',
			{ ifExists: 'upload' },
			{ dossier_id: 'dos_1', file_name: 'invoice.txt', created_at: '2026-01-01T00:00:00Z' },
		],
		[
			'Upload Anyway, shown without times and sizes',
			{ ifExists: 'upload' },
			{ dossier_id: 'dos_1', file_name: 'invoice.txt' },
		],
	];

	it.each(
		modes.flatMap(([mode, ...rest]) =>
			fails.map(([fault, handlers]) => ({ mode, rest, fault, handlers })),
		),
	)(
		'leaves it alone with $mode if $fault',
		async ({ mode, rest: [parameters, before], handlers }) => {
			documents.set('doc_9', { id: 'doc_9', ...before });
			const { 'PUT /files/{id}': put = refusing(500, ''), ...own } = handlers;
			const storage = await startFake({ 'PUT /files/{id}': put });
			const { error } = await run(uploadTo('dos_1', parameters), {
				items: [carry('invoice.txt', content)],
				credential: speaking({ upload: storesAt, download: { noFile: 'NO_FILE' } }),
				handlers: {
					...toVersion(storage.url),
					...own,
					'GET /v1/documents/{id}/download': refusing(409, 'No file', 'NO_FILE'),
				},
			});
			const isListed = !mode.startsWith('Upload Anyway');
			expect(error?.message).toContain(
				isListed
					? 'as a new version of the document doc_9'
					: 'its document doc_9 is left without it',
			);
			expect(error?.description).toContain(
				isListed ? 'it was not deleted' : 'If it has no content',
			);
			expect(documents.get('doc_9')).toEqual({ id: 'doc_9', ...before });
			expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
		},
	);
});

it.each([true, false])(
	'fails if the document shows no content afterwards (later: %s)',
	async (isLater) => {
		let looks = 0;
		const storage = await startStorage(answering(200));
		const { error } = await upload(
			{
				...naming(addressAt(storage.url)),
				'GET /v1/documents/{id}': (_, response) => {
					const isThere = isLater && looks++ > 0;
					answerJson(response, 200, {
						id: 'doc_1',
						file_name: 'invoice.txt',
						size_bytes: isThere ? content.length : null,
						checksum_sha256: null,
						status: isThere ? 'stored' : 'waits for upload',
					});
				},
			},
			{ format: 'separate', address: 'upload.url' },
		);
		if (isLater) expect(error).toBeUndefined();
		else expect(error?.message).toContain('its document doc_1 shows no content');
	},
);

it('fills in the paths of the dialect with values of the answer', async () => {
	const { requests } = service;
	const handlers: Handlers = {
		...naming(() => undefined),
		'POST /v1/dossiers/{id}/documents': (_, response) => {
			documents.set('doc_1', { id: 'doc_1', file_name: 'invoice.txt' });
			answerJson(response, 201, {
				data: { id: 'doc_1', file_name: 'invoice.txt' },
				upload: { id: 'u/7' },
			});
		},
		'PUT /v1/uploads/u%2F7/content/doc_1': async (request, response) =>
			await take(request, response, { id: 'doc_1', query: new URLSearchParams() }),
		'POST /v1/uploads/u%2F7/complete': {},
	};
	const part: Dialect['upload'] = {
		format: 'separate',
		address: '/v1/uploads/{upload.id}/content/{id}',
		confirm: '/v1/uploads/{upload.id}/complete',
	};
	const { items, error } = await upload(handlers, part);
	expect(error).toBeUndefined();
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', size_bytes: content.length });
	documents.clear();
	const { length } = requests;
	const unnamed = await upload(handlers, { ...part, confirm: '/v1/uploads/{upload.key}/complete' });
	expect(unnamed.error).toBeDefined();
	expect(requests.slice(length).map(({ method }) => method)).not.toContain('PUT');
});

describe('A file name that is in use', () => {
	const refused = refusing(409, 'The file name is in use', 'NAME_TAKEN');
	const inUse: Handlers = {
		...naming(() => undefined),
		'POST /v1/dossiers/{id}/documents': refused,
	};

	it.each(['skip', 'replace', 'upload'])('is named, with what to choose: %s', async (ifExists) => {
		documents.set('doc_9', {
			id: 'doc_9',
			file_name: 'invoice.txt',
			checksum_sha256: sha256('old'),
		});
		const { error } = await run(uploadTo('dos_1', { ifExists }), {
			items: [carry('invoice.txt', content)],
			handlers: inUse,
		});
		expect(error?.message).toContain('The file name is in use');
		if (ifExists !== 'upload')
			expect(error?.description).toContain(
				'the document doc_9 of the dossier is named invoice.txt',
			);
		expect(error?.description).toMatch(
			/^Nothing was uploaded\. .* another name with the option 'File Name'/,
		);
		expect(error?.description).not.toContain('changed it meanwhile');
	});
});
