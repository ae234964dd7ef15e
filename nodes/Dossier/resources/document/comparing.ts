/** Whether documents hold a file. */
import type { IDataObject } from 'n8n-workflow';
import { toText, toWhole } from '../../api/json';
import { shareMaking } from '../../api/memory';
import type { FileSource } from '../../api/transfer/body';
import { receiveFile } from '../../api/transfer/download';
import { parseSha256 } from '../../api/transfer/fileFacts';
import { hashSource, hashStream } from '../../execution/binary';
import type { ItemRun } from '../../execution/operation';
import { isProblem, Problem, readRefusal } from '../../problems/problem';
import { isNamesake } from './fileNames';

export type Run = Pick<ItemRun, 'api' | 'once'>;

/** How two files were compared: by the SHA-256 that the service gives, or by that of the downloaded content. */
type Comparison = 'checksum' | 'content';

/** A document that holds an equal file. */
export interface Equal {
	document: IDataObject;
	comparedBy: Comparison;
}

/** A file, compared with documents. */
export interface Compared {
	/** The first document that holds an equal file. */
	same?: Equal;
	/** The documents with the same file name and another content; if all of them have no file, these. */
	others: IDataObject[];
	/** SHA-256 of the file in lower-case hex, if it was computed. */
	sha256?: string;
}

const readChecksum = (document: IDataObject) => parseSha256(document.checksum_sha256);

/** The SHA-256 of the documents that a run has downloaded, by their ids. */
const listHashes = ({ once }: Pick<Run, 'once'>) =>
	once('hashes of downloaded documents', () => new Map<string, Promise<string>>());

/**
 * Compares a document with a file: by size and SHA-256, and by downloading it if the service gives no SHA-256. `undefined` if they differ,
 * `null` if the document has no file, because its upload broke off.
 */
async function compareContent(
	{ api, once }: Run,
	entry: IDataObject,
	source: FileSource,
	hash: () => Promise<string>,
): Promise<Comparison | null | undefined> {
	const id = toText(entry.id);
	const isShort = readChecksum(entry) === undefined && id !== undefined;
	const document = isShort ? { ...entry, ...(await api.call('documents.get', { id })) } : entry;
	const size = toWhole(document.size_bytes);
	if (size !== undefined && size !== source.size) return undefined;
	const checksum = readChecksum(document);
	if (checksum !== undefined) return checksum === (await hash()) ? 'checksum' : undefined;
	if (id === undefined) return undefined;
	const download = async () =>
		await receiveFile(
			api,
			'documents.download',
			{ id },
			async ({ content }) => await hashStream(content),
			{ fileName: source.fileName, size },
		);
	const { noFile } = api.translator.dialect.download ?? {};
	const downloaded = await shareMaking(listHashes({ once }), id, download).catch(
		(error: unknown) => {
			if (noFile !== undefined && readRefusal(error)?.code === noFile) return null;
			// A damaged file is not the same one.
			if (isProblem(error, 'DOWNLOAD_MISMATCH')) return '';
			throw error;
		},
	);
	if (downloaded === null) return null;
	return downloaded === (await hash()) ? 'content' : undefined;
}

/** Compares a file with documents until one is equal, and with every document that has its name. */
export async function compareAll(
	run: Run,
	documents: IDataObject[],
	source: FileSource,
): Promise<Compared> {
	let hash: Promise<string> | undefined;
	const hashOnce = async () => await (hash ??= hashSource(source));
	let same: Equal | undefined;
	const others: IDataObject[] = [];
	const empty: IDataObject[] = [];
	for (const document of documents) {
		const isNamed = isNamesake(document, source);
		if (same && !isNamed) continue;
		const comparedBy = await compareContent(run, document, source, hashOnce);
		if (comparedBy) same ??= { document, comparedBy };
		else if (isNamed) (comparedBy === null ? empty : others).push(document);
	}
	return { same, others: others.length ? others : empty, sha256: await hash };
}

/**
 * Compares a file with the document that it was just sent as.
 *
 * @throws Problem, also if the service does not give that document out
 */
export async function compareNew(
	run: Run,
	document: IDataObject,
	source: FileSource,
): Promise<Compared> {
	const documentId = toText(document.id) ?? '';
	// The service may keep the id of a document when it gets a new version.
	listHashes(run).delete(documentId);
	return await compareAll(run, [document], source).catch((error: unknown) => {
		const refusal = readRefusal(error);
		if (!refusal) throw error;
		const { fileName } = source;
		throw new Problem('NEW_DOCUMENT_UNREADABLE', { refusal, fileName, documentId });
	});
}
