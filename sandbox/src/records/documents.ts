import type { Act } from '../accounts/caller.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Contract } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { parseObject, textOf } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { targetOf } from '../accounts/audit.ts';
import type { Audit } from '../accounts/audit.ts';
import { text } from '../database/database.ts';
import type { Database, Row } from '../database/database.ts';
import { demandWritable, emitDeleted } from './dossiers.ts';
import type { Dossiers } from './dossiers.ts';
import type { Events } from '../webhooks/events.ts';
import type { Content, Files, IncomingFile } from '../database/files.ts';
import { searchable } from '../database/listing.ts';

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
			throw new ApiError('DOCUMENT_NOT_FOUND', 'There is no document with this id. Check the id.');
		return this.fieldsOf(row);
	}

	fieldsOf(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}

	/**
	 * Adds a document. Throws 404 `DOSSIER_NOT_FOUND` and 422 `INVALID_STATE_TRANSITION` when the dossier went, or was archived,
	 * while the file arrived; nothing is stored then.
	 */
	add(act: Act, dossierId: string, { fields: input, file, content }: Upload): JsonObject {
		return this.#files.keep(file, content, () => {
			const dossier = this.#dossiers.find(act.dataset, dossierId);
			demandWritable(dossier.fields);
			const fields = this.#contract.shaped('Document', {
				...input,
				id: newId('doc'),
				dossier_id: dossierId,
				title: input.title ?? input.file_name,
				size_bytes: content.sizeBytes,
				checksum_sha256: content.sha256,
				uploaded_by: act.userId,
				created_at: act.time,
				updated_at: act.time,
			});
			const { id, title, file_name, category } = fields;
			this.#database.run(
				`INSERT INTO documents (dataset, dossier, id, title, file_name, category, search, size_bytes, sha256, created_at, updated_at, fields)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				[
					act.dataset,
					dossier.n,
					...[id, title, file_name, category].map(textOf),
					searchable(textOf(title), textOf(file_name)),
					content.sizeBytes,
					content.sha256,
					act.time,
					act.time,
					JSON.stringify(fields),
				],
			);
			this.#audit.record(act, 'document.uploaded', targetOf('document', fields, 'title'));
			this.#events.emit(act, 'document.uploaded', {
				document_id: id,
				dossier_id: dossierId,
				uploaded_by: act.userId,
				category,
			});
			return fields;
		});
	}

	/** Deletes a document, and its file unless another document has the same content. Throws 404 and 422 as above. */
	delete(act: Act, id: string): void {
		const fields = this.find(act.dataset, id);
		const { dossier_id, checksum_sha256 } = fields;
		demandWritable(this.#dossiers.find(act.dataset, text(textOf(dossier_id))).fields);
		this.#files.release([text(textOf(checksum_sha256))], () => {
			const sql = 'DELETE FROM documents WHERE dataset = ? AND id = ?';
			this.#database.run(sql, [act.dataset, id]);
			this.#audit.record(act, 'document.deleted', targetOf('document', fields, 'title'));
			emitDeleted(this.#events, act, fields);
		});
	}
}
