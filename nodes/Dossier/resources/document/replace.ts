/** Replaces a document: keeps its fields, and deletes it once the service has the new one whole. */
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { isEmptyText, JsonText, mergeText } from '../../api/jsonText';
import { readAt, readSource } from '../../api/source';
import type { Source } from '../../api/source';
import { collect } from '../../api/pages/collect';
import type { FileSource } from '../../api/transfer/body';
import { toText } from '../../api/json';
import { parseTime } from '../../dialect/formats';
import { nameField } from '../../dialect/names';
import { isObject } from '../../dialect/paths';
import { toSent } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
import { GONE, hasStatus, Problem } from '../../problems/problem';
import { compareNew } from './comparing';
import type { Run } from './comparing';
import type { UploadForm } from './source';

/** Whether the service shows that a document was made before another one. */
export const isOlder = (one: IDataObject, other: IDataObject) =>
	parseTime(one.created_at) < parseTime(other.created_at);

/**
 * The fields to send with a file that replaces a document: the title, the category and the custom fields of that document,
 * each as it came, unless the form gives others.
 *
 * @throws Problem if the document cannot be read without loss, or if the form changes a part of custom fields that are not an object
 */
export async function keepFields(
	api: Api,
	old: IDataObject,
	{ category, hasCategory, given }: Pick<UploadForm, 'category' | 'hasCategory' | 'given'>,
): Promise<IDataObject> {
	const { translator } = api;
	const listed = { record: old, text: JSON.stringify(toSent(old)) };
	// A list may show less of a document than the document itself.
	const { record, text } = await readSource(api, 'documents.get', toText(old.id)).catch(
		(error: unknown) => {
			if (!hasStatus(error, ...GONE)) throw error;
			return listed;
		},
	);
	const { category: held, ...own } = pickKept(translator, { record, text });
	const kept = { category, ...(!hasCategory && held && { category: held }), ...own, ...given };
	const { custom_fields: entered } = given;
	if (!own.custom_fields || !isObject(entered)) return kept;
	const custom = mergeText(own.custom_fields.text, entered, ['custom_fields']);
	return { ...kept, custom_fields: new JsonText(custom) };
}

/** The title, the category and the custom fields of a document, each as it came if it has a value. */
export function pickKept(
	translator: Translator,
	{ record, text }: Required<Source>,
): { category?: IDataObject[string]; title?: IDataObject[string]; custom_fields?: JsonText } {
	const { title, category, custom_fields } = translator.pickWritable('document', record);
	const own = readAt(text, nameField(translator.dialect, 'document', 'custom_fields')) ?? '{}';
	return {
		...(category && { category }),
		...(title && { title }),
		...(custom_fields && !isEmptyText(own) && { custom_fields: new JsonText(own) }),
	};
}

/** Whether a document is in a dossier. If it does not say so itself, the list of the dossier is read anew. */
export async function isInDossier(
	{ api }: Pick<Run, 'api'>,
	dossierId: string,
	document: IDataObject,
): Promise<boolean> {
	if (toText(document.dossier_id) === dossierId) return true;
	const documents = await collect(api, 'documents.list', { id: dossierId });
	return documents.some(({ id }) => toText(id) === toText(document.id));
}

/**
 * Checks that the dossier has the new document with the whole file, then deletes the old one. Throws Problem if the check
 * fails.
 */
export async function replaceDocument(
	run: Run,
	dossierId: string,
	old: IDataObject,
	document: IDataObject,
	source: FileSource,
): Promise<void> {
	const documentId = toText(document.id);
	const { same } = await compareNew(run, document, source);
	const isVersion = documentId === toText(old.id);
	if (!same) {
		const why = isVersion ? 'version' : undefined;
		throw new Problem('NOT_REPLACED', { fileName: source.fileName, documentId, why });
	}
	if (isVersion) return;
	const isShown = document.dossier_id !== undefined;
	if (isShown && !(await isInDossier(run, dossierId, document)))
		throw new Problem('NOT_REPLACED', { fileName: source.fileName, documentId, why: 'elsewhere' });
	await ensureDeleted(run.api, old);
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
