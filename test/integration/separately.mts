/** A service that makes a document first and takes its file at another address, as storage providers do. */
import type { IDataObject } from 'n8n-workflow';
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import { answerJson, readBody, readJson, sha256, useFake, useFakes } from './fakeService.mts';
import type { Handler, Handlers } from './fakeService.mts';
import { carry, speaking, uploadTo } from './requests.mts';

export const content = 'An invoice';
export const storesAt: Dialect['upload'] = {
	format: 'separate',
	address: 'upload.url',
	confirm: '/v1/documents/{id}/confirm',
};

export const addressAt =
	(url: string, headers: IDataObject = { 'x-upload-token': 'one' }) =>
	(id: string) => ({ url: `${url}/files/${id}?signature=x`, headers });

/** The service, and the node that calls it, anew for each test of the file that calls this. */
export function useSeparate() {
	const { service, run } = useFake();
	const startFake = useFakes();

	/** The documents of the service by their ids, and the fields of each request that made one. */
	const documents = new Map<string, IDataObject>();
	const made: IDataObject[] = [];

	beforeEach(() => {
		documents.clear();
		made.length = 0;
	});

	const show: Handler = (_, response, { id }) => {
		const document = documents.get(id);
		if (document) answerJson(response, 200, document);
		else
			answerJson(response, 404, { error: { code: 'DOCUMENT_NOT_FOUND', message: 'No document' } });
	};

	/** Stores the bytes of a document. */
	const take: Handler = async (request, response, { id }) => {
		const bytes = await readBody(request);
		Object.assign(documents.get(id) ?? {}, {
			size_bytes: bytes.length,
			checksum_sha256: sha256(bytes),
		});
		response.writeHead(200).end();
	};

	/** A service whose answers name an address for the file of each new document. */
	const naming = (address: (id: string) => unknown): Handlers => ({
		'POST /v1/dossiers/{id}/documents': async (request, response, { id: dossier_id }) => {
			const fields = await readJson(request);
			made.push(fields);
			const id = `doc_${made.length}`;
			const document = { ...fields, id, dossier_id, created_at: new Date().toISOString() };
			documents.set(id, document);
			answerJson(response, 201, { ...document, upload: address(id) });
		},
		'GET /v1/dossiers/{id}/documents': (_, response) =>
			answerJson(response, 200, { data: [...documents.values()] }),
		'GET /v1/documents/{id}': show,
		'POST /v1/documents/{id}/confirm': (request, response, { id }) => {
			Object.assign(documents.get(id) ?? {}, { confirmed_by: request.headers.authorization });
			answerJson(response, 200, {});
		},
		'DELETE /v1/documents/{id}': (_, response, { id }) => {
			documents.delete(id);
			answerJson(response, 200, { deleted: true });
		},
	});

	const upload = async (
		handlers: Handlers,
		part: Dialect['upload'] = storesAt,
		more: Dialect = {},
	) =>
		await run(uploadTo('dos_1', { ifExists: 'skip' }), {
			items: [carry('invoice.txt', content)],
			credential: speaking({ upload: part, ...more }),
			handlers,
		});

	/** A storage provider at which each document has an address. */
	const startStorage = async (handler: Handler = take) =>
		await startFake({ 'PUT /files/{id}': handler });

	return { service, run, startFake, documents, made, take, naming, upload, startStorage };
}
