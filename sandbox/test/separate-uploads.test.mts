import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import axios from 'axios';
import type { Dialect } from '../src/index.mts';
import { expectRefusal, makeForm, makeUpload, minute, openCall, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const limit = 200_000;
const sandboxed = useSandbox({ onDisk: true, maxFileBytes: limit });
const { client, customer, control, listFiles, sandbox } = sandboxed;

const separate = (upload: Dialect['upload'], more: Dialect = {}): Dialect => ({
	...more,
	upload: { format: 'separate', ...upload },
});
const linked = separate({ address: 'upload.url', headers: 'upload.headers' });
const confirmed = separate({
	address: '/v1/documents/{id}/content',
	confirm: '/v1/documents/{id}/confirm',
});

/** The storage provider, which has no key. */
const storage = axios.create({ validateStatus: () => true, proxy: false });
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const fields = { file_name: 'note.txt', mime_type: 'text/plain', category: 'invoice' };
const raw = { headers: { 'Content-Type': 'text/plain' } };

let dossier: string;
let documents: string;

async function speak(dialect: Dialect): Promise<void> {
	await control.speak({});
	dossier = (await client.post('/dossiers', { title: 'Case' })).data.id;
	documents = `/dossiers/${dossier}/documents`;
	await control.speak(dialect);
}

const make = async () => (await client.post(documents, fields)).data;
const read = async (id: string) => (await client.get(`/documents/${id}`)).data;
const download = async (id: string) =>
	await client.get(`/documents/${id}/download`, { responseType: 'arraybuffer' });
const listEntries = async () =>
	(await client.get('/audit-log', { params: { action: 'document.uploaded' } })).data.data;

describe('with an address in the answer', () => {
	beforeEach(async () => await speak(linked));

	test('a document is whole, and announced, as soon as its bytes are there', async () => {
		const hook = await sandboxed.registerReceiver(['document.uploaded']);
		const { status, data } = await client.post(documents, fields);
		expect(status).toBe(201);
		expect(data).toMatchObject({ ...fields, upload: { url: expect.stringMatching(/\/signed\//) } });
		expect((await client.get(documents)).data.data).toMatchObject([{ id: data.id }]);
		expect((await download(data.id)).status).toBe(404);
		await control.idle();
		expect([hook.received, await listEntries()]).toEqual([[], []]);

		const bytes = randomBytes(150_000);
		const { url, headers } = data.upload;
		for (let at = 0; at < 2; at++) {
			const put = await storage.put(url, bytes, { headers });
			expect([put.status, put.data]).toEqual([200, '']);
		}
		const whole = await read(data.id);
		expect(whole).toMatchObject({ size_bytes: bytes.length, checksum_sha256: sha256(bytes) });
		expect(sha256(Buffer.from((await download(data.id)).data))).toBe(sha256(bytes));
		await control.idle();
		expect(hook.received.map(({ event }) => event.data.document_id)).toEqual([data.id]);
		expect(await listEntries()).toMatchObject([{ target: { id: data.id } }]);
		expect(listFiles('files')).not.toContain(sha256(''));
	});

	test('the address refuses without its header, with a key, changed, for GET, and after five minutes', async () => {
		const { id, upload } = await make();
		const { headers } = upload;
		const put = async (url: string, given: Record<string, string>) =>
			(await storage.put(url, 'bytes', { headers: given })).status;
		expect(await put(upload.url, {})).toBe(403);
		expect(await put(upload.url, (await make()).upload.headers)).toBe(403);
		expect(await put(upload.url, { ...headers, Authorization: 'Bearer key' })).toBe(400);
		expect(await put(`${upload.url}x`, headers)).toBe(403);
		expect((await storage.get(upload.url, { headers })).status).toBe(403);
		await control.move(5 * minute);
		expect(await put(upload.url, headers)).toBe(403);
		expect(await read(id)).toMatchObject({ size_bytes: 0 });
	});

	test('a file that is too large is refused with 413, and one whose document is gone with 403', async () => {
		const [one, other] = [await make(), await make()];
		const put = async ({ upload: { url, headers } }: typeof one, bytes: Buffer | string) =>
			(await storage.put(url, bytes, { headers })).status;
		expect(await put(one, randomBytes(limit + 1))).toBe(413);
		expect(await put(one, randomBytes(limit))).toBe(200);
		expect((await client.delete(`/documents/${other.id}`)).status).toBe(200);
		expect(await put(other, 'bytes')).toBe(403);
		await waitUntil(() => listFiles('incoming').length === 0);
		expect(listFiles('files')).not.toContain(sha256('bytes'));
	});

	test('a body that breaks off leaves nothing, and can be sent again', async () => {
		const { id, upload } = await make();
		const { headers } = upload;
		const call = request(upload.url, {
			method: 'PUT',
			headers: { ...headers, 'Content-Length': 1000 },
		});
		call.on('error', () => undefined);
		await new Promise((resolve) => call.write(randomBytes(100), resolve));
		await waitUntil(() => listFiles('incoming').length > 0);
		call.destroy();
		expect((await storage.put(upload.url, 'bytes', { headers })).status).toBe(200);
		expect(await read(id)).toMatchObject({ size_bytes: 5 });
		await waitUntil(() => listFiles('incoming').length === 0);
	});

	test('a content is refused, as JSON and as a form', async () => {
		expectRefusal(await client.post(documents, makeUpload('x')), 400, 'UNSUPPORTED_MEDIA_TYPE');
		expectRefusal(
			await client.post(documents, makeForm('x', 'x.txt')),
			400,
			'UNSUPPORTED_MEDIA_TYPE',
		);
	});

	test('the journal shows neither the address nor its header', async () => {
		const { upload } = await make();
		await storage.put(upload.url, 'bytes', { headers: upload.headers });
		const { data } = await control.client.get('/journal');
		expect(JSON.stringify(data)).toContain('/signed/…');
		expect(JSON.stringify(data)).not.toContain(upload.headers['x-upload-token']);
		expect(JSON.stringify(data)).not.toContain(upload.url);
	});
});

test('the fields follow the dialect, and a strict service knows no others', async () => {
	const dialect: Dialect = {
		naming: 'camelCase',
		strict: { bodies: true },
		record: { envelope: '{kind}', attributes: 'values', sendIn: 'data', typeIn: 'data.type' },
		document: { fields: { file_name: 'called' } },
	};
	await speak(separate({ address: 'link' }, dialect));
	const own = { type: 'documents', called: 'note.txt', mimeType: 'text/plain', category: 'tax' };
	const { status, data } = await client.post(documents, { data: own });
	expect(status).toBe(201);
	expect(data.document.values).toMatchObject({ called: 'note.txt' });
	expect((await storage.put(data.link, 'bytes')).status).toBe(200);
	const unknown = await client.post(documents, { data: { ...own, content: 'eA==' } });
	expectRefusal(unknown, 422, 'VALIDATION_ERROR');
});

describe('with a path of the service and a confirmation', () => {
	beforeEach(async () => await speak(confirmed));

	test('a document is whole, and announced, when it is confirmed', async () => {
		const hook = await sandboxed.registerReceiver(['document.uploaded']);
		const made = await make();
		const { id } = made;
		expect(made).not.toHaveProperty('upload');
		const confirm = async () => (await client.post(`/documents/${id}/confirm`)).status;
		expect(await confirm()).toBe(422);
		const bytes = randomBytes(1000);
		expect((await client.put(`/documents/${id}/content`, bytes, raw)).status).toBe(204);
		expect((await download(id)).status).toBe(404);
		expect([await confirm(), await confirm()]).toEqual([204, 204]);
		expect(sha256(Buffer.from((await download(id)).data))).toBe(sha256(bytes));
		await control.idle();
		expect(hook.received).toHaveLength(1);
	});

	test('refusals are those of the service, and a body that breaks off leaves nothing', async () => {
		const { id } = await make();
		const content = `/documents/${id}/content`;
		expectRefusal(await client.put(content, randomBytes(limit + 1), raw), 422, 'FILE_TOO_LARGE');
		expectRefusal(await client.put('/documents/none/content', 'x', raw), 404, 'DOCUMENT_NOT_FOUND');
		const stranger = await sandboxed.connectStranger();
		expectRefusal(await stranger.put(content, 'x', raw), 404, 'DOCUMENT_NOT_FOUND');
		const call = openCall(client, content, { method: 'PUT', 'Content-Length': 1000 });
		call.write(randomBytes(100));
		await call.hangUp();
		expect((await client.put(content, 'bytes', raw)).status).toBe(204);
		await waitUntil(() => listFiles('incoming').length === 0);
	});

	test('a customer brings the file of a document with their token', async () => {
		const { data } = await customer.post('/tenants/documents', { ...fields, dossier_id: dossier });
		const owner = axios.create({ ...customer.defaults, baseURL: `${sandbox().url}/v1` });
		expect((await owner.put(`/documents/${data.id}/content`, 'bytes', raw)).status).toBe(204);
		expect((await owner.post(`/documents/${data.id}/confirm`)).status).toBe(204);
		expect(await read(data.id)).toMatchObject({ size_bytes: 5 });
		expect(await listEntries()).toMatchObject([{ actor: { type: 'user' } }]);
	});
});

test('the contract that is served has the fields alone, and the paths for the file', async () => {
	await speak(confirmed);
	const { data } = await axios.get(`${sandbox().url}/_sandbox/openapi.json`);
	const { requestBody } = data.paths['/v1/dossiers/{id}/documents'].post;
	expect(Object.keys(requestBody.content)).toEqual(['application/json']);
	expect(JSON.stringify(requestBody)).not.toContain('content_base64');
	expect(data.paths).toMatchObject({
		'/v1/documents/{id}/content': { put: { operationId: 'documents.receive' } },
		'/v1/documents/{id}/confirm': { post: { operationId: 'documents.confirm' } },
	});
});
