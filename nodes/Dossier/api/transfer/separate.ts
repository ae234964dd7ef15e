import type { IDataObject } from 'n8n-workflow';
import { getPath, isObject, takePath } from '../../dialect/paths';
import type { Translator } from '../../dialect/translate';
import { Problem, readRefusal } from '../../problems/problem';
import { toText } from '../json';
import { writeJson } from '../jsonText';
import { resolveAddress } from '../send/address';
import type { Answer } from '../send/answer';
import { readExplanation } from '../send/exchange';
import type { StreamedBody } from '../send/outgoing';
import type { CallApi } from '../send/requests';
import { addSize, plainBody } from './body';
import type { FileSource, SentFile } from './body';
import type { DownloadApi } from './download';

/** What sending a file needs of the service. */
export interface UploadApi extends CallApi, Pick<DownloadApi, 'openAddress'> {
	withoutSignal(): CallApi;
}

/** The dossier that gets a file: its id in the path, or among the fields. */
export interface UploadTarget {
	endpoint: 'documents.upload' | 'workspace.documents.create';
	id?: string;
	/** The fields beside the content: category, title, … */
	fields: IDataObject;
}

/** Looks for a file among the documents of the service. */
export type FindStored = () => Promise<IDataObject | undefined>;

/** Headers that follow from the request itself. */
const OWN_HEADERS = /^(host|content-length|transfer-encoding|connection)$/i;

/** Brings a file to the address that the answer to its new document has, with the headers that it has for that. */
async function bringToAddress(
	{ openAddress, root, translator }: UploadApi,
	answer: Answer['body'],
	fileName: string,
	body: StreamedBody,
): Promise<void> {
	const { address: path = '', headers: headersPath = '' } = translator.dialect.upload ?? {};
	const outer = isObject(answer) ? answer : {};
	const address = toText(getPath(outer, path));
	const url = address && resolveAddress(address, root);
	if (!url) {
		throw new Problem('NO_ADDRESS_FOR_FILE', { fileName, path });
	}
	const given = getPath(outer, headersPath);
	const named = Object.entries(isObject(given) ? given : {});
	const headers = {
		'Content-Type': body.contentType,
		...Object.fromEntries(named.filter(([name]) => !OWN_HEADERS.test(name))),
	};
	await readExplanation(await openAddress({ url, access: 'signed', body }, headers));
}

/**
 * Brings the file of a document to where the service takes it, and confirms it if the dialect says so.
 *
 * @param answer the JSON of the answer to the document's creation
 * @throws Problem
 */
export async function bringFile(
	api: UploadApi,
	endpoint: UploadTarget['endpoint'],
	id: string,
	answer: Answer['body'],
	source: FileSource,
	sent: SentFile,
): Promise<void> {
	const { address: path = '', confirm } = api.translator.dialect.upload ?? {};
	const body = plainBody(source, sent);
	if (!path.startsWith('/')) await bringToAddress(api, answer, source.fileName, body);
	else await api.answer(endpoint, { id, body, own: { method: 'PUT', path } });
	if (confirm)
		await api.answer(endpoint, { id, body: '{}', own: { method: 'POST', path: confirm } });
}

/** An answer without the address and the headers for the file: whoever has them can replace it. */
function hideAddress({ dialect }: Translator, answer: Answer['body']): Answer['body'] {
	if (!isObject(answer)) return answer;
	const shown = { ...answer };
	const { address = '', headers = '' } = dialect.upload ?? {};
	for (const path of [address, headers]) takePath(shown, path);
	return shown;
}

/**
 * Makes a document, and brings its file. If the document does not get its file, it is deleted again.
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
	const { endpoint } = target;
	const { translator } = api;
	const object = translator.writeBody('document', addSize(source, fields, translator));
	const answer = await api.answer(endpoint, { id: target.id, body: writeJson(object) });
	const made = api.readRecord(endpoint, { ...answer, body: hideAddress(translator, answer.body) });
	const id = toText(made.id);
	if (id === undefined) throw new Problem('NOT_MADE_YET', { status: answer.status });
	const isOurs = endpoint === 'documents.upload';
	const remove = async () => await api.withoutSignal().call('documents.delete', { id });
	return await bringFile(api, endpoint, id, answer.body, source, sent).then(
		// The file is stored, even if the look at its document fails.
		async () => (isOurs ? await api.call('documents.get', { id }).catch(() => made) : made),
		async (error: unknown) => {
			// An attempt before the last one may have stored it.
			const stored = await findStored?.().catch(() => undefined);
			if (stored && toText(stored.id) === id) return stored;
			// The token of a customer deletes no document.
			const isRemoved = isOurs && (await remove().catch(() => undefined));
			if (isRemoved) throw error;
			const { fileName } = source;
			const refusal = readRefusal(error);
			throw new Problem('DOCUMENT_WITHOUT_FILE', { fileName, documentId: id, refusal });
		},
	);
}
