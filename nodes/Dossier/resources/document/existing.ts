import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { collect } from '../../api/pages';
import type { FileSource } from '../../api/upload';
import { toText } from '../../api/values';
import { hashSource } from '../../execution/binary';
import type { ItemRun } from '../../execution/operation';

/** What one run knows of the documents in a dossier, by file name and SHA-256. */
type Documents = Map<string, Promise<IDataObject>>;

const identify = (fileName: unknown, checksum: unknown) => JSON.stringify([fileName, checksum]);

async function list(api: Api, dossierId: string): Promise<Documents> {
	const documents = await collect(api, 'documents.list', { id: dossierId });
	const known: Documents = new Map();
	for (const document of documents) {
		const checksum = toText(document.checksum_sha256)?.toLowerCase();
		if (checksum) known.set(identify(document.file_name, checksum), Promise.resolve(document));
	}
	return known;
}

/** The documents of a dossier, listed once in a run; a list that failed is tried again by the next item. */
async function listOnce({ api, once }: ItemRun, dossierId: string): Promise<Documents> {
	const lists = once('documents by dossier', () => new Map<string, Promise<Documents>>());
	const listed = lists.get(dossierId) ?? list(api, dossierId);
	lists.set(dossierId, listed);
	return await listed.catch((error: unknown) => {
		lists.delete(dossierId);
		throw error;
	});
}

/**
 * Sends a file unless its dossier has a document with the same name and SHA-256. A document without a checksum never
 * counts as the same, so that no file is left out by mistake. Files that this run sends count too.
 *
 * @returns the document, and whether it was there before
 */
export async function existingDocument(
	run: ItemRun,
	dossierId: string,
	source: FileSource,
	send: () => Promise<IDataObject>,
): Promise<{ document: IDataObject; existed: boolean }> {
	const documents = await listOnce(run, dossierId);
	const key = identify(source.fileName, await hashSource(source));
	const existing = documents.get(key);
	if (existing) {
		const document = await existing.catch(() => undefined);
		if (document) return { document, existed: true };
	}
	const sent = send();
	documents.set(key, sent);
	return { document: await sent, existed: false };
}
