import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, formOf, refusalOf, refused, uploadOf } from './client.ts';
import { controlOf } from './control.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'uploads-test-'));
const limit = 200_000;
let sandbox: Sandbox;
let client: AxiosInstance;
let documents: string;

beforeAll(async () => {
	sandbox = await createSandbox({ dataDir, maxFileBytes: limit });
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

describe('uploading JSON', () => {
	test('stores the file and says what it is', async () => {
		const { status, data } = await client.post(
			documents,
			uploadOf('hello', { title: 'Greeting', category: 'invoice', custom_fields: { a: [1] } }),
		);
		expect(status).toBe(201);
		expect(data).toEqual({
			id: expect.stringMatching(/^doc_\w+$/),
			dossier_id: documents.split('/')[2],
			title: 'Greeting',
			file_name: 'note.txt',
			mime_type: 'text/plain',
			size_bytes: 5,
			checksum_sha256: sha256('hello'),
			category: 'invoice',
			custom_fields: { a: [1] },
			uploaded_by: expect.stringMatching(/^usr_\w+$/),
			created_at: expect.stringMatching(/Z$/),
			updated_at: data.created_at,
		});
		expect((await client.get(`/documents/${data.id}`)).data).toEqual(data);
		expect(Buffer.from((await download(data.id)).data).toString()).toBe('hello');
		expect((await client.get(documents.replace('/documents', ''))).data.document_count).toBe(1);
	});

	test('takes the fields in any order', async () => {
		const bytes = randomBytes(100_001);
		const { content_base64, ...fields } = uploadOf(bytes);
		const { data } = await client.post(documents, { content_base64, ...fields, title: 'last' });
		expect(data).toMatchObject({
			title: 'last',
			checksum_sha256: sha256(bytes),
			size_bytes: bytes.length,
		});
	});

	test('takes an empty file, and the same file twice', async () => {
		const empty = (await client.post(documents, uploadOf(''))).data;
		expect(empty).toMatchObject({ size_bytes: 0, checksum_sha256: sha256(''), title: 'note.txt' });
		const answer = await download(empty.id);
		expect([answer.headers['content-length'], answer.data.length]).toEqual(['0', 0]);
		const again = (await client.post(documents, uploadOf(''))).data;
		expect(again.id).not.toBe(empty.id);
		expect((await client.get(documents)).data.pagination.total).toBe(2);
	});

	test.each([
		[{ content_base64: undefined }, 400, 'MISSING_REQUIRED_FIELD', 'content_base64'],
		[{ file_name: undefined, category: 'X' }, 400, 'MISSING_REQUIRED_FIELD', 'file_name'],
		[{ content_base64: 'a$b=' }, 422, 'VALIDATION_ERROR', 'content_base64'],
		[{ content_base64: 'QUI' }, 422, 'VALIDATION_ERROR', 'content_base64'],
		[{ content_base64: 7 }, 422, 'VALIDATION_ERROR', 'content_base64'],
		[{ category: 'Not Snake' }, 422, 'VALIDATION_ERROR', 'category'],
		[{ mime_type: 'text' }, 422, 'VALIDATION_ERROR', 'mime_type'],
		[{ file_name: '../../etc/passwd' }, 422, 'VALIDATION_ERROR', 'file_name'],
		[{ file_name: 'a\u0007b' }, 422, 'VALIDATION_ERROR', 'file_name'],
		[{ file_name: 'a\r\nSet-Cookie: b' }, 422, 'VALIDATION_ERROR', 'file_name'],
	])('%j is refused with %i %s, and nothing is stored', async (change, status, code, field) => {
		const answer = await client.post(documents, {
			...uploadOf(`only ${field} ${code}`),
			...change,
		});
		expect(refusalOf(answer)).toEqual(refused(status, code));
		expect(answer.data.error.details[0].field).toBe(field);
		expect(isStored(`only ${field} ${code}`)).toBe(false);
		expect(arriving()).toEqual([]);
	});

	test.each(['{"file_name": "a", "content_base64": "QUJD', '{"content_base64": "QUJD"', '', '[]'])(
		'a body that breaks off is 400: %s',
		async (body) => {
			const headers = { 'Content-Type': 'application/json' };
			expect(refusalOf(await client.post(documents, body, { headers }))).toEqual(
				refused(400, 'INVALID_JSON'),
			);
			expect(arriving()).toEqual([]);
		},
	);

	test('more than 1 MiB beside the file is 400', async () => {
		const answer = await client.post(
			documents,
			uploadOf('x', { custom_fields: { a: 'x'.repeat(10e6) } }),
		);
		expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_JSON'));
	});
});

describe('uploading a form', () => {
	test('a form of which much has come before any of it is read is taken as every other', async () => {
		await controlOf(sandbox).client.post('/faults', {
			operation: 'documents.upload',
			delay_ms: 100,
			times: 1,
		});
		const bytes = randomBytes(100_000);
		const { data } = await client.post(documents, formOf(bytes, 'a.bin'));
		expect(data.checksum_sha256).toBe(sha256(bytes));
	});

	test('stores the file with the name and type of its part', async () => {
		const bytes = randomBytes(150_000);
		const { status, data } = await client.post(
			documents,
			formOf(bytes, 'Größe "1".pdf', { title: 'T', custom_fields: '{"a": 1}' }, 'application/pdf'),
		);
		expect(status).toBe(201);
		expect(data).toMatchObject({
			title: 'T',
			file_name: 'Größe "1".pdf',
			mime_type: 'application/pdf',
			category: 'other',
			custom_fields: { a: 1 },
			size_bytes: bytes.length,
			checksum_sha256: sha256(bytes),
		});
		expect(Buffer.from((await download(data.id)).data).equals(bytes)).toBe(true);
	});

	test('fields win over the headers of the part, and a path in front of the name is left out', async () => {
		const named = await client.post(
			documents,
			formOf('a', 'x.bin', { file_name: 'y.txt', mime_type: 'text/csv' }),
		);
		expect(named.data).toMatchObject({ file_name: 'y.txt', mime_type: 'text/csv' });
		const { data } = await client.post(documents, formOf('a', '../../etc/pass wd'));
		expect(data).toMatchObject({ file_name: 'pass wd', mime_type: 'application/octet-stream' });
	});

	test('takes an empty file, and fields after the file', async () => {
		const form = new FormData();
		form.append('file', new Blob([]), 'empty.txt');
		form.append('category', 'tax');
		expect((await client.post(documents, form)).data).toMatchObject({
			size_bytes: 0,
			category: 'tax',
		});
	});

	test('refuses two files, no file, no category, and custom fields that are no object', async () => {
		const two = formOf('a', 'a.txt');
		two.append('file', new Blob(['b']), 'b.txt');
		expect(refusalOf(await client.post(documents, two))).toEqual(refused(422, 'VALIDATION_ERROR'));
		const none = new FormData();
		none.append('category', 'other');
		expect((await client.post(documents, none)).data.error.details[0].field).toBe('file');
		const bare = new FormData();
		bare.append('file', new Blob(['a']), 'a.txt');
		expect(refusalOf(await client.post(documents, bare))).toEqual(
			refused(400, 'MISSING_REQUIRED_FIELD'),
		);
		const odd = await client.post(documents, formOf('a', 'a.txt', { custom_fields: '[1]' }));
		expect(refusalOf(odd)).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect((await client.get(documents)).data.pagination.total).toBe(0);
	});

	test.each([
		['multipart/form-data', '--x--'],
		['multipart/form-data; boundary=x', ''],
		[
			'multipart/form-data; boundary=x',
			'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhal',
		],
		['multipart/form-data; boundary=x', '--x\r\nContent-Dispo'],
	])('a form that cannot be read is 400: %s %j', async (type, body) => {
		const answer = await client.post(documents, body, { headers: { 'Content-Type': type } });
		expect(answer.status).toBe(400);
		expect(arriving()).toEqual([]);
	});
});

test('an upload that is neither is 400', async () => {
	const answer = await client.post(documents, 'x', { headers: { 'Content-Type': 'text/plain' } });
	expect(refusalOf(answer)).toEqual(refused(400, 'UNSUPPORTED_MEDIA_TYPE'));
});

test('a file as large as the limit is taken, one byte more is 422, in both formats', async () => {
	const [most, more] = [randomBytes(limit), randomBytes(limit + 1)];
	expect((await client.post(documents, uploadOf(most))).status).toBe(201);
	expect((await client.post(documents, formOf(most, 'a.bin'))).status).toBe(201);
	for (const body of [uploadOf(more), formOf(more, 'a.bin')]) {
		expect(refusalOf(await client.post(documents, body))).toEqual(refused(422, 'FILE_TOO_LARGE'));
	}
	expect(isStored(more.subarray(0, limit))).toBe(false);
	expect(arriving()).toEqual([]);
});
