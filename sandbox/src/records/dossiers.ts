import type { Act } from '../accounts/caller.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Contract } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { parseObject, textOf } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { changesBetween, targetOf } from '../accounts/audit.ts';
import type { Audit } from '../accounts/audit.ts';
import { integer, text } from '../database/database.ts';
import type { Database, Row } from '../database/database.ts';
import type { Events } from '../webhooks/events.ts';
import type { Files } from '../database/files.ts';
import { searchable } from '../database/listing.ts';
import type { Tasks } from './tasks.ts';

/** The states that can follow each state. */
const following: Record<string, string[]> = {
	open: ['in_progress'],
	in_progress: ['pending'],
	pending: ['closed'],
	closed: ['archived', 'open'],
	archived: [],
};

/** A dossier with the number by which rows refer to it. */
export interface StoredDossier {
	n: number;
	/** As the contract describes it. */
	fields: JsonObject;
}

/** The dossiers of all datasets. */
export class Dossiers {
	readonly #database: Database;
	readonly #files: Files;
	readonly #contract: Contract;
	readonly #audit: Audit;
	readonly #events: Events;
	readonly #tasks: Tasks;

	constructor(
		database: Database,
		files: Files,
		contract: Contract,
		audit: Audit,
		events: Events,
		tasks: Tasks,
	) {
		this.#database = database;
		this.#files = files;
		this.#contract = contract;
		this.#audit = audit;
		this.#events = events;
		this.#tasks = tasks;
	}

	/** Throws 404 `DOSSIER_NOT_FOUND`. */
	find(dataset: number, id: string): StoredDossier {
		const row = this.#database.get('SELECT * FROM dossiers WHERE dataset = ? AND id = ?', [
			dataset,
			id,
		]);
		if (!row)
			throw new ApiError('DOSSIER_NOT_FOUND', 'There is no dossier with this id. Check the id.');
		return { n: integer(row.n), fields: this.fieldsOf(row) };
	}

	fieldsOf(row: Row): JsonObject {
		return { ...parseObject(text(row.fields)), document_count: integer(row.document_count) };
	}

	/** Throws 422 `DUPLICATE_REFERENCE`. */
	create(act: Act, input: JsonObject): JsonObject {
		const status = textOf(input.status) ?? 'open';
		const fields = this.#contract.shaped('Dossier', {
			...input,
			id: newId('dos'),
			status,
			document_count: 0,
			opened_at: act.time,
			closed_at: isFinished(status) ? act.time : null,
			created_by: act.userId,
			created_at: act.time,
			updated_at: act.time,
		});
		return this.#database.transaction(() => {
			this.#demandFreeReference(act.dataset, fields);
			this.#database.run(
				`INSERT INTO dossiers (reference, title, status, type, assignee_id, due_at, created_at, updated_at, search, fields, dataset, id)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				[...columnsOf(fields), act.dataset, text(textOf(fields.id))],
			);
			this.#audit.record(act, 'dossier.created', targetOf('dossier', fields, 'title'));
			const { id, title, created_by } = fields;
			this.#events.emit(act, 'dossier.created', { dossier_id: id, title, status, created_by });
			return fields;
		});
	}

	/**
	 * Replaces all writable fields; one that is missing is emptied, but the state stays.
	 * Throws 404 `DOSSIER_NOT_FOUND`, 422 `INVALID_STATE_TRANSITION`, 422 `DUPLICATE_REFERENCE`.
	 */
	replace(act: Act, id: string, input: JsonObject): JsonObject {
		return this.#database.transaction(() => {
			const { n, fields: before } = this.find(act.dataset, id);
			demandWritable(before);
			const status = textOf(input.status) ?? text(textOf(before.status));
			demandTransition(text(textOf(before.status)), status);
			const reopened = before.status === 'closed' && status === 'open';
			const closed = before.closed_at ?? (isFinished(status) ? act.time : null);
			const fields = this.#contract.shaped('Dossier', {
				...input,
				id,
				status,
				document_count: before.document_count,
				opened_at: reopened ? act.time : before.opened_at,
				closed_at: reopened ? null : closed,
				created_by: before.created_by,
				created_at: before.created_at,
				updated_at: act.time,
			});
			if (fields.reference !== before.reference) this.#demandFreeReference(act.dataset, fields);
			this.#database.run(
				`UPDATE dossiers SET reference = ?, title = ?, status = ?, type = ?, assignee_id = ?, due_at = ?,
				created_at = ?, updated_at = ?, search = ?, fields = ? WHERE n = ?`,
				[...columnsOf(fields), n],
			);
			const target = targetOf('dossier', fields, 'title');
			this.#audit.record(act, 'dossier.updated', target, changesBetween(before, fields));
			return fields;
		});
	}

	/** Deletes a dossier with its documents and tasks. Throws 404 `DOSSIER_NOT_FOUND`. */
	delete(act: Act, id: string): void {
		const { n, fields } = this.find(act.dataset, id);
		const documents = this.#database
			.all('SELECT fields, sha256 FROM documents WHERE dossier = ?', [n])
			.map((row) => ({ fields: parseObject(text(row.fields)), sha256: text(row.sha256) }));
		this.#files.release(
			documents.map(({ sha256 }) => sha256),
			() => {
				for (const document of documents) {
					const target = targetOf('document', document.fields, 'title');
					this.#audit.record(act, 'document.deleted', target);
					emitDeleted(this.#events, act, document.fields);
				}
				this.#tasks.deleteOf(act, n);
				this.#database.run('DELETE FROM dossiers WHERE n = ?', [n]);
				this.#audit.record(act, 'dossier.deleted', targetOf('dossier', fields, 'title'));
			},
		);
	}

	#demandFreeReference(dataset: number, { reference }: JsonObject): void {
		const value = textOf(reference);
		if (value === null) return;
		const sql = 'SELECT 1 FROM dossiers WHERE dataset = ? AND reference = ?';
		if (!this.#database.get(sql, [dataset, value])) return;
		const message =
			'Another dossier has this reference. Choose another one, or update that dossier.';
		throw new ApiError('DUPLICATE_REFERENCE', message, [
			{ field: 'reference', code: 'duplicate', message },
		]);
	}
}

/** Says that a document was deleted, alone or with its dossier. */
export function emitDeleted(events: Events, act: Act, document: JsonObject): void {
	const { id, dossier_id, category } = document;
	const data = { document_id: id, dossier_id, deleted_by: act.userId, category };
	events.emit(act, 'document.deleted', data);
}

/** Throws 422 `INVALID_STATE_TRANSITION` for an archived dossier: it and its documents are read-only. */
export function demandWritable({ status }: JsonObject): void {
	if (status !== 'archived') return;
	throw new ApiError(
		'INVALID_STATE_TRANSITION',
		'The dossier is archived, which makes it read-only.',
	);
}

function demandTransition(from: string, to: string): void {
	if (from === to || following[from]?.includes(to)) return;
	const possible = following[from]?.join(' or ');
	throw new ApiError(
		'INVALID_STATE_TRANSITION',
		`A dossier cannot go from ${from} to ${to}. From ${from} it can go to ${possible}.`,
	);
}

function isFinished(status: string): boolean {
	return status === 'closed' || status === 'archived';
}

function columnsOf(fields: JsonObject): (string | null)[] {
	const { reference, title, status, type, assignee_id, due_at, created_at, updated_at } = fields;
	return [
		...[reference, title, status, type, assignee_id, due_at, created_at, updated_at].map(textOf),
		searchable(textOf(reference), textOf(title)),
		JSON.stringify(fields),
	];
}
