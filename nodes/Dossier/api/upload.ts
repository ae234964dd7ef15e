import { parseSha256 } from './checksum';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../dialect/contract';
import { jsonBody, multipartBody } from './body';
import type { FileSource, Sent } from './body';
import type { Api } from './client';
import { isProblem, Problem, readRefusal } from './problem';
import { toWhole, toText } from './values';

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** The roots of services that refused JSON and took multipart: the next file is sent as multipart at once. */
const multipartOnly = new Set<string>();

const refusesFormat = (error: unknown) =>
	isProblem(error, 'REFUSED') &&
	(error.facts.status === contract.unsupportedMediaType.status ||
		error.facts.code === contract.unsupportedMediaType.code);

/** The dossier that gets a file: its id in the path, or among the fields. */
interface UploadTarget {
	endpoint: 'documents.upload' | 'workspace.documents.create';
	id?: string;
	/** The fields beside the content: category, title, … */
	fields: IDataObject;
}

/** Compares what the service says it stored with what was sent. */
function compare(document: IDataObject, { fileName, size }: FileSource, { sha256 }: Sent): void {
	const documentId = toText(document.id);
	const stored = toWhole(document.size_bytes);
	if (stored !== undefined && stored !== size) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, stored, sent: size, documentId });
	}
	const checksum = parseSha256(document.checksum_sha256);
	if (checksum && sha256 && checksum !== sha256) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, documentId });
	}
}

/**
 * Streams a file into a dossier, and compares what the service stored with what was sent.
 *
 * @param format `auto` sends JSON, and multipart if the service refuses JSON
 * @param findStored looks for the file among the documents after an attempt that broke off, before the upload is repeated or
 * fails
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
	const { readOnly = [] } = api.translator.dialect.document ?? {};
	const known = { file_name: source.fileName, mime_type: source.mimeType, ...fields };
	const all = Object.fromEntries(
		Object.entries(known).filter(([name]) => !readOnly.includes(name)),
	);

	async function send(makeBody: typeof jsonBody, file: FileSource): Promise<IDataObject> {
		const sent: Sent = {};
		const body = makeBody(file, all, sent, api.translator);
		const document = await api.upload(endpoint, id, body, findStored);
		compare(document, file, sent);
		return document;
	}

	/** Sends a file. If its announced size proves wrong, n8n stores the file first, which then has a known size. */
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
			// A service that takes neither format has refused the file itself: the first refusal says why.
			throw refusesFormat(other) || readRefusal(other)?.status === 400 ? error : other;
		});
		multipartOnly.add(api.root);
		return document;
	});
}
