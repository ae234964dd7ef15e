import type { RequestContext } from '../accounts/caller.mts';
import { ServiceError, validationError } from '../contract/service-error.mts';
import type { Contract } from '../contract/contract.mts';
import { newId } from '../platform/ids.mts';
import { parseObject, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { diffFields, auditTarget } from '../accounts/audit.mts';
import type { Audit } from '../accounts/audit.mts';
import { RecordStore } from '../accounts/record-store.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import type { Events } from '../webhooks/events.mts';
import type { Files } from '../database/files.mts';
import { toSearchText } from '../database/listing.mts';
import type { Tasks } from './tasks.mts';

/** The states that can follow each state. */
const following: Record<string, string[]> = {
	open: ['in_progress'],
	in_progress: ['pending'],
	pending: ['closed'],
	closed: ['archived', 'open'],
	archived: [],
};

interface DossierParts {
	database: Database;
	files: Files;
	contract: Contract;
	audit: Audit;
	events: Events;
	tasks: Tasks;
}

/** The dossiers of all datasets. */
export class Dossiers extends RecordStore<DossierParts> {
	protected readonly kind = 'dossier';

	override readFields(row: Row): JsonObject {
		return { ...super.readFields(row), document_count: integer(row.document_count) };
	}

	/** Throws 422 `DUPLICATE_REFERENCE`. */
	create(context: RequestContext, input: JsonObject): JsonObject {
		const status = readText(input.status) ?? 'open';
		const fields = this.parts.contract.shape('Dossier', {
			...input,
			id: newId('dos'),
			status,
			document_count: 0,
			opened_at: context.time,
			closed_at: isFinished(status) ? context.time : null,
			created_by: context.userId,
			created_at: context.time,
			updated_at: context.time,
		});
		return this.parts.database.transaction(() => {
			this.#assertFreeReference(context.dataset, fields);
			const { dataset } = context;
			this.parts.database.insert('dossiers', { dataset, ...writeColumns(fields) });
			this.record(context, 'created', fields);
			const { id, title, created_by } = fields;
			this.parts.events.emit(context, 'dossier.created', {
				dossier_id: id,
				title,
				status,
				created_by,
			});
			return fields;
		});
	}

	/**
	 * Replaces all writable fields: a missing one is emptied, except the state, which stays.
	 * Throws 404 `DOSSIER_NOT_FOUND`, 422 `INVALID_STATE_TRANSITION`, 422 `DUPLICATE_REFERENCE`.
	 */
	replace(context: RequestContext, id: string, input: JsonObject): JsonObject {
		return this.parts.database.transaction(() => {
			const { n, fields: before } = this.find(context.dataset, id);
			assertWritable(before);
			const status = readText(input.status) ?? text(readText(before.status));
			assertTransition(text(readText(before.status)), status);
			const reopened = before.status === 'closed' && status === 'open';
			const closed = before.closed_at ?? (isFinished(status) ? context.time : null);
			const fields = this.parts.contract.shape('Dossier', {
				...input,
				id,
				status,
				document_count: before.document_count,
				opened_at: reopened ? context.time : before.opened_at,
				closed_at: reopened ? null : closed,
				created_by: before.created_by,
				created_at: before.created_at,
				updated_at: context.time,
			});
			if (fields.reference !== before.reference) this.#assertFreeReference(context.dataset, fields);
			this.parts.database.update('dossiers', n, writeColumns(fields));
			this.record(context, 'updated', fields, diffFields(before, fields));
			return fields;
		});
	}

	/** Deletes a dossier with its documents and tasks. Throws 404 `DOSSIER_NOT_FOUND`. */
	delete(context: RequestContext, id: string): void {
		const { n, fields } = this.find(context.dataset, id);
		const documents = this.parts.database
			.all('SELECT fields, sha256 FROM documents WHERE dossier = ?', [n])
			.map((row) => ({ fields: parseObject(text(row.fields)), sha256: text(row.sha256) }));
		this.parts.files.release(
			documents.map(({ sha256 }) => sha256),
			() => {
				for (const document of documents) {
					const target = auditTarget('document', document.fields, 'title');
					this.parts.audit.record(context, 'document.deleted', target);
					emitDeleted(this.parts.events, context, document.fields);
				}
				this.parts.tasks.deleteByDossier(context, n);
				this.parts.database.run('DELETE FROM dossiers WHERE n = ?', [n]);
				this.record(context, 'deleted', fields);
			},
		);
	}

	#assertFreeReference(dataset: number, { reference }: JsonObject): void {
		const value = readText(reference);
		if (value === null) return;
		const sql = 'SELECT 1 FROM dossiers WHERE dataset = ? AND reference = ?';
		if (!this.parts.database.get(sql, [dataset, value])) return;
		const message =
			'Another dossier has this reference. Choose another one, or update that dossier.';
		throw validationError('reference', 'duplicate', message, 'DUPLICATE_REFERENCE');
	}
}

/** Emits that a document was deleted, alone or with its dossier. */
export function emitDeleted(events: Events, context: RequestContext, document: JsonObject): void {
	const { id, dossier_id, category } = document;
	const data = { document_id: id, dossier_id, deleted_by: context.userId, category };
	events.emit(context, 'document.deleted', data);
}

/** Throws 422 `INVALID_STATE_TRANSITION` for an archived dossier: it and its documents are read-only. */
export function assertWritable({ status }: JsonObject): void {
	if (status !== 'archived') return;
	throw new ServiceError(
		'INVALID_STATE_TRANSITION',
		'The dossier is archived, which makes it read-only.',
	);
}

function assertTransition(from: string, to: string): void {
	if (from === to || following[from]?.includes(to)) return;
	const possible = following[from]?.join(' or ');
	throw new ServiceError(
		'INVALID_STATE_TRANSITION',
		`A dossier cannot go from ${from} to ${to}. From ${from} it can go to ${possible}.`,
	);
}

function isFinished(status: string): boolean {
	return status === 'closed' || status === 'archived';
}

function writeColumns(fields: JsonObject): Record<string, string> {
	const search = toSearchText(readText(fields.reference), readText(fields.title));
	return { search, fields: JSON.stringify(fields) };
}
