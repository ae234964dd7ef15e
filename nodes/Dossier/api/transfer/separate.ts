import type { IDataObject } from 'n8n-workflow';
import { parseTime } from '../../dialect/formats';
import { getPath, isObject, takePath } from '../../dialect/paths';
import { walk } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
import { GONE, hasStatus, Problem, readRefusal } from '../../problems/problem';
import { pause, wallClock } from '../clock';
import { toText, toWhole } from '../json';
import { writeJson } from '../jsonText';
import { resolveAddress } from '../send/address';
import type { Answer } from '../send/answer';
import { readExplanation } from '../send/exchange';
import type { StreamedBody } from '../send/outgoing';
import type { CallApi } from '../send/requests';
import { addSize, plainBody } from './body';
import type { FileSource, SentFile } from './body';
import type { DownloadApi } from './download';

/** The calls that sending a file needs. */
export interface UploadApi extends CallApi, Pick<DownloadApi, 'openAddress'> {
	withoutSignal(): CallApi;
}

/** The dossier that gets a file: its id in the path, or among the fields. */
export interface UploadTarget {
	endpoint: 'documents.upload' | 'workspace.documents.create';
	id?: string;
	/** The fields beside the content: category, title, … */
	fields: IDataObject;
	/** The ids of documents that were there before, as far as the run knows. A service may make the file a version of one. */
	known?: { has(id: string): boolean };
}

/** Looks for a file among the documents of the service. Rejects if it cannot tell whether one is the file. */
export type FindStored = () => Promise<IDataObject | undefined>;

/** Headers that follow from the request itself. */
const OWN_HEADERS = /^(host|content-length|transfer-encoding|connection)$/i;

/** The headers that an answer has for the address of a file, with their path. */
function findHeaders(answer: IDataObject): [headers?: IDataObject, path?: string] {
	for (const [value, path] of walk(answer))
		if (isObject(value) && /headers$/i.test(path.at(-1) ?? '')) return [value, path.join('.')];
	return [];
}

/** Brings a file to the address that the answer to its new document has, with the headers that it has for that. */
async function bringToAddress(
	{ openAddress, root, translator }: UploadApi,
	answer: Answer['body'],
	fileName: string,
	body: StreamedBody,
): Promise<void> {
	const { address: path = '' } = translator.dialect.upload ?? {};
	const outer = isObject(answer) ? answer : {};
	const address = toText(getPath(outer, path));
	const url = address && resolveAddress(address, root);
	if (!url) {
		throw new Problem('NO_ADDRESS_FOR_FILE', { fileName, path });
	}
	const [given = {}] = findHeaders(outer);
	const headers = {
		'Content-Type': body.contentType,
		...Object.fromEntries(Object.entries(given).filter(([name]) => !OWN_HEADERS.test(name))),
	};
	await readExplanation(await openAddress({ url, access: 'signed', body }, headers));
}

/**
 * Fills in a path of the dialect: `{id}` is that of the document, and any other name leads to a value of the answer that made
 * it.
 *
 * @throws Problem if the answer has no such value
 */
function fillPath(path: string, id: string, answer: Answer['body'], fileName: string): string {
	return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
		const value = name === 'id' ? id : toText(isObject(answer) ? getPath(answer, name) : undefined);
		// A URL resolves these as steps, even if they are encoded.
		if (value === undefined || ['.', '..'].includes(value))
			throw new Problem('NO_ADDRESS_FOR_FILE', { fileName, path: name });
		return encodeURIComponent(value);
	});
}

/**
 * Brings the file of a document to where the service takes it, and confirms it if the dialect says so.
 *
 * @param answer the JSON of the answer to the document's creation
 * @throws Problem
 */
async function bringFile(
	api: UploadApi,
	endpoint: UploadTarget['endpoint'],
	id: string,
	answer: Answer['body'],
	source: FileSource,
	sent: SentFile,
): Promise<void> {
	const { address: path = '', confirm } = api.translator.dialect.upload ?? {};
	const body = plainBody(source, sent);
	const { fileName } = source;
	const fill = (template: string) => fillPath(template, id, answer, fileName);
	// Before the file is sent, so that nothing is sent if the answer lacks a value.
	const confirmAt = confirm && fill(confirm);
	if (!path.startsWith('/')) await bringToAddress(api, answer, fileName, body);
	else await api.answer(endpoint, { id, body, own: { method: 'PUT', path: fill(path) } });
	if (confirmAt)
		await api.answer(endpoint, { id, body: '{}', own: { method: 'POST', path: confirmAt } });
}

/** How long a service may take to show a file that it has got, in ms. */
const FILE_SETTLING = 1_000;

/** Whether a document says itself that it has no content. */
export function showsNothing({
	size_bytes: size,
	checksum_sha256: checksum,
}: IDataObject): boolean {
	const isUnset = (value: unknown) => value === null || value === undefined || value === '';
	return isUnset(size) && isUnset(checksum) && (size === null || checksum === null);
}

/**
 * Reads a document whose file was sent. The file is stored, even if the look at its document fails.
 *
 * @throws Problem if the document shows no content
 */
async function readSentDocument(
	api: UploadApi,
	id: string,
	made: IDataObject,
	{ fileName, size }: FileSource,
): Promise<IDataObject> {
	const look = async () => await api.call('documents.get', { id }).catch(() => made);
	const document = await look();
	if (!showsNothing(document) || size === 0) return document;
	await pause(wallClock, FILE_SETTLING, api.signal);
	const now = await look();
	if (showsNothing(now)) throw new Problem('FILE_NOT_SHOWN', { fileName, documentId: id });
	return now;
}

/** How much the times of a service may be rounded, in ms. */
const ROUNDED = 2_000;

/**
 * Deletes a document that the answer to an upload names, if the service shows by its own clock that it was made since the
 * upload began: the answer may name a document that was there before, even if no list shows that.
 *
 * @param since when the upload began, in ms since 1970
 * @param mayHold whether the document may hold what somebody needs
 * @returns whether it is deleted
 */
export async function removeIfNew(
	api: Pick<UploadApi, 'withoutSignal'>,
	id: string,
	since: number,
	mayHold: (document: IDataObject) => boolean = () => false,
): Promise<boolean> {
	const own = api.withoutSignal();
	const answer = await own.answer('documents.get', { id }).catch((error: unknown) => {
		// Some services show a document only once it has its file.
		if (!hasStatus(error, ...GONE)) throw error;
		return undefined;
	});
	if (answer) {
		const document = own.readRecord('documents.get', answer);
		const age = Date.parse(toText(answer.headers.date) ?? '') - parseTime(document.created_at);
		const isNew = age <= wallClock.now() - since + ROUNDED;
		if (!isNew || mayHold(document)) return false;
	}
	await own.call('documents.delete', { id });
	return true;
}

/** Whether a document shows a content: then it is somebody's, or got its file after all. */
const showsContent =
	({ dialect }: Translator, { size }: FileSource) =>
	({ size_bytes: held, checksum_sha256: checksum }: IDataObject): boolean => {
		const isAnnounced =
			dialect.document?.sentAs?.size_bytes !== undefined && toWhole(held) === size;
		return toText(checksum) !== undefined || ((toWhole(held) ?? 0) > 0 && !isAnnounced);
	};

/** An answer without the address and the headers for the file: whoever has them can replace it. */
function hideAddress({ dialect }: Translator, answer: Answer['body']): Answer['body'] {
	if (!isObject(answer)) return answer;
	const shown = { ...answer };
	const [, headers = ''] = findHeaders(answer);
	for (const path of [dialect.upload?.address ?? '', headers]) takePath(shown, path);
	return shown;
}

/**
 * Makes a document, and brings its file. If the document does not get its file, it is deleted again, but only if this run
 * has made it.
 *
 * @param findStored looks for the file after a failure
 * @returns the document as the service then has it
 * @throws Problem
 */
export async function sendSeparately(
	api: UploadApi,
	target: UploadTarget,
	source: FileSource,
	fields: IDataObject,
	sent: SentFile,
	findStored: FindStored | undefined,
): Promise<IDataObject> {
	const { endpoint, known } = target;
	const { translator } = api;
	const object = translator.writeBody('document', addSize(source, fields, translator));
	const since = wallClock.now();
	const answer = await api.answer(endpoint, { id: target.id, body: writeJson(object) });
	const made = api.readRecord(endpoint, { ...answer, body: hideAddress(translator, answer.body) });
	const id = toText(made.id);
	if (id === undefined) throw new Problem('NOT_MADE_YET', { status: answer.status });
	const isOurs = endpoint === 'documents.upload';
	return await bringFile(api, endpoint, id, answer.body, source, sent).then(
		async () => (isOurs ? await readSentDocument(api, id, made, source) : made),
		async (error: unknown) => {
			// An attempt before the last one may have stored it.
			const stored = await findStored?.().catch(() => undefined);
			if (stored && toText(stored.id) === id) return stored;
			const isVersion = known?.has(id) === true;
			// The token of a customer deletes no document.
			const mayRemove = isOurs && !isVersion;
			const hasContent = showsContent(translator, source);
			const remove = async () => await removeIfNew(api, id, since, hasContent).catch(() => false);
			if (mayRemove && (await remove())) throw error;
			const { fileName } = source;
			const refusal = readRefusal(error);
			throw new Problem('DOCUMENT_WITHOUT_FILE', { fileName, documentId: id, isVersion, refusal });
		},
	);
}
