import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/body';
import type { Api } from '../../api/client';
import { uploadFile } from '../../api/upload';
import { toText } from '../../api/values';
import { dossierLocator } from '../../execution/locators';
import type { ItemRun, Operation, Output } from '../../execution/operation';
import { findStored, replace } from './existing';
import { categoryFields } from './form';
import { itemFileFields, listSources, openSource, uploadOptions } from './source';
import { EXACTLY, extentField, extentFields } from './syncForm';
import { findPlan, planItems } from './syncPlan';
import type { Found, ItemPlan } from './syncPlan';

/** The fields that a new version takes over from the old one, unless the form sets them. */
const KEPT_FIELDS = ['category', 'title', 'custom_fields'] as const;

/** What is sent beside the content of a file that replaces a document, or none. */
function chooseFields(
	{ translator }: Api,
	{ category, given }: ItemPlan['fields'],
	old: IDataObject = {},
): IDataObject {
	const writable = translator.pickWritable('document', old);
	const kept: IDataObject = {};
	for (const name of KEPT_FIELDS) if (writable[name]) kept[name] = writable[name];
	return { category, ...kept, ...given };
}

/** A file of an item, and what the dossier already has for it. */
type PlannedFile = FileSource & Found;

function previewFile({ same, old, ...source }: PlannedFile, dossierId: string): IDataObject {
	const { fileName: file_name, mimeType: mime_type, size: size_bytes } = source;
	const found = same?.document ?? old;
	if (!found) {
		return { dossier_id: dossierId, file_name, mime_type, size_bytes, action: 'uploaded' };
	}
	return { ...found, action: old ? 'replaced' : 'unchanged' };
}

/** Makes the dossier hold a file, as the only document with its name. */
async function applyFile(
	run: ItemRun,
	api: Api,
	{ dossier, fields, format }: ItemPlan,
	{ same, old, ...source }: PlannedFile,
): Promise<IDataObject> {
	if (same && !old) {
		return { ...same.document, action: 'unchanged', compared_by: same.comparedBy };
	}
	const { id } = dossier.decision;
	const sent = chooseFields(api, fields, old);
	const target = { endpoint: 'documents.upload', id, fields: sent } as const;
	const lookAgain = async () =>
		await findStored(run, id, source, (one) => dossier.mayHold(source.fileName, one));
	// If an earlier run broke off before it deleted the old document, the new one is there already.
	const document = same?.document ?? (await uploadFile(api, target, source, format, lookAgain));
	if (!old) return { ...document, action: 'uploaded' };
	await replace(run, old, document, source);
	return { ...document, action: 'replaced', replaced: { ...old } };
}

/** Deletes documents. Their ids are part of the names in errors, because several may have the same file name. */
async function deleteDocuments(run: ItemRun, documents: IDataObject[]): Promise<Output[]> {
	const named = new Map(
		documents.map((document) => [
			`${toText(document.file_name) ?? ''} (${toText(document.id) ?? ''})`,
			document,
		]),
	);
	return await run.each(
		[...named.keys()],
		async (name) => await Promise.resolve({ document: named.get(name) }),
		async ({ document }, api) => {
			await api.call('documents.delete', { id: toText(document?.id) });
			return { json: { ...document, action: 'deleted' } };
		},
	);
}

async function carryOut(run: ItemRun, plan: ItemPlan): Promise<Output[]> {
	const { dossier, found, isLast } = plan;
	const { id, isDryRun, missing, deletes } = dossier.decision;
	const sources = listSources(run);
	const outputs: Output[] = [];
	try {
		const files = await run.each(
			[...sources.keys()],
			async (part) => ({ ...(await openSource(run, sources.get(part))), ...found.get(part) }),
			async (file, api) => {
				const json = isDryRun
					? { ...previewFile(file, id), dry_run: true }
					: await applyFile(run, api, plan, file);
				dossier.endFile(json);
				return { json };
			},
		);
		outputs.push(...files);
	} finally {
		dossier.endItem();
	}
	if (!isLast) return outputs;
	const mayDelete = (await dossier.holdsAll()) && deletes;
	if (mayDelete && !isDryRun) return [...outputs, ...(await deleteDocuments(run, missing))];
	const rest = { action: mayDelete ? 'deleted' : 'kept', ...(isDryRun && { dry_run: true }) };
	return [...outputs, ...missing.map((document) => ({ json: { ...document, ...rest } }))];
}

export const synchronise: Operation = {
	name: 'Synchronise',
	value: 'synchronise',
	action: 'Synchronise documents with files',
	description: 'Make a dossier hold the files of all items, and only upload what is new or changed',
	output: 'Document',
	deletes: { field: extentField.name, value: EXACTLY },
	caution:
		"Deletes documents that are not among the files, permanently, as many as 'Delete at Most' allows. This can't be undone.",
	addedOutput: { action: 'string', compared_by: 'string', replaced: 'object', dry_run: 'boolean' },
	fields: [dossierLocator, ...itemFileFields, ...extentFields, ...categoryFields, uploadOptions],
	prepare: planItems,
	async run(run) {
		const plan = findPlan(run);
		return plan ? await carryOut(run, plan) : [];
	},
};
