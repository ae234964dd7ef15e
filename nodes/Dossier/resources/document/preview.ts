/** What a dry run gives out for a file or a document: what a real run would do, and the document as it is or would be. */
import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import type { ItemRun, Output, PlannedAction } from '../../execution/operation';
import type { Found } from './dossierPlan';
import { findMissing } from './ifMissing';
import { showOriginalName } from './send';

export interface Preview extends IDataObject {
	action: PlannedAction;
	json: IDataObject;
}

/** What a run would do with a file, by what its dossier has. The id of a new dossier is `null`. */
export function previewFile(
	source: FileSource,
	{ same, old }: Found,
	dossierId: string | null,
): Preview {
	const { fileName: file_name, mimeType: mime_type, size: size_bytes } = source;
	const original = showOriginalName(source);
	if (old) return { ...original, action: 'replaced', json: same?.document ?? old };
	if (same)
		return { ...original, action: 'unchanged', json: same.document, compared_by: same.comparedBy };
	return {
		...original,
		action: 'uploaded',
		json: { dossier_id: dossierId, file_name, mime_type, size_bytes },
	};
}

/**
 * Makes the output of a preview, and counts it for the hint.
 *
 * @param dossierId an identifier, or what stands for that of a new dossier
 * @param refused why a real run would be refused; otherwise empty
 */
export function showPreview(
	run: ItemRun,
	{ json, action, ...planned }: Preview,
	dossierId: string,
	refused: string,
): Output {
	run.note(`planned ${action}`);
	const created = findMissing(run, dossierId);
	const { file_name } = json;
	const added = {
		...(file_name !== undefined && { file_name }),
		action,
		...(created && { new_dossier: created.reference }),
		...(refused && { refused: `Would be refused: ${refused}` }),
		...planned,
		dry_run: true,
	};
	return { json, added };
}
