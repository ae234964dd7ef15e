import { parseSha256 } from './checksum';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../dialect/contract';
import { jsonBody, multipartBody } from './body';
import type { FileSource, Sent } from './body';
import type { Api } from './client';
import { isProblem, Problem, readRefusal } from './problem';
import { toText } from './values';

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** Services that took multipart after they had refused JSON, so that the next file goes as multipart at once. By root. */
const multipartOnly = new Set<string>();

const refusesFormat = (error: unknown) =>
	isProblem(error, 'REFUSED') &&
	(error.facts.status === contract.unsupportedMediaType.status ||
		error.facts.code === contract.unsupportedMediaType.code);

/** Where a file goes: to a dossier in the path, or to one among the fields. */
interface UploadTarget {
	endpoint: 'documents.upload' | 'workspace.documents.create';
	id?: string;
	/** The flat fields beside the content: category, title, … */
	fields: IDataObject;
}

/** Compares what the service says it stored with what was sent. */
function compare(document: IDataObject, { fileName, size }: FileSource, { sha256 }: Sent): void {
	const documentId = toText(document.id);
	const { size_bytes: stored } = document;
	if (typeof stored === 'number' && stored !== size) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, stored, sent: size, documentId });
	}
	const checksum = parseSha256(document.checksum_sha256);
	if (checksum && sha256 && checksum !== sha256) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, documentId });
	}
}

/**
 * Adds a file to a dossier without ever holding it, and compares what the service stored with what was sent.
 *
 * @param format `auto` sends JSON, as all bodies are, and multipart if the service refuses JSON for it
 * @param findStored looks for the file among the documents, before a try that broke off is repeated or given up
 * @returns the document as the service stored it
 * @throws Problem
 */
export async function uploadFile(
	api: Api,
	{ endpoint, id, fields }: UploadTarget,
	source: FileSource,
	format: UploadFormat,
	findStored?: () => Promise<IDataObject | undefined>,
): Promise<IDataObject> {
	const all = { file_name: source.fileName, mime_type: source.mimeType, ...fields };

	async function send(makeBody: typeof jsonBody, file: FileSource): Promise<IDataObject> {
		const sent: Sent = {};
		const body = makeBody(file, all, sent, api.translator);
		const document = await api.upload(endpoint, id, body, findStored);
		compare(document, file, sent);
		return document;
	}

	/** Sends a file; one whose announced size proves wrong is kept by n8n first, which then knows its size. */
	const sendSized = async (makeBody: typeof jsonBody) =>
		await send(makeBody, source).catch(async (error: unknown) => {
			if (!isProblem(error, 'FILE_CHANGED') || !source.keep) throw error;
			return await send(makeBody, {
				...source,
				...(await source.keep()),
				fileName: source.fileName,
			});
		});

	const usual = api.translator.dialect.upload?.format ?? 'auto';
	const wanted = format === 'auto' ? usual : format;
	if (wanted === 'multipart' || (wanted === 'auto' && multipartOnly.has(api.root))) {
		return await sendSized(multipartBody);
	}
	return await sendSized(jsonBody).catch(async (error: unknown) => {
		if (wanted === 'json' || !refusesFormat(error)) throw error;
		const document = await sendSized(multipartBody).catch((other: unknown) => {
			// A service that takes neither format has refused the file itself: its first reason is the one that tells.
			throw refusesFormat(other) || readRefusal(other)?.status === 400 ? error : other;
		});
		multipartOnly.add(api.root);
		return document;
	});
}
