/** What an upload would do with a file: the dry run of Document → Upload. It only reads. */
import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import { takeTurn } from '../../api/memory';
import { hashSource } from '../../execution/binary';
import type { ItemRun, Output } from '../../execution/operation';
import type { Found } from './dossierPlan';
import { findExisting, knowAsEmpty, listDocuments } from './existing';
import { findMissing } from './ifMissing';
import { previewFile, showPreview } from './preview';
import { isOlder } from './replace';

/** What a real run would do by 'If Document Exists', and why it would be refused; otherwise empty. */
function decide(
	ifExists: string,
	{ same, others }: { same?: Found['same']; others: IDataObject[] },
	planned: ReadonlySet<IDataObject>,
	fileName: string,
): Found & { refused: string } {
	const refused = '';
	if (same && ifExists === 'fail')
		return { same, refused: `${fileName} is in the dossier already` };
	if (ifExists !== 'replace') return { same, refused };
	const [old, ...more] = others;
	if (same) {
		const isLeft = old && !more.length && !planned.has(old) && isOlder(old, same.document);
		return { same, old: isLeft ? old : undefined, refused };
	}
	if (more.length) return { old, refused: `${others.length} documents are named ${fileName}` };
	if (old && planned.has(old)) return { refused: `several files are named ${fileName}` };
	return { old, refused };
}

/**
 * Tells what an upload would do with a file. A file that the run would have uploaded before it counts as a document.
 *
 * @throws Problem
 */
export async function planUpload(
	run: ItemRun,
	dossierId: string,
	source: FileSource,
	ifExists: string,
): Promise<Output> {
	const { fileName, size } = source;
	const isNew = findMissing(run, dossierId) !== undefined;
	if (isNew) {
		run.once(`plan of ${dossierId}`, () => {
			knowAsEmpty(run, dossierId);
			run.note('planned dossier');
			return true;
		});
	}
	const shownId = isNew ? null : dossierId;
	if (ifExists === 'upload')
		return showPreview(run, previewFile(source, {}, shownId), dossierId, '');
	return await takeTurn(run.api, `plan of ${dossierId}`, async () => {
		const planned = run.once('planned documents', () => new Set<IDataObject>());
		const found = await findExisting(run, dossierId, source);
		const { refused, ...decided } = decide(ifExists, found, planned, fileName);
		if (!decided.same) {
			const checksum_sha256 = found.sha256 ?? (await hashSource(source));
			const document = { file_name: fileName, size_bytes: size, checksum_sha256 };
			planned.add(document);
			(await listDocuments(run, dossierId)).push(document);
		}
		if (refused) run.note(`refused: ${refused}`);
		return showPreview(run, previewFile(source, decided, shownId), dossierId, refused);
	});
}
