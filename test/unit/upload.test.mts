import fc from 'fast-check';
import { holdFile } from '../../nodes/Dossier/api/transfer/body';
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import type { FileSource } from '../../nodes/Dossier/api/transfer/body';
import type { Api } from '../../nodes/Dossier/api/client';
import type { StreamedBody } from '../../nodes/Dossier/api/send/outgoing';
import { uploadFile } from '../../nodes/Dossier/api/transfer/upload';
import type { UploadFormat } from '../../nodes/Dossier/api/transfer/upload';

async function* pieces(list: Uint8Array[]) {
	for (const piece of list) yield await Promise.resolve(piece);
}

/** Uploads a file. Gives the body as a `Response`, whose parsers are not of this package. */
async function captureUpload(
	source: FileSource,
	title: string,
	format: UploadFormat,
	dialect: Dialect = {},
) {
	let sent: StreamedBody | undefined;
	const api = {
		root: 'https://api.example',
		translator: new Translator(dialect),
		call: async (_: string, { body }: { body: StreamedBody }) => {
			sent = body;
			return await Promise.resolve({ id: 'doc_1' });
		},
	} as unknown as Api;
	const target = { endpoint: 'documents.upload', id: 'dos_1', fields: { title } } as const;
	await uploadFile(api, target, source, format);
	if (!sent) throw new Error('Nothing was sent');
	const bytes: Uint8Array[] = [];
	for await (const piece of sent.open().pieces) bytes.push(piece);
	const body = Buffer.concat(bytes);
	expect(body.length).toBe(sent.size);
	return new Response(body, { headers: { 'Content-Type': sent.contentType } });
}

interface DrawnFile {
	fileName: string;
	mimeType: string;
	content: Uint8Array[];
}

const files: fc.Arbitrary<DrawnFile> = fc.record({
	fileName: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a";\r\nX-Evil: 1\r\n\r\nb.pdf')),
	mimeType: fc.constantFrom('application/pdf', 'text/plain\r\nX-Evil: 1', '', 'tëxt/plain'),
	content: fc.array(fc.uint8Array({ maxLength: 50 })),
});

const createSource = ({ fileName, mimeType, content }: DrawnFile): FileSource => ({
	fileName,
	mimeType,
	size: Buffer.concat(content).length,
	open: async () => await Promise.resolve({ pieces: pieces(content), close: () => undefined }),
});

it('An upload as multipart is parsed as it was given, with any name, type and title', async () => {
	await fc.assert(
		fc.asyncProperty(files, fc.string({ unit: 'binary' }), async (file, title) => {
			const response = await captureUpload(createSource(file), title, 'multipart');
			const form = await response.formData();
			expect([...form.keys()]).toEqual(['file_name', 'mime_type', 'title', 'file']);
			const part = form.get('file');
			if (!(part instanceof File)) throw new Error('There is no file');
			expect(part.name).toBe(file.fileName);
			expect(form.get('title')).toBe(title);
			expect(Buffer.from(await part.arrayBuffer()).equals(Buffer.concat(file.content))).toBe(true);
		}),
	);
});

it('An upload as multipart has a part for each field, under the names of the dialect', async () => {
	const source = createSource({ fileName: 'a.txt', mimeType: 'text/plain', content: [] });
	const response = await captureUpload(source, 'One', 'multipart', {
		upload: { file: 'Attachment' },
		document: { fields: { file_name: 'filename' } },
	});
	const form = await response.formData();
	expect([...form.keys()]).toEqual(['mime_type', 'title', 'filename', 'Attachment']);
	expect(form.get('filename')).toBe('a.txt');
});

it('An upload as JSON has the size of the file if the dialect names it', async () => {
	const source = holdFile('a.txt', 'text/plain', Buffer.from('content'));
	const dialect = { document: { sentAs: { size_bytes: 'bytes' } } };
	const sent = await (await captureUpload(source, 'A', 'json', dialect)).json();
	expect(sent).toMatchObject({ title: 'A', bytes: 7 });
	expect(await (await captureUpload(source, 'A', 'json')).json()).not.toHaveProperty('bytes');
});

it('An upload as JSON is parsed as it was given', async () => {
	await fc.assert(
		fc.asyncProperty(files, fc.string({ unit: 'binary' }), async (file, title) => {
			const response = await captureUpload(createSource(file), title, 'json');
			expect(await response.json()).toEqual({
				file_name: file.fileName,
				mime_type: file.mimeType,
				title,
				content_base64: Buffer.concat(file.content).toString('base64'),
			});
		}),
	);
});
