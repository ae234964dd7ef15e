/** How a file gets into its dossier. */
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import type { FileSource } from '../../api/transfer/body';
import type { FindStored } from '../../api/transfer/separate';
import { uploadFile } from '../../api/transfer/upload';
import { Problem, readRefusal } from '../../problems/problem';
import type { Refusal } from '../../problems/problem';
import type { Run } from './comparing';
import { listAgain, listKnown, listSentNames } from './existing';
import { isSameName, mayBeName } from './fileNames';
import { keepFields } from './replace';
import type { UploadForm } from './source';

export interface Sending {
	dossierId: string;
	form: Pick<UploadForm, 'category' | 'hasCategory' | 'given' | 'format'>;
	/** The document that the file takes the place of. */
	old?: IDataObject;
	/** Looks for the file in the list of the dossier. Without it, an equal file may be another one. */
	lookAgain?: FindStored;
	/** The document whose file is sent, if the service has it: that stays whatever happens. */
	original?: string;
}

/** What an output adds about a file whose name was changed. */
export const showOriginalName = ({ originalName }: FileSource) =>
	originalName === undefined ? {} : { original_file_name: originalName };

const CONFLICT = 409;

/** How services say that a file name is in use, in the code or the message of a refusal. */
const ABOUT_NAME = /name|exist|already|duplicate|taken|conflict/i;

/** Whether the service may have refused a file for its name: it gives no code, or one that may be about that. */
const isAboutName = ({ status, code, message, mayBeDone }: Refusal) =>
	status === CONFLICT && !mayBeDone && (!code || ABOUT_NAME.test(`${code} ${message}`));

/** The names of the documents of a dossier, and of those that this run has made, by their ids; as far as the run knows them. */
async function listNames(run: Run, dossierId: string): Promise<Map<string, unknown>> {
	const listed = (await listKnown(run, dossierId)).map(({ id, file_name: name }) => [id, name]);
	const all = [...listed, ...listSentNames(run)];
	return new Map(all.map(([id, name]) => [toText(id) ?? '', name]));
}

/**
 * Sends a file into a dossier.
 *
 * @param api makes the calls for this file
 * @returns the document as the service stored it
 * @throws Problem, also if the file takes the place of a document and the service answers with a third one
 */
export async function sendFile(
	run: Run,
	api: Api,
	source: FileSource,
	{ dossierId, form, old, lookAgain, original = '' }: Sending,
): Promise<IDataObject> {
	const { category, given, format } = form;
	const fields = old ? await keepFields(api, old, form) : { category, ...given };
	const documents = await listKnown(run, dossierId);
	const known = await listNames(run, dossierId);
	if (original) known.set(original, source.fileName);
	const target = { endpoint: 'documents.upload', id: dossierId, fields, known } as const;
	const { fileName } = source;
	const mayBeIt = ({ id, file_name: name }: IDataObject) =>
		!known.has(toText(id) ?? '') &&
		!listSentNames(run).has(id) &&
		(toText(name) === undefined || isSameName(name, fileName) || mayBeName(name, fileName));
	const look = async () => {
		const now = await listAgain(run, dossierId);
		const stored = await lookAgain?.();
		// A service that accepts a file before it has the whole may hold a part of it.
		if (!stored && now.some(mayBeIt)) throw new Problem('DOCUMENT_EXISTS', { fileName });
		return stored;
	};
	const document = await uploadFile(api, target, source, format, look).catch((error: unknown) => {
		const refusal = readRefusal(error);
		if (!refusal || !isAboutName(refusal)) throw error;
		const holder = documents.find(({ file_name: name }) => isSameName(name, fileName));
		const documentId = toText(holder?.id);
		throw new Problem('FILE_NAME_TAKEN', { refusal, fileName, documentId });
	});
	const id = toText(document.id) ?? '';
	const isThird = old && id !== toText(old.id) && known.has(id);
	if (isThird && !isSameName(known.get(id), fileName))
		throw new Problem('NOT_REPLACED', { fileName, documentId: id, why: 'other' });
	if (document.id !== undefined) listSentNames(run).set(document.id, fileName);
	return document;
}
