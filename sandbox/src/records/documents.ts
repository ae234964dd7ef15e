import type { RequestContext } from '../accounts/caller.ts';
import { ServiceError } from '../contract/service-error.ts';
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

/** The documents of all datasets. */
export class Documents {
	readonly #database: Database;
	readonly #files: Files;
	readonly #dossiers: Dossiers;
	readonly #contract: Contract;
	readonly #audit: Audit;
	readonly #events: Events;

	constructor(
		database: Database,
		files: Files,
		dossiers: Dossiers,
		contract: Contract,
		audit: Audit,
		events: Events,
	) {
		this.#database = database;
		this.#files = files;
		this.#dossiers = dossiers;
		this.#contract = contract;
		this.#audit = audit;
		this.#events = events;
	}

	/** The document as the contract describes it. Throws 404 `DOCUMENT_NOT_FOUND`. */
	find(dataset: number, id: string): JsonObject {
		const row = this.#database.get('SELECT * FROM documents WHERE dataset = ? AND id = ?', [
			dataset,
			id,
		]);
		if (!row)
			throw new ServiceError(
				'DOCUMENT_NOT_FOUND',
				'There is no document with this id. Check the id.',
			);
		return this.readFields(row);
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
		return this.#files.keep(file, content, () => {
			const dossier = this.#dossiers.find(context.dataset, dossierId);
			assertWritable(dossier.fields);
			const fields = this.#contract.shape('Document', {
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
			this.#database.run(
				`INSERT INTO documents (dataset, dossier, id, title, file_name, category, search, size_bytes, sha256, created_at, updated_at, fields)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				[
					context.dataset,
					dossier.n,
					...[id, title, file_name, category].map(readText),
					toSearchText(readText(title), readText(file_name)),
					content.sizeBytes,
					content.sha256,
					context.time,
					context.time,
					JSON.stringify(fields),
				],
			);
			this.#audit.record(context, 'document.uploaded', auditTarget('document', fields, 'title'));
			this.#events.emit(context, 'document.uploaded', {
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
		assertWritable(this.#dossiers.find(context.dataset, text(readText(dossier_id))).fields);
		this.#files.release([text(readText(checksum_sha256))], () => {
			const sql = 'DELETE FROM documents WHERE dataset = ? AND id = ?';
			this.#database.run(sql, [context.dataset, id]);
			this.#audit.record(context, 'document.deleted', auditTarget('document', fields, 'title'));
			emitDeleted(this.#events, context, fields);
		});
	}
}
