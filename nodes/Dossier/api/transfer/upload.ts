import { parseSha256 } from './fileFacts';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { jsonBody, multipartBody } from './body';
import type { FileSource, SentFile } from './body';
import type { StreamedBody } from '../send/outgoing';
import type { CallApi } from '../send/requests';
import { Memory } from '../memory';
import { rejectOnAbort } from '../clock';
import { isProblem, Problem, readRefusal } from '../../problems/problem';
import { toWhole, toText } from '../json';
import { sendSeparately } from './separate';
import type { FindStored, UploadApi, UploadTarget } from './separate';

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** How a file goes out in each format. */
const BODIES = { json: jsonBody, multipart: multipartBody };

type WholeFormat = keyof typeof BODIES;

/** The format that each service has accepted, by its root. The next file is sent in it at once. */
const acceptedFormats = new Memory<WholeFormat>(1_000);

/** The uploads under way that find out which format a service accepts, by its root. */
const formatSearches = new Map<string, Promise<unknown>>();

/** Whether a service refuses the format of an upload. */
export const refusesFormat = (error: unknown) =>
	isProblem(error, 'REFUSED') &&
	(error.facts.status === contract.unsupportedMediaType.status ||
		error.facts.code === contract.unsupportedMediaType.code);

/** Compares what the service says it stored with what was sent. */
function compareStored(
	document: IDataObject,
	{ fileName, size }: FileSource,
	{ sha256 }: SentFile,
	{ known }: UploadTarget,
): void {
	const documentId = toText(document.id);
	const isVersion = documentId !== undefined && known?.has(documentId) === true;
	const stored = toWhole(document.size_bytes);
	if (stored !== undefined && stored !== size) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, stored, sent: size, documentId, isVersion });
	}
	const checksum = parseSha256(document.checksum_sha256);
	if (checksum && sha256 && checksum !== sha256) {
		throw new Problem('UPLOAD_MISMATCH', { fileName, documentId, isVersion });
	}
}

/** Whether an upload may have stored its file, although it failed. */
const mayBeStored = (error: unknown) =>
	isProblem(error, 'NOT_MADE_YET') ||
	(isProblem(error) && 'mayBeDone' in error.facts && error.facts.mayBeDone === true);

/** Whether the connection broke before the whole body was sent. An answer may have come before, which Node.js then loses. */
const isCutShort = (error: unknown) =>
	isProblem(error, 'CONNECTION_FAILED') && error.facts.isCutShort === true;

/**
 * Sends a body, and looks for its file if the answer was lost or does not show it. A body that was cut short is sent again only
 * if the service certainly does not have the file.
 */
async function sendBody(
	api: CallApi,
	{ endpoint, id }: UploadTarget,
	body: StreamedBody,
	findStored: FindStored | undefined,
): Promise<IDataObject> {
	let stored: IDataObject | undefined;
	/** Looks for the file, and keeps it as `stored`. Gives whether the service certainly does not have it. */
	const lookForFile = async () => {
		if (!findStored) return false;
		try {
			stored = await findStored();
			return stored === undefined;
		} catch {
			return false;
		}
	};
	const sending = api
		.call(endpoint, { id, body, mayRepeat: lookForFile })
		.then(async (document) => {
			if (toText(document.id) === undefined) await lookForFile();
			return stored ?? document;
		});
	return await sending.catch(async (error: unknown) => {
		const isCut = isCutShort(error);
		const isMissing = !stored && (isCut || mayBeStored(error)) && (await lookForFile());
		if (stored) return stored;
		if (isCut && !isMissing && isProblem(error, 'CONNECTION_FAILED'))
			throw new Problem('CONNECTION_FAILED', { ...error.facts, mayBeDone: true });
		throw error;
	});
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
	api: UploadApi,
	target: UploadTarget,
	source: FileSource,
	format: UploadFormat,
	findStored?: FindStored,
): Promise<IDataObject> {
	const { root, signal, translator } = api;
	const { readOnly = [] } = translator.dialect.document ?? {};
	const given = { file_name: source.fileName, mime_type: source.mimeType, ...target.fields };
	const fields = Object.fromEntries(
		Object.entries(given).filter(([name]) => !readOnly.includes(name)),
	);

	async function send(kind: WholeFormat | 'separate', file = source): Promise<IDataObject> {
		const sent: SentFile = {};
		const attempt =
			kind === 'separate'
				? sendSeparately(api, target, file, fields, sent, findStored)
				: sendBody(api, target, BODIES[kind](file, fields, sent, translator), findStored);
		const sending = attempt.then((document) => {
			compareStored(document, file, sent, target);
			return document;
		});
		return await sending.catch(async (error: unknown) => {
			if (!isProblem(error, 'FILE_CHANGED') || !file.keep) throw error;
			// The announced size was wrong. Once n8n has stored the file, its size is known.
			const { fileName } = file;
			return await send(kind, { ...file, keep: undefined, ...(await file.keep()), fileName });
		});
	}

	/** Sends JSON, and multipart if the service refuses JSON. */
	async function sendJsonOrMultipart(): Promise<IDataObject> {
		let accepted: WholeFormat = 'json';
		const document = await send('json').catch(async (error: unknown) => {
			if (!refusesFormat(error)) throw error;
			accepted = 'multipart';
			return await send('multipart').catch((other: unknown) => {
				// A service that accepts neither format has refused the file itself: the first refusal says why.
				throw refusesFormat(other) || readRefusal(other)?.status === 400 ? error : other;
			});
		});
		acceptedFormats.set(root, accepted);
		return document;
	}

	const chosen = format === 'auto' ? translator.dialect.upload?.format : format;
	if (chosen) return await send(chosen);
	// A refused format costs the transfer of a whole file, so one upload at a time finds out which one is accepted.
	for (let search = formatSearches.get(root); search; search = formatSearches.get(root)) {
		await rejectOnAbort(search, signal);
	}
	const accepted = acceptedFormats.get(root);
	if (accepted) return await (accepted === 'json' ? sendJsonOrMultipart() : send(accepted));
	const sending = sendJsonOrMultipart().finally(() => formatSearches.delete(root));
	formatSearches.set(
		root,
		sending.catch(() => undefined),
	);
	return await sending;
}
