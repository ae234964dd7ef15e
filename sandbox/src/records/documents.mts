import type { RequestContext } from '../accounts/caller.mts';
import type { Contract } from '../contract/contract.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Audit } from '../accounts/audit.mts';
import { RecordStore } from '../accounts/record-store.mts';
import { text } from '../database/database.mts';
import type { Database } from '../database/database.mts';
import { assertWritable, emitDeleted } from './dossiers.mts';
import type { Dossiers } from './dossiers.mts';
import type { Events } from '../webhooks/events.mts';
import type { Content, Files, IncomingFile } from '../database/files.mts';
import { toSearchText } from '../database/listing.mts';

/** A finished upload: the fields that came with the file, and the file. */
export interface Upload {
	fields: JsonObject;
	file: IncomingFile;
	content: Content;
}

interface DocumentParts {
	database: Database;
	files: Files;
	dossiers: Dossiers;
	contract: Contract;
	audit: Audit;
	events: Events;
}

/** The documents of all datasets. */
export class Documents extends RecordStore<DocumentParts> {
	protected readonly kind = 'document';

	/**
	 * Adds a document. Throws 404 `DOSSIER_NOT_FOUND` or 422 `INVALID_STATE_TRANSITION`, and stores nothing, if the dossier was deleted or
	 * archived while the file arrived.
	 */
	add(
		context: RequestContext,
		dossierId: string,
		{ fields: input, file, content }: Upload,
	): JsonObject {
		return this.parts.files.keep(file, content, () => {
			const dossier = this.parts.dossiers.find(context.dataset, dossierId);
			assertWritable(dossier.fields);
			const fields = this.parts.contract.shape('Document', {
				...input,
				id: newId('doc'),
				dossier_id: dossierId,
				title: input.title ?? input.file_name,
				size_bytes: content.sizeBytes,
				checksum_sha256: content.sha256,
				uploaded_by: context.userId,
				created_at: context.time,
				updated_at: context.time,
			});
			const { id, title, file_name, uploaded_by, category } = fields;
			this.parts.database.insert('documents', {
				dataset: context.dataset,
				dossier: dossier.n,
				search: toSearchText(readText(title), readText(file_name)),
				fields: JSON.stringify(fields),
			});
			this.record(context, 'uploaded', fields);
			const data = { document_id: id, dossier_id: dossierId, uploaded_by, category };
			this.parts.events.emit(context, 'document.uploaded', data);
			return fields;
		});
	}

	/** Deletes a document, and its file unless another document has the same content. Throws 404 and 422 as above. */
	delete(context: RequestContext, id: string): void {
		const { n, fields } = this.find(context.dataset, id);
		const { dossier_id, checksum_sha256 } = fields;
		assertWritable(this.parts.dossiers.find(context.dataset, text(readText(dossier_id))).fields);
		this.parts.files.release([text(readText(checksum_sha256))], () => {
			this.parts.database.run('DELETE FROM documents WHERE n = ?', [n]);
			this.record(context, 'deleted', fields);
			emitDeleted(this.parts.events, context, fields);
		});
	}
}
