/** Files that the service hands out inside JSON, or at a path of its own that wants the key. */
import { answerJson, startFake } from './fakeService';
import type { FakeService } from './fakeService';
import { readBinary, runDossier, useBinaryMode } from './n8n';
import { byId } from './service';

beforeAll(async () => await useBinaryMode('default'));

let service: FakeService;
afterEach(async () => await service.stop());

const file = { fileName: 'invoice.pdf', content: Buffer.from('An invoice') };

describe('A download in JSON', () => {
	const document = { id: 'f1', file_name: file.fileName, mime_type: 'application/pdf' };

	async function download(type: string, body: unknown) {
		service = await startFake({
			'GET /v1/documents/f1': (_, response) => answerJson(response, 200, document),
			'GET /v1/documents/f1/download': (_, response) =>
				response.writeHead(200, { 'Content-Type': type }).end(JSON.stringify(body)),
		});
		return await runDossier({
			parameters: {
				resource: 'document',
				operation: 'download',
				documentId: byId('f1'),
				binaryPropertyName: 'data',
			},
			credential: service.credential,
		});
	}

	const content = file.content.toString('base64');

	it.each<[string, string, unknown]>([
		['under another media type', 'application/vnd.api+json; charset=utf-8', { content }],
		['deep inside', 'application/json', { data: { id: 'f1', attributes: { content } } }],
		['behind its type', 'application/json', { contentType: 'application/pdf', content }],
		['as a data URL', 'application/json', { file: `data:application/pdf;base64,${content}` }],
	])('is the file if its base64 text stands %s', async (_, type, body) => {
		const { error, items: output } = await download(type, body);
		expect(error).toBeUndefined();
		expect(await readBinary(output[0]?.binary?.data)).toEqual(file.content);
	});

	it('is an empty file if its base64 text is empty', async () => {
		const { error, items: output } = await download('application/json', { content: '' });
		expect(error).toBeUndefined();
		expect(await readBinary(output[0]?.binary?.data)).toHaveLength(0);
	});

	it('is never given out as the file if no field of it holds the file', async () => {
		const { error, items: output } = await download('application/json', { state: 'preparing' });
		expect(output).toEqual([]);
		expect(error?.message).toContain('JSON in place of invoice.pdf');
		expect(error?.description).toContain('Nothing was returned');
	});
});

describe('A download that the service redirects to a path of its own', () => {
	const document = { id: 'f1', file_name: file.fileName };

	it.each([
		['that wants the key', '/v1/blobs/1', 200],
		['outside the address in the credential', '/elsewhere', 401],
	])('%s', async (_, location, status) => {
		service = await startFake({
			'GET /base/v1/documents/f1': (__, response) => answerJson(response, 200, document),
			'GET /base/v1/documents/f1/download': (__, response) =>
				response.writeHead(307, { Location: status === 200 ? `/base${location}` : location }).end(),
			'GET /base/v1/blobs/1': (request, response) =>
				response.writeHead(request.headers.authorization ? 200 : 401).end(file.content),
			'GET /elsewhere': (__, response) => response.writeHead(401).end(),
		});
		const { credential, url } = service;
		const { error, items: output } = await runDossier({
			parameters: {
				resource: 'document',
				operation: 'download',
				documentId: byId('f1'),
				binaryPropertyName: 'data',
			},
			credential: { ...credential, baseUrl: `${url}/base/v1` },
		});
		const followed = service.requests.slice(2).map(({ headers }) => 'authorization' in headers);
		expect(followed).toEqual(status === 200 ? [false, true] : [false]);
		expect(error === undefined).toBe(status === 200);
		if (status === 200) expect(await readBinary(output[0]?.binary?.data)).toEqual(file.content);
	});
});
