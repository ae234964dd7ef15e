import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import type { FileSource } from '../../api/transfer/body';
import { showsNothing } from '../../api/transfer/separate';
import type { ItemRun, Operation, Output } from '../../execution/operation';
import { dossierLocator } from '../../execution/locators';
import { foldWord } from '../../execution/words';
import { hidesText } from '../written';
import { listSentNames, withExisting } from './existing';
import { createMissing, missingFields, noteMissing } from './ifMissing';
import { isOlder, replaceDocument } from './replace';
import { sendFile, showOriginalName } from './send';
import type { Sending } from './send';
import { dryRunField } from './syncForm';
import { keptCategoryFields, fileFields, readUpload } from './source';
import { uploadOptions } from './uploadOptions';
import { planUpload } from './uploadPlan';

const existsField: INodeProperties = {
	displayName: 'If Document Exists',
	name: 'ifExists',
	type: 'options',
	default: 'skip',
	builderHint: {
		propertyHint:
			'Keep skip, so that the workflow can run again without duplicates. Replace deletes the old document: choose it only if the user asks for new versions to take the place of old ones.',
	},
	options: [
		{
			name: 'Fail',
			value: 'fail',
			description:
				'Report an error if the content is equal. Add a changed file as another document.',
		},
		{
			name: 'Replace',
			value: 'replace',
			description:
				'Skip an equal file. Upload a changed one, check it, then permanently delete the old document.',
		},
		{
			name: 'Skip',
			value: 'skip',
			description:
				'Return the existing document if the content is equal. Add a changed file as another document.',
		},
		{
			name: 'Upload Anyway',
			value: 'upload',
			description: 'Add the file as another document, without comparing',
		},
	],
	description:
		"What to do if the dossier has a document with the same file name. Contents are compared by SHA-256, or by downloading the document if the service gives none. With 'Skip', it is safe to run an import again.",
};

/** Notes that a document was there before its file, and which of its fields differ from the form. */
function noteSkipped(run: ItemRun, document: IDataObject, fields: IDataObject): void {
	if (listSentNames(run).has(document.id)) {
		run.note('doubled');
		return;
	}
	run.note('skipped');
	for (const field of ['category', 'title'] as const) {
		const [held, given] = [foldWord(document[field]), foldWord(fields[field])];
		if (held && given && held !== given) run.note(`kept ${field}`);
	}
}

export const uploadDocument: Operation = {
	name: 'Upload',
	value: 'upload',
	action: 'Upload document',
	description: 'Add one or several files to a dossier',
	output: 'Document',
	deletes: { field: 'ifExists', value: 'replace', dryRun: dryRunField.name },
	caution:
		"Deletes documents that have the name of a new file and other content, permanently. This can't be undone.",
	addedOutput: {
		action: 'string',
		dry_run: 'boolean',
		new_dossier: 'string',
		refused: 'string',
		skipped: 'boolean',
		compared_by: 'string',
		replaced: 'object',
		original_file_name: 'string',
	},
	fields: [
		dossierLocator,
		...missingFields,
		...fileFields,
		...keptCategoryFields,
		existsField,
		dryRunField,
		uploadOptions,
	],
	noteMissing,
	async run(run) {
		const { dossierId, files, handsOnFiles, ...form } = readUpload(run);
		const { category, hasCategory, given } = form;
		const ifExists = run.parameters.choice(existsField);
		if (run.parameters.flag(dryRunField.name)) {
			const plan = async (source: FileSource) => await planUpload(run, dossierId, source, ifExists);
			// n8n shows files before anything else, and a plan is what a person wants to read.
			return await run.each(files, plan, false);
		}
		// Replace deletes only what was there before this execution: the rounds of a loop may bring files with the same name.
		const listOfThisRun = () =>
			run.once('documents with files of this run', () => new Set<unknown>());
		const isOfThisRun = ({ id }: IDataObject) =>
			listOfThisRun().has(id) || run.isRepeated(`document ${toText(id) ?? ''}`);
		const noteOfThisRun = (document: IDataObject) => {
			if (ifExists === 'replace' && !isOfThisRun(document)) listOfThisRun().add(document.id);
		};

		const upload = async (source: FileSource, api: Api): Promise<Output> => {
			const id = await createMissing(run, dossierId);
			const fields = { ...(hasCategory && { category }), ...given };
			const original = showOriginalName(source);
			const send = async (found: { sha256?: string } & Partial<Omit<Sending, 'form'>> = {}) => {
				const { sha256, ...more } = found;
				const file = { ...source, sha256 };
				const document = await sendFile(run, api, file, { dossierId: id, form, ...more });
				run.note('uploaded');
				if (source.size && showsNothing(document)) run.note('unchecked');
				if (hidesText(given, document)) run.note('unshown');
				return document;
			};
			if (ifExists === 'upload')
				return { json: await send(), added: { ...original, skipped: false } };
			return await withExisting(run, id, source, async (found) => {
				const { same, others, sha256, lookAgain } = found;
				if (same && ifExists === 'fail') {
					throw new Problem('DOCUMENT_EXISTS', { fileName: source.fileName });
				}
				const [old, ...more] = ifExists === 'replace' ? others : [];
				if (same) {
					const { document, comparedBy } = same;
					noteSkipped(run, document, fields);
					noteOfThisRun(document);
					const added = { ...original, skipped: true, compared_by: comparedBy };
					// An earlier run uploaded the new document, and broke off before it deleted the old one.
					const isLeftover = old && !more.length && isOlder(old, document) && !isOfThisRun(old);
					if (!isLeftover) {
						if (old) run.note('left');
						return { result: { json: document, added } };
					}
					await replaceDocument(run, id, old, document, source);
					return { result: { json: document, added: { ...added, replaced: old } }, removed: old };
				}
				if (more.length) {
					throw new Problem('SEVERAL_TO_REPLACE', {
						fileName: source.fileName,
						count: others.length,
					});
				}
				if (old && isOfThisRun(old)) {
					throw new Problem('SAME_FILE_NAME', { fileName: source.fileName });
				}
				const document = await send({ sha256, lookAgain, old });
				noteOfThisRun(document);
				const sent = { json: document, added: { ...original, skipped: false } };
				if (!old) return { result: sent, added: document };
				await replaceDocument(run, id, old, document, source);
				run.note('replaced');
				const result = { json: document, added: { ...sent.added, replaced: { ...old } } };
				return { result, added: document, removed: old };
			});
		};
		return await run.each(files, upload, handsOnFiles);
	},
};
