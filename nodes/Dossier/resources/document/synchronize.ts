import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import { showsNothing } from '../../api/transfer/separate';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import { dossierLocator } from '../../execution/locators';
import type { ItemRun, Operation, Output } from '../../execution/operation';
import { findPlan } from './dossierPlan';
import type { Found, ItemPlan } from './dossierPlan';
import { findStored } from './existing';
import { createMissing, findMissing, missingFields, noteMissing } from './ifMissing';
import { previewFile, showPreview } from './preview';
import type { Preview } from './preview';
import { ensureDeleted, replaceDocument } from './replace';
import { sendFile, showOriginalName } from './send';
import { keptCategoryFields, itemFileFields } from './source';
import { uploadOptions } from './uploadOptions';
import { dryRunField, EXACTLY, extentField, extentFields } from './syncForm';
import { planItems } from './syncPlan';

/** A file of an item, and what the dossier already has for it. */
type PlannedFile = FileSource & Found;

/** Makes the dossier hold a file, as the only document with its name. */
async function applyFile(
	run: ItemRun,
	api: Api,
	{ dossier, form }: ItemPlan,
	{ same, old, ...source }: PlannedFile,
): Promise<Output> {
	const original = showOriginalName(source);
	if (same && !old) {
		return {
			json: same.document,
			added: { ...original, action: 'unchanged', compared_by: same.comparedBy },
		};
	}
	const id = await createMissing(run, dossier.decision.id);
	const lookAgain = async () =>
		await findStored(run, id, source, (one) => dossier.mayHold(source.fileName, one));
	// If an earlier run broke off before it deleted the old document, the new one is there already.
	let document = same?.document;
	if (!document) {
		document = await sendFile(run, api, source, { dossierId: id, form, old, lookAgain });
		run.note('uploaded');
		if (source.size && showsNothing(document)) run.note('unchecked');
	}
	if (!old) return { json: document, added: { ...original, action: 'uploaded' } };
	await replaceDocument(run, id, old, document, source);
	return { json: document, added: { ...original, action: 'replaced', replaced: { ...old } } };
}

/** Deletes documents. Their ids are part of the names in errors, because several may have the same file name. */
async function deleteDocuments(run: ItemRun, documents: IDataObject[]): Promise<Output[]> {
	const named = documents.map((document) => {
		const name = `${toText(document.file_name) ?? ''} (${toText(document.id) ?? ''})`;
		return [name, () => ({ document })] as const;
	});
	const remove = async ({ document }: { document: IDataObject }, api: Api): Promise<Output> => {
		await ensureDeleted(api, document);
		run.note('deleted');
		return { json: document, added: { action: 'deleted' } };
	};
	return await run.each(new Map(named), remove, false);
}

async function carryOut(run: ItemRun, plan: ItemPlan): Promise<Output[]> {
	const { dossier, form, found, isLast } = plan;
	const { id, isDryRun, deletes, refused } = dossier.decision;
	const created = findMissing(run, id);
	const preview = (planned: Preview) => showPreview(run, planned, id, refused);
	const outputs: Output[] = [];
	try {
		const planned = [...form.files].map(
			([name, open]) => [name, async () => ({ ...(await open()), ...found.get(name) })] as const,
		);
		const files = await run.each(
			new Map(planned),
			async (file, api) => {
				const output = isDryRun
					? preview(previewFile(file, file, created ? null : id))
					: await applyFile(run, api, plan, file);
				dossier.endFile(output.json);
				return output;
			},
			// n8n shows files before anything else, and a plan is what a person wants to read.
			!isDryRun && form.handsOnFiles,
		);
		outputs.push(...files);
	} finally {
		dossier.endItem();
	}
	if (!isLast) return outputs;
	if (isDryRun && created) run.note('planned dossier');
	if (refused) run.note(`refused: ${refused}`);
	const mayDelete = (await dossier.holdsAll()) && deletes;
	const missing = dossier.listMissing();
	// They come from none of the files, but from all items for the dossier.
	const pairedItem = dossier.items.map((item) => ({ item }));
	if (mayDelete && !isDryRun) {
		const deleted = await deleteDocuments(run, missing);
		return [...outputs, ...deleted.map((output) => ({ ...output, pairedItem }))];
	}
	const action = mayDelete ? 'deleted' : 'kept';
	const others = missing.map((json) => ({
		...(isDryRun ? preview({ action, json }) : { json, added: { action } }),
		pairedItem,
	}));
	return [...outputs, ...others];
}

export const synchronize: Operation = {
	name: 'Synchronize',
	value: 'synchronize',
	action: 'Synchronize documents with files',
	description: 'Make a dossier hold the files of all items, and only upload what is new or changed',
	output: 'Document',
	deletes: { field: extentField.name, value: EXACTLY, dryRun: dryRunField.name },
	caution:
		"Deletes documents that are not among the files, permanently, as many as 'Delete at Most' allows. This can't be undone.",
	addedOutput: {
		action: 'string',
		compared_by: 'string',
		replaced: 'object',
		dry_run: 'boolean',
		new_dossier: 'string',
		refused: 'string',
		original_file_name: 'string',
	},
	fields: [
		dossierLocator,
		...missingFields,
		...itemFileFields,
		...extentFields,
		...keptCategoryFields,
		uploadOptions,
	],
	noteMissing,
	prepare: planItems,
	async run(run) {
		const plan = findPlan(run);
		return plan ? await carryOut(run, plan) : [];
	},
};
