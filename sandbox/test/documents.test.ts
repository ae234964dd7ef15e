import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { parse } from 'content-disposition';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, formOf, refusalOf, refused, uploadOf, waitUntil } from './client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'documents-test-'));
let sandbox: Sandbox;
let client: AxiosInstance;
let documents: string;

beforeAll(async () => {
	sandbox = await createSandbox({ dataDir });
});
afterAll(async () => {
	await sandbox.close();
	rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const isStored = (bytes: Buffer | string) =>
	readdirSync(join(dataDir, 'files'), { recursive: true }).some((name) =>
		String(name).endsWith(sha256(bytes)),
	);
const arriving = () => readdirSync(join(dataDir, 'incoming'));
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
])('a file named %s is downloaded under its name', async (name) => {
	for (const body of [uploadOf('x', { file_name: name }), formOf('x', name)]) {
		const { data } = await client.post(documents, body);
		expect(data.file_name).toBe(name);
		const { status, headers } = await download(data.id);
		expect(status).toBe(200);
		expect(headers['content-disposition']).toMatch(/^attachment; filename=.*; filename\*=UTF-8''/i);
		expect(parse(String(headers['content-disposition'])).parameters.filename).toBe(name);
		expect(headers['content-type']).toBe(data.mime_type);
	}
});

test('a type with parameters that no header can hold is downloaded without them', async () => {
	const { data } = await client.post(
		documents,
		uploadOf('x', { mime_type: 'text/plain; name="\u0001ü"' }),
	);
	expect((await download(data.id)).headers['content-type']).toBe('text/plain');
});

test('a content is stored once and stays until the last document with it is deleted', async () => {
	const bytes = randomBytes(1000);
	const ids: string[] = [];
	for (let i = 0; i < 3; i++) ids.push((await client.post(documents, uploadOf(bytes))).data.id);
	for (const id of ids) {
		expect(isStored(bytes)).toBe(true);
		expect((await client.delete(`/documents/${id}`)).data).toEqual({ id, deleted: true });
	}
	expect(isStored(bytes)).toBe(false);
	expect(refusalOf(await client.delete(`/documents/${ids[0]}`))).toEqual(
		refused(404, 'DOCUMENT_NOT_FOUND'),
	);
	expect(
		refusalOf(
			await download(String(ids[0])).then(({ status, data }) => ({
				status,
				data: JSON.parse(data),
			})),
		),
	).toEqual(refused(404, 'DOCUMENT_NOT_FOUND'));
});

test('a deleted dossier takes the files with it that no other dossier has', async () => {
	const other = `/dossiers/${(await client.post('/dossiers', { title: 'Other' })).data.id}`;
	const [shared, own] = [randomBytes(10), randomBytes(10)];
	await client.post(documents, uploadOf(shared));
	const kept = (await client.post(`${other}/documents`, uploadOf(shared))).data;
	await client.post(documents, uploadOf(own));
	await client.delete(documents.replace('/documents', ''));
	expect([isStored(shared), isStored(own)]).toEqual([true, false]);
	expect((await download(kept.id)).status).toBe(200);
});

test('many uploads of one content at once all arrive', async () => {
	const bytes = randomBytes(50_000);
	const answers = await Promise.all(
		Array.from({ length: 12 }, async () => await client.post(documents, formOf(bytes, 'a.bin'))),
	);
	expect(answers.every(({ status }) => status === 201)).toBe(true);
	await Promise.all(answers.map(async ({ data }) => await client.delete(`/documents/${data.id}`)));
	expect(isStored(bytes)).toBe(false);
	await waitUntil(() => arriving().length === 0);
});

test('the documents of a dossier are listed, filtered and sorted; of no dossier, 404', async () => {
	await client.post(
		documents,
		uploadOf('a', { file_name: 'a.txt', category: 'tax', title: 'Zweite' }),
	);
	await client.post(
		documents,
		uploadOf('bb', { file_name: 'a.txt.bak', category: 'invoice', title: 'Erste' }),
	);
	const names = async (params: object) =>
		(await client.get(documents, { params })).data.data.map(
			({ file_name }: { file_name: string }) => file_name,
		);
	expect(await names({ category: 'tax' })).toEqual(['a.txt']);
	expect(await names({ file_name: 'a.txt' })).toEqual(['a.txt']);
	expect(await names({ q: 'ERSTE' })).toEqual(['a.txt.bak']);
	for (const sort of ['created_at', 'updated_at', 'file_name', 'size_bytes']) {
		expect((await names({ sort, order: 'asc' })).sort()).toEqual(['a.txt', 'a.txt.bak']);
	}
	expect(await names({ sort: 'size_bytes', order: 'desc' })).toEqual(['a.txt.bak', 'a.txt']);
	expect(await names({ sort: 'title', order: 'asc', per_page: 1, page: 2 })).toEqual(['a.txt']);
	expect(refusalOf(await client.get(documents, { params: { sort: 'sha256' } }))).toEqual(
		refused(400, 'INVALID_PARAMETER'),
	);
	expect(refusalOf(await client.get('/dossiers/dos_none/documents?page=x'))).toEqual(
		refused(404, 'DOSSIER_NOT_FOUND'),
	);
});
