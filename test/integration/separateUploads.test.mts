/** Uploads to a service that makes the document first and takes its file at another address, as storage providers do. */
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import {
	answering,
	answerJson,
	readBody,
	refusing,
	sha256,
	shortenPauses,
} from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { carry, speaking, uploadTo } from './requests.mts';
import { addressAt, content, storesAt, useSeparate } from './separately.mts';

beforeAll(async () => await useBinaryMode('default'));
shortenPauses();

const { service, run, startFake, documents, made, take, naming, upload, startStorage } =
	useSeparate();

it('makes the document, brings the file without the key, confirms it, and gives what is stored', async () => {
	const storage = await startStorage();
	const { items, error } = await upload(naming(addressAt(storage.url)), storesAt, {
		document: { sentAs: { size_bytes: 'length' } },
	});
	expect(error).toBeUndefined();
	expect(items[0]?.json).toMatchObject({
		id: 'doc_1',
		file_name: 'invoice.txt',
		size_bytes: content.length,
		checksum_sha256: sha256(Buffer.from(content)),
		confirmed_by: 'Bearer sk_test_x',
		skipped: false,
	});
	expect(made).toEqual([
		{
			file_name: 'invoice.txt',
			mime_type: 'text/plain',
			category: 'other',
			length: content.length,
		},
	]);
	const [put, ...others] = storage.requests;
	expect(others).toEqual([]);
	expect(put?.headers).toMatchObject({
		'x-upload-token': 'one',
		'content-type': 'text/plain',
		'content-length': String(content.length),
	});
	expect(put?.headers.authorization).toBeUndefined();
	const again = await upload({});
	expect(again.items[0]?.json).toMatchObject({ id: 'doc_1', skipped: true });
	expect(made).toHaveLength(1);
});

it('brings the file with the key to a path of the service that the dialect names', async () => {
	const handlers = { ...naming(() => undefined), 'PUT /v1/documents/{id}/content': take };
	const part: Dialect['upload'] = { format: 'separate', address: '/v1/documents/{id}/content' };
	const { items } = await upload(handlers, part);
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', size_bytes: content.length });
	const put = service.requests.find(({ method }) => method === 'PUT');
	expect(put?.headers.authorization).toBe('Bearer sk_test_x');
});

it('brings the file again if the connection breaks, and where it is redirected', async () => {
	let asked = 0;
	const other = await startStorage();
	const storage = await startStorage((request, response, { id }) => {
		asked += 1;
		if (asked === 1) request.destroy();
		else response.writeHead(307, { Location: `${other.url}/files/${id}` }).end();
	});
	const { items } = await upload(naming(addressAt(storage.url)));
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', size_bytes: content.length });
	expect(asked).toBe(2);
	expect(made).toHaveLength(1);
});

it.each<[string, (url: string) => unknown, string]>([
	['refuses it', (url) => ({ url: `${url}/refused` }), 'denied'],
	['has no address', () => ({ uri: 'x' }), 'no address for the file at upload.url'],
	['is in a private network', () => ({ url: 'http://169.254.169.254/x' }), '169.254.169.254'],
])('deletes the document again if the storage %s', async (_, address, sentence) => {
	const storage = await startFake({ 'PUT /refused': answering(403, '<Error>denied</Error>') });
	const { items, error } = await upload(naming(() => address(storage.url)));
	expect(items).toEqual([]);
	expect(error?.message).toContain(sentence);
	expect(made).toHaveLength(1);
	expect(documents.size).toBe(0);
});

it('says why a storage provider refused the file, and what an upload may lack', async () => {
	const explanation =
		'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>x-token is missing</Message></Error>';
	const storage = await startStorage(answering(403, explanation));
	const { error } = await upload(naming(addressAt(storage.url)));
	expect(error?.message).toBe('The service answered with status 403: x-token is missing');
	expect(error?.description).toContain('it may lack a header');
});

it('does not repeat what gave access to the storage', async () => {
	const refusal = { error: { message: 'No: sign+1/2==, SIGN%2B1%2F2%3D%3D, key of one' } };
	const storage = await startStorage(answering(403, JSON.stringify(refusal)));
	const address = () => ({
		url: `${storage.url}/files/doc_1?sig=sign%2b1%2F2==`,
		headers: { 'x-upload-token': 'key of one', 'Content-Type': 'text/plain' },
	});
	const { error } = await upload(naming(address));
	expect(error?.message).toBe('No: [redacted], [redacted], [redacted]');
});

it('says why the file of a document was refused that is left without it', async () => {
	const { error } = await upload(
		{
			...naming(() => undefined),
			'PUT /v1/documents/{id}/content': refusing(403, 'The storage is full'),
			'DELETE /v1/documents/{id}': refusing(403, 'Not allowed'),
		},
		{ format: 'separate', address: '/v1/documents/{id}/content' },
	);
	expect(error?.message).toContain('document doc_1 is left without it: The storage is full');
});

describe('A document that a broken upload has left without its file', () => {
	beforeEach(() => {
		documents.set('doc_0', { id: 'doc_0', dossier_id: 'dos_1', file_name: 'invoice.txt' });
	});

	const uploadBeside = async (ifExists: string) => {
		const storage = await startStorage();
		return await run(uploadTo('dos_1', { ifExists }), {
			items: [carry('invoice.txt', content)],
			credential: speaking({ upload: storesAt, download: { noFile: 'NO_FILE' } }),
			handlers: {
				...naming(addressAt(storage.url)),
				'GET /v1/documents/{id}/download': (_, response) =>
					answerJson(response, 409, {
						error: { code: 'NO_FILE', message: 'No file', status: 409 },
					}),
			},
		});
	};

	it.each([
		['skip', ['doc_0', 'doc_1']],
		['replace', ['doc_1']],
	])('does not keep the file from being uploaded with %s', async (ifExists, kept) => {
		const { items, error } = await uploadBeside(ifExists);
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ id: 'doc_1', skipped: false });
		expect([...documents.keys()]).toEqual(kept);
	});

	it('does not keep the one document that has a file from being replaced', async () => {
		const checksum_sha256 = '0'.repeat(64);
		documents.set('doc_9', { ...documents.get('doc_0'), id: 'doc_9', checksum_sha256 });
		const { items, error } = await uploadBeside('replace');
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ id: 'doc_1', replaced: { id: 'doc_9' } });
		expect([...documents.keys()]).toEqual(['doc_0', 'doc_1']);
	});
});

it('names the document that is left without its file', async () => {
	const { error } = await upload({
		...naming(() => ({})),
		'DELETE /v1/documents/{id}': refusing(403, 'Not allowed'),
	});
	expect(error?.message).toContain('its document doc_1 is left without it');
	expect(documents.size).toBe(1);
});

it('keeps a document whose confirmation was answered by a broken connection', async () => {
	const storage = await startStorage();
	const { items } = await upload({
		...naming(addressAt(storage.url)),
		'POST /v1/documents/{id}/confirm': (request) => request.destroy(),
	});
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', size_bytes: content.length });
	expect(documents.size).toBe(1);
});

it('keeps a document whose file was stored before the last attempt was refused', async () => {
	let asked = 0;
	const storage = await startStorage(async (request, response, asking) => {
		asked += 1;
		if (asked > 1) return response.writeHead(503).end();
		const bytes = await readBody(request);
		Object.assign(documents.get(asking.id) ?? {}, {
			size_bytes: bytes.length,
			checksum_sha256: sha256(bytes),
		});
		request.socket.destroy();
	});
	const { items } = await upload(naming(addressAt(storage.url)), {
		format: 'separate',
		address: 'upload.url',
	});
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', size_bytes: content.length });
	expect(asked).toBeGreaterThan(1);
	expect(documents.size).toBe(1);
});

it('never gives out the address, also if the document cannot be read afterwards', async () => {
	const storage = await startStorage();
	const { items } = await upload({
		...naming(addressAt(storage.url)),
		'GET /v1/documents/{id}': refusing(403, 'Not allowed'),
	});
	expect(items[0]?.json).toMatchObject({ id: 'doc_1', file_name: 'invoice.txt' });
	expect(JSON.stringify(items)).not.toMatch(/signature=x|x-upload-token/);
});
