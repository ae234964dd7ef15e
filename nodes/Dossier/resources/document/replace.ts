/** What becomes of a document that a new one takes the place of. */
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import type { FileSource } from '../../api/transfer/body';
import { toText } from '../../api/json';
import { parseTime } from '../../dialect/formats';
import { GONE, hasStatus, Problem } from '../../problems/problem';
import { compareAll, listHashes } from './existing';
import type { Run } from './existing';

/** Whether the service shows that a document was made before another one. */
export const isOlder = (one: IDataObject, other: IDataObject) =>
	parseTime(one.created_at) < parseTime(other.created_at);

/** Deletes the old document, after it has checked that the new one holds the whole file. Throws Problem if it does not. */
export async function replaceDocument(
	run: Run,
	old: IDataObject,
	document: IDataObject,
	source: FileSource,
): Promise<void> {
	const documentId = toText(document.id);
	// The service may keep the id of a document when it gets a new version.
	listHashes(run).delete(documentId ?? '');
	const { same } = await compareAll(run, [document], source);
	if (!same) {
		throw new Problem('NOT_REPLACED', { fileName: source.fileName, documentId });
	}
	if (documentId !== toText(old.id)) await ensureDeleted(run.api, old);
}

/** Deletes a document; does nothing if somebody else has deleted it. */
export async function ensureDeleted(api: Api, document: IDataObject): Promise<void> {
	const id = toText(document.id);
	const isGone = (error: unknown) => hasStatus(error, ...GONE);
	await api.call('documents.delete', { id }).catch(async (error: unknown) => {
		if (!isGone(error)) throw error;
		// The service may also answer so because it does not know the endpoint.
		const isThere = await api.call('documents.get', { id }).then(
			() => true,
			(other: unknown) => !isGone(other),
		);
		if (isThere) throw error;
	});
}
