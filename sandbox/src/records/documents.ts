import type { RequestContext } from '../accounts/caller.ts';
import type { Contract } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { parseObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { auditTarget } from '../accounts/audit.ts';
import type { Audit } from '../accounts/audit.ts';
import { text } from '../database/database.ts';
import type { Database, Row } from '../database/database.ts';
import { assertWritable, emitDeleted } from './dossiers.ts';
import type { Dossiers } from './dossiers.ts';
import type { Events } from '../webhooks/events.ts';
import type { Content, Files, IncomingFile } from '../database/files.ts';
import { toSearchText } from '../database/listing.ts';

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
export class Documents {
	readonly #parts: DocumentParts;

	constructor(parts: DocumentParts) {
		this.#parts = parts;
	}

	/** The document as the contract describes it. Throws 404 `DOCUMENT_NOT_FOUND`. */
	find(dataset: number, id: string): JsonObject {
		return this.readFields(this.#parts.database.find('documents', dataset, id));
	}

	readFields(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}

	/**
	 * Adds a document. Throws 404 `DOSSIER_NOT_FOUND` or 422 `INVALID_STATE_TRANSITION`, and stores nothing, if the dossier was deleted or
	 * archived while the file arrived.
	 */
	add(
		context: RequestContext,
		dossierId: string,
		{ fields: input, file, content }: Upload,
	): JsonObject {
		return this.#parts.files.keep(file, content, () => {
			const dossier = this.#parts.dossiers.find(context.dataset, dossierId);
			assertWritable(dossier.fields);
			const fields = this.#parts.contract.shape('Document', {
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
			const { id, title, file_name, category } = fields;
			this.#parts.database.insert('documents', {
				dataset: context.dataset,
				dossier: dossier.n,
				id: readText(id),
				title: readText(title),
				file_name: readText(file_name),
				category: readText(category),
				search: toSearchText(readText(title), readText(file_name)),
				size_bytes: content.sizeBytes,
				sha256: content.sha256,
				created_at: context.time,
				updated_at: context.time,
				fields: JSON.stringify(fields),
			});
			this.#parts.audit.record(
				context,
				'document.uploaded',
				auditTarget('document', fields, 'title'),
			);
			this.#parts.events.emit(context, 'document.uploaded', {
				document_id: id,
				dossier_id: dossierId,
				uploaded_by: context.userId,
				category,
			});
			return fields;
		});
	}

	/** Deletes a document, and its file unless another document has the same content. Throws 404 and 422 as above. */
	delete(context: RequestContext, id: string): void {
		const fields = this.find(context.dataset, id);
		const { dossier_id, checksum_sha256 } = fields;
		assertWritable(this.#parts.dossiers.find(context.dataset, text(readText(dossier_id))).fields);
		this.#parts.files.release([text(readText(checksum_sha256))], () => {
			const sql = 'DELETE FROM documents WHERE dataset = ? AND id = ?';
			this.#parts.database.run(sql, [context.dataset, id]);
			this.#parts.audit.record(
				context,
				'document.deleted',
				auditTarget('document', fields, 'title'),
			);
			emitDeleted(this.#parts.events, context, fields);
		});
	}
}
