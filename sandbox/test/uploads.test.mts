import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'content-disposition';
import { expectRefusal, hour, makeForm, makeUpload, second, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const limit = 200_000;
const { client, control, listFiles, sandbox } = useSandbox({ onDisk: true, maxFileBytes: limit });

let documents: string;

beforeEach(async () => {
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const isStored = (bytes: Buffer | string) => listFiles('files').includes(sha256(bytes));
const download = async (id: string) =>
	await client.get(`/documents/${id}/download`, { responseType: 'arraybuffer' });

describe('an upload as JSON', () => {
	test('stores the file and returns the document', async () => {
		const { status, data } = await client.post(
			documents,
			makeUpload('hello', { title: 'Greeting', category: 'invoice', custom_fields: { a: [1] } }),
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

	test('can be empty, and can come twice', async () => {
		const empty = (await client.post(documents, makeUpload(''))).data;
		expect(empty).toMatchObject({ size_bytes: 0, checksum_sha256: sha256(''), title: 'note.txt' });
		const answer = await download(empty.id);
		expect([answer.headers['content-length'], answer.data.length]).toEqual(['0', 0]);
		const again = (await client.post(documents, makeUpload(''))).data;
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
		[{ file_name: '.' }, 422, 'VALIDATION_ERROR', 'file_name'],
		[{ file_name: '..' }, 422, 'VALIDATION_ERROR', 'file_name'],
		[{ file_name: 'half \ud800 of a character' }, 422, 'VALIDATION_ERROR', 'file_name'],
	])('with %j is refused with %i %s and stores nothing', async (change, status, code, field) => {
		const answer = await client.post(documents, {
			...makeUpload(`only ${field} ${code}`),
			...change,
		});
		expectRefusal(answer, status, code);
		expect(answer.data.error.details[0].field).toBe(field);
		expect(isStored(`only ${field} ${code}`)).toBe(false);
		expect(listFiles('incoming')).toEqual([]);
	});

	test.each(['{"file_name": "a", "content_base64": "QUJD', '{"content_base64": "QUJD"', '', '[]'])(
		'with an incomplete body is refused with 400: %s',
		async (body) => {
			const headers = { 'Content-Type': 'application/json' };
			expectRefusal(await client.post(documents, body, { headers }), 400, 'INVALID_JSON');
			expect(listFiles('incoming')).toEqual([]);
		},
	);
});

describe('an upload as a form', () => {
	test('is complete even if most of it arrives before the service reads it', async () => {
		await control.client.post('/faults', {
			operation: 'documents.upload',
			delay_ms: hour,
			times: 1,
		});
		const bytes = randomBytes(100_000);
		const upload = client.post(documents, makeForm(bytes, 'a.bin'));
		const isDelayed = async () => (await control.client.get('/faults')).data.data[0].hits === 1;
		await waitUntil(isDelayed);
		await control.move(hour);
		expect((await upload).data.checksum_sha256).toBe(sha256(bytes));
	});

	test('stores the file with the name and the type of its part', async () => {
		const bytes = randomBytes(150_000);
		const { status, data } = await client.post(
			documents,
			makeForm(
				bytes,
				'Größe "1".pdf',
				{ title: 'T', custom_fields: '{"a": 1}' },
				'application/pdf',
			),
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

	test('prefers its fields to the headers of the part, and drops a path before the file name', async () => {
		const named = await client.post(
			documents,
			makeForm('a', 'x.bin', { file_name: 'y.txt', mime_type: 'text/csv' }),
		);
		expect(named.data).toMatchObject({ file_name: 'y.txt', mime_type: 'text/csv' });
		const { data } = await client.post(documents, makeForm('a', '../../etc/pass wd'));
		expect(data).toMatchObject({ file_name: 'pass wd', mime_type: 'application/octet-stream' });
	});

	test('can have an empty file, and fields after the file', async () => {
		const form = new FormData();
		form.append('file', new Blob([]), 'empty.txt');
		form.append('category', 'tax');
		expect((await client.post(documents, form)).data).toMatchObject({
			size_bytes: 0,
			category: 'tax',
		});
	});

	test('is refused with two files, without a file or a category, and with custom fields that are not an object', async () => {
		const two = makeForm('a', 'a.txt');
		two.append('file', new Blob(['b']), 'b.txt');
		expectRefusal(await client.post(documents, two), 422, 'VALIDATION_ERROR');
		const none = new FormData();
		none.append('category', 'other');
		expect((await client.post(documents, none)).data.error.details[0].field).toBe('file');
		const bare = new FormData();
		bare.append('file', new Blob(['a']), 'a.txt');
		expectRefusal(await client.post(documents, bare), 400, 'MISSING_REQUIRED_FIELD');
		const odd = await client.post(documents, makeForm('a', 'a.txt', { custom_fields: '[1]' }));
		expectRefusal(odd, 422, 'VALIDATION_ERROR');
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
	])('is refused with 400 if it is malformed: %s %j', async (type, body) => {
		const answer = await client.post(documents, body, { headers: { 'Content-Type': type } });
		expect(answer.status).toBe(400);
		expect(listFiles('incoming')).toEqual([]);
	});
});

test('an upload of another media type is refused with 400', async () => {
	const answer = await client.post(documents, 'x', { headers: { 'Content-Type': 'text/plain' } });
	expectRefusal(answer, 400, 'UNSUPPORTED_MEDIA_TYPE');
});

test('a file may be as large as the limit, and one byte more is refused with 422', async () => {
	const [most, more] = [randomBytes(limit), randomBytes(limit + 1)];
	expect((await client.post(documents, makeUpload(most))).status).toBe(201);
	expect((await client.post(documents, makeForm(most, 'a.bin'))).status).toBe(201);
	for (const body of [makeUpload(more), makeForm(more, 'a.bin')]) {
		expectRefusal(await client.post(documents, body), 422, 'FILE_TOO_LARGE');
	}
	expect(isStored(more.subarray(0, limit))).toBe(false);
	expect(listFiles('incoming')).toEqual([]);
});

test.each([
	'plain.txt',
	'Größe & Maß.pdf',
	'契約書 最終版.docx',
	'a;b="c".txt',
	'100%25 50%.csv',
	"it's (1)*.txt",
	'emoji 📄.zip',
	'a\u202eb.pdf',
	'\u00a0a.txt',
	'...',
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
	expectRefusal(await client.delete(`/documents/${ids[0]}`), 404, 'DOCUMENT_NOT_FOUND');
	expectRefusal(
		await download(String(ids[0])).then(({ status, data }) => ({
			status,
			data: JSON.parse(data),
		})),
		404,
		'DOCUMENT_NOT_FOUND',
	);
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
	const between = (await sandbox().clock.read()).now;
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
	expect(await names({ updated_after: between })).toEqual(['a.txt.bak']);
	for (const sort of ['created_at', 'updated_at', 'file_name', 'size_bytes']) {
		expect(await names({ sort, order: 'asc' })).toEqual(['a.txt', 'a.txt.bak']);
		expect(await names({ sort, order: 'desc' })).toEqual(['a.txt.bak', 'a.txt']);
	}
	expect(await names({ sort: 'title', order: 'asc', per_page: 1, page: 2 })).toEqual(['a.txt']);
	expectRefusal(
		await client.get(documents, { params: { sort: 'sha256' } }),
		400,
		'INVALID_PARAMETER',
	);
	expectRefusal(await client.get('/dossiers/dos_none/documents?page=x'), 404, 'DOSSIER_NOT_FOUND');
});
