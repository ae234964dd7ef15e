import { parseSha256 } from './fileFacts';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { jsonBody, multipartBody } from './body';
import type { FileSource, Sent } from './body';
import type { Translator } from '../../dialect/translate';
import type { StreamedBody } from '../send/outgoing';
import { MOST_SERVICES } from '../endpoints';
import type { EndpointName } from '../endpoints';
import { rejectOnAbort } from '../clock';
import { isProblem, Problem, readRefusal } from '../../problems/problem';
import { toWhole, toText } from '../json';

/** What sending a file needs of the service. */
export interface UploadApi {
	/**
	 * Sends a streamed body, and gives the record of the answer.
	 *
	 * @param findStored looks for the file that an attempt may have stored before its connection broke. Without it, an attempt that
	 * did not send the whole body counts as not done.
	 */
	upload(
		name: EndpointName,
		id: string | undefined,
		body: StreamedBody,
		findStored?: () => Promise<IDataObject | undefined>,
	): Promise<IDataObject>;
	/** The address of the service, by which facts about it are remembered between executions. */
	readonly root: string;
	/** Speaks the service's own names. */
	readonly translator: Translator;
	/** Aborts when the execution is cancelled. */
	readonly signal?: AbortSignal;
}

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** The formats that services have taken, by their roots, at most `MOST_SERVICES`: the next file is sent so at once. */
const takenFormats = new Map<string, 'json' | 'multipart'>();

/** The uploads that find out which format a service takes, by its root, until they have found it. */
const trials = new Map<string, Promise<unknown>>();

/**
 * Sends a file in the format that the service is known to take. If that is unknown, one upload at a time finds it out, and the
 * others wait for its answer: a refused format costs the transfer of a whole file.
 *
 * @param tryFormats sends the file in one format after the other, and notes which one is taken
 * @throws Problem CANCELLED as soon as the execution is cancelled
 */
async function sendInTakenFormat<T>(
	{ root, signal }: UploadApi,
	send: (format: 'json' | 'multipart') => Promise<T>,
	tryFormats: () => Promise<T>,
): Promise<T> {
	for (;;) {
		const format = takenFormats.get(root);
		if (format) return await send(format);
		const trial = trials.get(root);
		if (!trial) break;
		await rejectOnAbort(trial, signal);
	}
	const sending = tryFormats().finally(() => trials.delete(root));
	trials.set(
		root,
		sending.catch(() => undefined),
	);
	return await sending;
}

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
function compareStored(
	document: IDataObject,
	{ fileName, size }: FileSource,
	{ sha256 }: Sent,
): void {
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
	api: UploadApi,
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

	async function sendOnce(makeBody: typeof jsonBody, file: FileSource): Promise<IDataObject> {
		const sent: Sent = {};
		const body = makeBody(file, all, sent, api.translator);
		const document = await api.upload(endpoint, id, body, findStored);
		compareStored(document, file, sent);
		return document;
	}

	/** Sends a file. If its announced size proves wrong, n8n stores the file first, which then has a known size. */
	const sendSized = async (makeBody: typeof jsonBody) =>
		await sendOnce(makeBody, source).catch(async (error: unknown) => {
			if (!isProblem(error, 'FILE_CHANGED') || !source.keep) throw error;
			return await sendOnce(makeBody, {
				...source,
				...(await source.keep()),
				fileName: source.fileName,
			});
		});

	const sendForm = async () => await sendSized(multipartBody);
	/** Sends JSON, and a form if the service refuses that. */
	async function sendEither(): Promise<IDataObject> {
		let taken: 'json' | 'multipart' = 'json';
		const document = await sendSized(jsonBody).catch(async (error: unknown) => {
			if (!refusesFormat(error)) throw error;
			taken = 'multipart';
			return await sendForm().catch((other: unknown) => {
				// A service that takes neither format has refused the file itself: the first refusal says why.
				throw refusesFormat(other) || readRefusal(other)?.status === 400 ? error : other;
			});
		});
		if (takenFormats.size >= MOST_SERVICES) takenFormats.clear();
		takenFormats.set(api.root, taken);
		return document;
	}

	const chosen = format === 'auto' ? api.translator.dialect.upload?.format : format;
	if (chosen) return await (chosen === 'json' ? sendSized(jsonBody) : sendForm());
	const send = async (known: 'json' | 'multipart') =>
		await (known === 'json' ? sendEither() : sendForm());
	return await sendInTakenFormat(api, send, sendEither);
}
