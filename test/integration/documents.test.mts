import { randomBytes } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { sha256 } from './fakeService.mts';
import { readBinary, runDossier, useBinaryMode } from './n8n.mts';
import type { BinaryMode, Input } from './n8n.mts';
import { expectPreviewed } from './previews.mts';
import { carry, file, uploadTo } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

describe.each(PROFILES)('Document, under the profile %s', (profile) => {
	// The formats that each profile takes; automatic finds out.
	const formats = {
		default: ['auto', 'json', 'multipart'],
		'given-only': ['auto', 'json'],
		alternate: ['auto', 'multipart'],
	}[profile];

	const service = useService({ profile });

	const newDossier = async () =>
		(await service.create('/dossiers', { title: 'Documents' })).id as string;

	const listDocuments = async (dossier: string) =>
		await service.list(`/dossiers/${encodeURIComponent(dossier)}/documents`);

	async function downloadFile(document: unknown): Promise<Buffer> {
		const { data } = await service.client.get<Buffer>(
			`/documents/${encodeURIComponent(String(document))}/download`,
			{
				responseType: 'arraybuffer',
			},
		);
		return Buffer.from(data);
	}

	async function run(operation: string, given: INodeParameters, items?: Input[]) {
		const parameters = { resource: 'document', operation, ...given };
		const outcome = await runDossier({ parameters, credential: service.credential, items });
		if (profile === 'default') expectPreviewed(parameters, outcome.items);
		return outcome;
	}

	const upload = async (dossier: string, parameters: INodeParameters, items: Input[]) =>
		await run('upload', uploadTo(dossier, { category: 'invoice', ...parameters }), items);

	const download = async (id: unknown) =>
		await run('download', { documentId: byId(id), binaryPropertyName: 'file' });

	// A profile changes nothing about how n8n keeps files.
	const modes: BinaryMode[] = profile === 'default' ? ['filesystem', 'default'] : ['filesystem'];
	describe.each(modes)('in the binary mode %s', (mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		const contents: Array<[string, Buffer]> = [
			['empty.txt', Buffer.alloc(0)],
			['one byte.bin', Buffer.from([0])],
			['Prüfung (Entwurf) 契約書.pdf', Buffer.from('%PDF-1.7 …')],
			['quote".txt', Buffer.from('"}]\\ \u0000')],
			...[1, 2, 3].map((extra): [string, Buffer] => [
				`uneven-${extra}.bin`,
				randomBytes(3 * 196_608 + extra),
			]),
		];

		describe.each(formats)('uploaded as %s', (format) => {
			it.each(contents)('keeps every byte of %s', async (fileName, content) => {
				const dossier = await newDossier();
				const { items, error } = await upload(dossier, { options: { format } }, [
					carry(fileName, content),
				]);
				expect(error).toBeUndefined();
				expect(items[0]?.json).toMatchObject({
					dossier_id: dossier,
					file_name: fileName,
					category: 'invoice',
					size_bytes: content.length,
					checksum_sha256: sha256(content),
				});
				expect(items[0]?.pairedItem).toEqual({ item: 0 });
				expect(sha256(await downloadFile(items[0]?.json.id))).toBe(sha256(content));
			});

			it('has its title, category, MIME type and custom fields', async () => {
				const { items } = await upload(
					await newDossier(),
					{
						category: 'OWN',
						ownCategory: 'power_of_attorney',
						options: {
							format,
							title: 'A title',
							fileName: 'renamed.bin',
							mimeType: 'application/x-own',
							customFields: { field: [{ name: 'box', value: 7 }] },
						},
					},
					[carry('original.txt', 'x')],
				);
				expect(items[0]?.json).toMatchObject({
					category: 'power_of_attorney',
					title: 'A title',
					file_name: 'renamed.bin',
					mime_type: 'application/x-own',
					custom_fields: { box: 7 },
				});
			});
		});

		it.each(['front, back', "={{ ['front', 'back'] }}"])(
			'uploads several binary fields by name, each as a document paired with the item: %s',
			async (binaryPropertyName) => {
				const { items } = await upload(await newDossier(), { binaryPropertyName }, [
					{ json: {}, files: { front: file('front.txt', 'f'), back: file('back.txt', 'b') } },
				]);
				expect(items.map(({ json, pairedItem }) => [json.file_name, pairedItem])).toEqual([
					['front.txt', { item: 0 }],
					['back.txt', { item: 0 }],
				]);
			},
		);

		it('takes a file from an expression', async () => {
			const { items } = await upload(
				await newDossier(),
				{ binaryPropertyName: "={{ $('Source').item.binary.other }}" },
				[{ json: {}, files: { other: file('other.txt', 'o') } }],
			);
			expect(items[0]?.json.file_name).toBe('other.txt');
		});

		it('takes the field that is named, also if n8n knows nothing but the contents of the files', async () => {
			const { items, error } = await runDossier({
				parameters: uploadTo(await newDossier(), { binaryPropertyName: 'second' }),
				credential: service.credential,
				items: [carry('note.txt')],
				before: async ([item]) => {
					const bare = (text: string) => ({ data: Buffer.from(text).toString('base64') });
					const binary = { first: bare('one'), second: bare('second') };
					await Promise.resolve(Object.assign(item ?? {}, { binary }));
				},
			});
			expect(error).toBeUndefined();
			expect((await downloadFile(items[0]?.json.id)).toString()).toBe('second');
		});

		it('takes a file in memory that an expression names by its field', async () => {
			const { items, error } = await upload(
				await newDossier(),
				{ binaryPropertyName: '={{ $binary.other }}' },
				[{ json: {}, files: { data: file('data.txt'), other: file('other.txt', 'o') } }],
			);
			expect(error).toBeUndefined();
			expect(items[0]?.json.file_name).toBe('other.txt');
		});

		it('takes a file without a type, as a Code node may make it', async () => {
			const { items, error } = await runDossier({
				parameters: uploadTo(await newDossier()),
				credential: service.credential,
				items: [carry('note.txt')],
				before: async ([item]) => {
					const untyped = { ...item?.binary?.data, mimeType: undefined };
					await Promise.resolve(Object.assign(item?.binary ?? {}, { data: untyped }));
				},
			});
			expect(error).toBeUndefined();
			expect(items[0]?.json).toMatchObject({
				file_name: 'note.txt',
				mime_type: 'application/octet-stream',
			});
		});

		it('names the fields of the item if an expression gives something else than a file', async () => {
			const { error } = await upload(
				await newDossier(),
				{ binaryPropertyName: '={{ ({ mimeType: "text/plain" }) }}' },
				[{ json: {}, files: { other: file('other.txt', 'o') } }],
			);
			expect(error?.message).toBe('The item has no binary field "{…}"');
			expect(error?.description).toBe(
				"Available: \"other\". Enter one of them, or set 'Files' to 'All Files of the Item'.",
			);
		});

		it('keeps the spaces and line ends around a text', async () => {
			const content = '  name;sum\r\nA;1\r\n';
			const parameters = { filesFrom: 'text', textFileName: 'sums.csv', text: content };
			const { items } = await upload(await newDossier(), parameters, [{ json: {} }]);
			expect((await downloadFile(items[0]?.json.id)).toString()).toBe(content);
		});

		it('returns a download with its name, its MIME type and every byte', async () => {
			const content = randomBytes(200_001);
			const { items } = await upload(await newDossier(), {}, [
				carry('Übersicht 概要.png', content),
			]);
			const outcome = await download(items[0]?.json.id);
			const binary = outcome.items[0]?.binary?.file;
			expect(binary).toMatchObject({ fileName: 'Übersicht 概要.png', mimeType: 'image/png' });
			expect(sha256(await readBinary(binary))).toBe(sha256(content));
			expect(outcome.items[0]?.json).toMatchObject({ checksum_sha256: sha256(content) });
		});

		describe('If Document Exists', () => {
			it('fails with an error and uploads nothing', async () => {
				const dossier = await newDossier();
				const item = carry('there.txt', 'there');
				await upload(dossier, { ifExists: 'fail' }, [item]);
				const { error } = await upload(dossier, { ifExists: 'fail' }, [item]);
				expect(error?.message).toBe('there.txt is already in the dossier, with the same content');
				expect(await listDocuments(dossier)).toHaveLength(1);
			});

			it('uploads the file again if that is chosen', async () => {
				const dossier = await newDossier();
				const item = carry('twice.txt', 'twice');
				await upload(dossier, {}, [item, item]);
				expect(await listDocuments(dossier)).toHaveLength(2);
			});
		});
	});

	describe('Get, Get Many and Delete', () => {
		it('read a document, alone and in the list, and delete it', async () => {
			const dossier = await newDossier();
			const { items } = await upload(dossier, {}, [carry('single.txt', 's')]);
			const id = items[0]?.json.id;
			const read = await run('get', { documentId: byId(id), output: 'raw' });
			expect({ ...read.items[0]?.json, skipped: false }).toEqual(items[0]?.json);
			const listed = await run('getAll', { dossierId: byId(dossier), returnAll: true });
			expect(listed.items.map(({ json }) => json.id)).toEqual([id]);
			const gone = await run('delete', { documentId: byId(id) });
			expect(gone.items[0]?.json).toMatchObject({ file_name: 'single.txt', id, deleted: true });
			expect(await listDocuments(dossier)).toEqual([]);
		});
	});

	const refused = { default: [], 'given-only': ['multipart'], alternate: ['json'] }[profile];

	for (const format of refused) {
		it(`reports that the service does not take ${format}, if the form demands it`, async () => {
			const { error } = await upload(await newDossier(), { options: { format } }, [
				carry('f.txt', 'f'),
			]);
			expect(error?.httpCode).toBe(profile === 'alternate' ? '415' : '400');
		});
	}
});
