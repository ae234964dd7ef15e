import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { collect } from '../../api/pages';
import type { FileSource } from '../../api/upload';
import { textOf } from '../../api/values';
import { sha256Of } from '../../execution/binary';

/** What one execution knows of the documents in a dossier, by file name and SHA-256. */
type Documents = Map<string, Promise<IDataObject>>;

const dossiers = new WeakMap<Api, Map<string, Promise<Documents>>>();

const keyOf = (fileName: unknown, checksum: unknown) => JSON.stringify([fileName, checksum]);

async function list(api: Api, dossierId: string): Promise<Documents> {
	const documents = await collect(api, 'documents.list', { id: dossierId });
	const known: Documents = new Map();
	for (const document of documents) {
		const checksum = textOf(document.checksum_sha256)?.toLowerCase();
		if (checksum) known.set(keyOf(document.file_name, checksum), Promise.resolve(document));
	}
	return known;
}

/** The documents of a dossier, listed once in an execution. */
async function documentsOf(api: Api, dossierId: string): Promise<Documents> {
	const known = dossiers.get(api) ?? new Map<string, Promise<Documents>>();
	dossiers.set(api, known);
	const listed = known.get(dossierId) ?? list(api, dossierId);
	known.set(dossierId, listed);
	return await listed.catch((error: unknown) => {
		known.delete(dossierId);
		throw error;
	});
}

/**
 * Sends a file unless its dossier has a document with the same name and SHA-256. A document without a checksum never
 * counts as the same, so that no file is left out by mistake. Files that this execution sends count too.
 *
 * @returns the document, and whether it was there before
 */
export async function existingDocument(
	api: Api,
	dossierId: string,
	source: FileSource,
	send: () => Promise<IDataObject>,
): Promise<{ document: IDataObject; existed: boolean }> {
	const documents = await documentsOf(api, dossierId);
	const key = keyOf(source.fileName, await sha256Of(source));
	const existing = documents.get(key);
	if (existing) {
		const document = await existing.catch(() => undefined);
		if (document) return { document, existed: true };
	}
	const sent = send();
	documents.set(key, sent);
	return { document: await sent, existed: false };
}
