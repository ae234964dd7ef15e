import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'content-disposition';
import { makeForm, makeUpload, readRefusal, refused, second, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, listFiles } = useSandbox({ onDisk: true });

let documents: string;

beforeEach(async () => {
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const isStored = (bytes: Buffer | string) => listFiles('files').includes(sha256(bytes));
const download = async (id: string) =>
	await client.get(`/documents/${id}/download`, { responseType: 'arraybuffer' });

test.each([
	'plain.txt',
	'Größe & Maß.pdf',
	'契約書 最終版.docx',
	'a"b\\'.replace('\\', '') + '.txt',
	'100%25 50%.csv',
	"it's (1)*.txt",
	'emoji 📄.zip',
])('a file named %s is downloaded under that name', async (name) => {
	for (const body of [makeUpload('x', { file_name: name }), makeForm('x', name)]) {
		const { data } = await client.post(documents, body);
		expect(data.file_name).toBe(name);
		const { status, headers } = await download(data.id);
		expect(status).toBe(200);
		expect(headers['content-disposition']).toMatch(/^attachment; filename=.*; filename\*=UTF-8''/i);
		expect(parse(String(headers['content-disposition'])).parameters.filename).toBe(name);
		expect(headers['content-type']).toBe(data.mime_type);
	}
});

test('a download omits the parameters of a MIME type that a header cannot hold', async () => {
	const { data } = await client.post(
		documents,
		makeUpload('x', { mime_type: 'text/plain; name="\u0001ü"' }),
	);
	expect((await download(data.id)).headers['content-type']).toBe('text/plain');
});

test('documents with the same content share one file, which stays until the last of them is deleted', async () => {
	const bytes = randomBytes(1000);
	const ids: string[] = [];
	for (let i = 0; i < 3; i++) ids.push((await client.post(documents, makeUpload(bytes))).data.id);
	for (const id of ids) {
		expect(isStored(bytes)).toBe(true);
		expect((await client.delete(`/documents/${id}`)).data).toEqual({ id, deleted: true });
	}
	expect(isStored(bytes)).toBe(false);
	expect(readRefusal(await client.delete(`/documents/${ids[0]}`))).toEqual(
		refused(404, 'DOCUMENT_NOT_FOUND'),
	);
	expect(
		readRefusal(
			await download(String(ids[0])).then(({ status, data }) => ({
				status,
				data: JSON.parse(data),
			})),
		),
	).toEqual(refused(404, 'DOCUMENT_NOT_FOUND'));
});

test('deleting a dossier deletes the files that no other dossier has', async () => {
	const other = `/dossiers/${(await client.post('/dossiers', { title: 'Other' })).data.id}`;
	const [shared, own] = [randomBytes(10), randomBytes(10)];
	await client.post(documents, makeUpload(shared));
	const kept = (await client.post(`${other}/documents`, makeUpload(shared))).data;
	await client.post(documents, makeUpload(own));
	await client.delete(documents.replace('/documents', ''));
	expect([isStored(shared), isStored(own)]).toEqual([true, false]);
	expect((await download(kept.id)).status).toBe(200);
});

test('many simultaneous uploads of the same content all succeed', async () => {
	const bytes = randomBytes(50_000);
	const answers = await Promise.all(
		Array.from({ length: 12 }, async () => await client.post(documents, makeForm(bytes, 'a.bin'))),
	);
	expect(answers.every(({ status }) => status === 201)).toBe(true);
	await Promise.all(answers.map(async ({ data }) => await client.delete(`/documents/${data.id}`)));
	expect(isStored(bytes)).toBe(false);
	await waitUntil(() => listFiles('incoming').length === 0);
});

test('the documents of a dossier can be filtered and sorted, and an unknown dossier is 404', async () => {
	await client.post(
		documents,
		makeUpload('a', { file_name: 'a.txt', category: 'tax', title: 'Zweite' }),
	);
	await control.move(second);
	await client.post(
		documents,
		makeUpload('bb', { file_name: 'a.txt.bak', category: 'invoice', title: 'Erste' }),
	);
	const names = async (params: object) =>
		(await client.get(documents, { params })).data.data.map(
			({ file_name }: { file_name: string }) => file_name,
		);
	expect(await names({ category: 'tax' })).toEqual(['a.txt']);
	expect(await names({ file_name: 'a.txt' })).toEqual(['a.txt']);
	expect(await names({ q: 'ERSTE' })).toEqual(['a.txt.bak']);
	for (const sort of ['created_at', 'updated_at', 'file_name', 'size_bytes']) {
		expect(await names({ sort, order: 'asc' })).toEqual(['a.txt', 'a.txt.bak']);
		expect(await names({ sort, order: 'desc' })).toEqual(['a.txt.bak', 'a.txt']);
	}
	expect(await names({ sort: 'title', order: 'asc', per_page: 1, page: 2 })).toEqual(['a.txt']);
	expect(readRefusal(await client.get(documents, { params: { sort: 'sha256' } }))).toEqual(
		refused(400, 'INVALID_PARAMETER'),
	);
	expect(readRefusal(await client.get('/dossiers/dos_none/documents?page=x'))).toEqual(
		refused(404, 'DOSSIER_NOT_FOUND'),
	);
});
