import type { RequestContext } from '../accounts/caller.ts';
import { ServiceError, validationError } from '../contract/service-error.ts';
import type { Contract } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { mergePatch, parseObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { diffFields, auditTarget } from '../accounts/audit.ts';
import type { Audit } from '../accounts/audit.ts';
import { integer, text } from '../database/database.ts';
import type { Database, Row } from '../database/database.ts';
import { toSearchText } from '../database/listing.ts';

const priorities = ['low', 'normal', 'high', 'urgent'];

/** A task with the number by which rows refer to it, and the data that it belongs to. */
interface StoredTask {
	n: number;
	dataset: number;
	/** As the contract describes it. */
	fields: JsonObject;
}

/** The tasks of all datasets. */
export class Tasks {
	readonly #database: Database;
	readonly #contract: Contract;
	readonly #audit: Audit;
	readonly #listeners: (() => void)[] = [];

	constructor(database: Database, contract: Contract, audit: Audit) {
		this.#database = database;
		this.#contract = contract;
		this.#audit = audit;
	}

	/** Calls `listener` whenever a task is written, in the transaction of the write. */
	onWrite(listener: () => void): void {
		this.#listeners.push(listener);
	}

	/** Throws 404 `TASK_NOT_FOUND`. */
	find(dataset: number, id: string): StoredTask {
		const row = this.#database.get('SELECT * FROM tasks WHERE dataset = ? AND id = ?', [
			dataset,
			id,
		]);
		if (!row)
			throw new ServiceError('TASK_NOT_FOUND', 'There is no task with this id. Check the id.');
		return this.#stored(row);
	}

	readFields(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}

	/** Throws 422 `VALIDATION_ERROR` if it names a dossier that does not exist. */
	create(context: RequestContext, input: JsonObject): JsonObject {
		const status = readText(input.status) ?? 'pending';
		const fields = this.#contract.shape('Task', {
			...input,
			id: newId('tsk'),
			status,
			priority: readText(input.priority) ?? 'normal',
			completed_at: status === 'completed' ? context.time : null,
			created_at: context.time,
			updated_at: context.time,
		});
		return this.#database.transaction(() => {
			this.#database.run(
				`INSERT INTO tasks (dossier, dossier_id, title, status, priority, urgency, assignee_id, due_at, created_at, updated_at, search, fields, dataset, id)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				[...this.#toColumns(context.dataset, fields), context.dataset, readText(fields.id)],
			);
			this.#audit.record(context, 'task.created', auditTarget('task', fields, 'title'));
			for (const listener of this.#listeners) listener();
			return fields;
		});
	}

	/**
	 * Changes a task by a merge patch. `completed_at` follows the state, and a new `due_at` gets a new reminder.
	 * Throws 404 `TASK_NOT_FOUND`, and 422 as `create` does.
	 */
	patch(context: RequestContext, id: string, patch: JsonObject): JsonObject {
		return this.#database.transaction(() => {
			const { n, fields: before } = this.find(context.dataset, id);
			const patched = mergePatch(before, patch);
			const completedAt = readText(before.completed_at) ?? context.time;
			const fields = this.#contract.shape('Task', {
				...patched,
				id,
				completed_at: patched.status === 'completed' ? completedAt : null,
				created_at: before.created_at,
				updated_at: context.time,
			});
			this.#database.run(
				`UPDATE tasks SET dossier = ?, dossier_id = ?, title = ?, status = ?, priority = ?, urgency = ?, assignee_id = ?,
				due_at = ?, created_at = ?, updated_at = ?, search = ?, fields = ?, announced = announced AND ? WHERE n = ?`,
				[...this.#toColumns(context.dataset, fields), fields.due_at === before.due_at ? 1 : 0, n],
			);
			const target = auditTarget('task', fields, 'title');
			this.#audit.record(context, 'task.updated', target, diffFields(before, fields));
			for (const listener of this.#listeners) listener();
			return fields;
		});
	}

	/** Throws 404 `TASK_NOT_FOUND`. */
	delete(context: RequestContext, id: string): void {
		this.#database.transaction(() => this.#delete(context, this.find(context.dataset, id)));
	}

	/** Deletes the tasks of a dossier that is being deleted, in the transaction of that. */
	deleteByDossier(context: RequestContext, dossier: number): void {
		const rows = this.#database.all('SELECT * FROM tasks WHERE dossier = ?', [dossier]);
		for (const row of rows) this.#delete(context, this.#stored(row));
	}

	/** The unfinished tasks without a reminder that are due until a moment (ISO 8601 in UTC), the earliest first. */
	findUnannounced(until: string): StoredTask[] {
		return this.#database
			.all(`SELECT * FROM tasks WHERE ${unannounced} AND due_at <= ? ORDER BY due_at, n`, [until])
			.map((row) => this.#stored(row));
	}

	/** When the next task without a reminder is due (ISO 8601 in UTC). */
	nextDueAt(): string | undefined {
		const sql = `SELECT due_at FROM tasks WHERE ${unannounced} ORDER BY due_at LIMIT 1`;
		const row = this.#database.get(sql, []);
		return row && text(row.due_at);
	}

	/** Notes that a task's reminder was emitted. Call it in the transaction of that event. */
	markAnnounced(n: number): void {
		this.#database.run('UPDATE tasks SET announced = 1 WHERE n = ?', [n]);
	}

	#stored(row: Row): StoredTask {
		return { n: integer(row.n), dataset: integer(row.dataset), fields: this.readFields(row) };
	}

	#delete(context: RequestContext, { n, fields }: StoredTask): void {
		this.#database.run('DELETE FROM tasks WHERE n = ?', [n]);
		this.#audit.record(context, 'task.deleted', auditTarget('task', fields, 'title'));
	}

	#toColumns(dataset: number, fields: JsonObject): (string | number | null)[] {
		const { title, status, priority, assignee_id, due_at, created_at, updated_at } = fields;
		return [
			this.#findDossier(dataset, readText(fields.dossier_id)),
			...[fields.dossier_id, title, status, priority].map(readText),
			priorities.indexOf(readText(priority) ?? ''),
			...[assignee_id, due_at, created_at, updated_at].map(readText),
			toSearchText(readText(title), readText(fields.description)),
			JSON.stringify(fields),
		];
	}

	#findDossier(dataset: number, id: string | null): number | null {
		if (id === null) return null;
		const sql = 'SELECT n FROM dossiers WHERE dataset = ? AND id = ?';
		const row = this.#database.get(sql, [dataset, id]);
		if (!row) throw validationError('dossier_id', 'not_found', 'There is no dossier with this id.');
		return integer(row.n);
	}
}

const unannounced = `announced = 0 AND due_at IS NOT NULL AND status NOT IN ('completed', 'cancelled')`;
