import type { RequestContext } from '../accounts/caller.mts';
import { validationError } from '../contract/service-error.mts';
import type { Contract } from '../contract/contract.mts';
import { newId } from '../platform/ids.mts';
import { mergePatch, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { diffFields } from '../accounts/audit.mts';
import type { Audit } from '../accounts/audit.mts';
import { RecordStore } from '../accounts/record-store.mts';
import { integer, text } from '../database/database.mts';
import type { Database, StoredRecord } from '../database/database.mts';
import { toSearchText } from '../database/listing.mts';

interface TaskParts {
	database: Database;
	contract: Contract;
	audit: Audit;
}

/** The tasks of all datasets. */
export class Tasks extends RecordStore<TaskParts> {
	protected readonly kind = 'task';
	/** Called whenever a task is written, in the transaction of the write. */
	onWrite: () => void = () => undefined;

	/** Throws 422 `VALIDATION_ERROR` if it names a dossier that does not exist. */
	create(context: RequestContext, input: JsonObject): JsonObject {
		const status = readText(input.status) ?? 'pending';
		const fields = this.parts.contract.shape('Task', {
			...input,
			id: newId('tsk'),
			status,
			priority: readText(input.priority) ?? 'normal',
			completed_at: status === 'completed' ? context.time : null,
			created_at: context.time,
			updated_at: context.time,
		});
		return this.parts.database.transaction(() => {
			const { dataset } = context;
			this.parts.database.insert('tasks', { dataset, ...this.#toColumns(dataset, fields) });
			this.record(context, 'created', fields);
			this.onWrite();
			return fields;
		});
	}

	/**
	 * Changes a task by a merge patch. `completed_at` follows the state, and a new `due_at` gets a new reminder.
	 * Throws 404 `TASK_NOT_FOUND`, and 422 as `create` does.
	 */
	patch(context: RequestContext, id: string, patch: JsonObject): JsonObject {
		return this.parts.database.transaction(() => {
			const { n, fields: before } = this.find(context.dataset, id);
			const patched = mergePatch(before, patch);
			const completedAt = readText(before.completed_at) ?? context.time;
			const fields = this.parts.contract.shape('Task', {
				...patched,
				id,
				completed_at: patched.status === 'completed' ? completedAt : null,
				created_at: before.created_at,
				updated_at: context.time,
			});
			this.parts.database.update('tasks', n, {
				...this.#toColumns(context.dataset, fields),
				...(fields.due_at !== before.due_at && { announced: 0 }),
			});
			this.record(context, 'updated', fields, diffFields(before, fields));
			this.onWrite();
			return fields;
		});
	}

	/** Throws 404 `TASK_NOT_FOUND`. */
	delete(context: RequestContext, id: string): void {
		this.parts.database.transaction(() => this.#delete(context, this.find(context.dataset, id)));
	}

	/** Deletes the tasks of a dossier that is being deleted, in the transaction of that. */
	deleteByDossier(context: RequestContext, dossier: number): void {
		const rows = this.parts.database.all('SELECT * FROM tasks WHERE dossier = ?', [dossier]);
		for (const row of rows) this.#delete(context, this.toStored(row));
	}

	/** The unfinished tasks without a reminder that are due until a moment (ISO 8601 in UTC), the earliest first. */
	findUnannounced(until: string): StoredRecord[] {
		return this.parts.database
			.all(`SELECT * FROM tasks WHERE ${unannounced} AND due_at <= ? ORDER BY due_at, n`, [until])
			.map((row) => this.toStored(row));
	}

	/** When the next task without a reminder is due (ISO 8601 in UTC). */
	nextDueAt(): string | undefined {
		const sql = `SELECT due_at FROM tasks WHERE ${unannounced} ORDER BY due_at LIMIT 1`;
		const row = this.parts.database.get(sql, []);
		return row && text(row.due_at);
	}

	/** Notes that a task's reminder was emitted. Call it in the transaction of that event. */
	markAnnounced(n: number): void {
		this.parts.database.run('UPDATE tasks SET announced = 1 WHERE n = ?', [n]);
	}

	#delete(context: RequestContext, { n, fields }: StoredRecord): void {
		this.parts.database.run('DELETE FROM tasks WHERE n = ?', [n]);
		this.record(context, 'deleted', fields);
	}

	#toColumns(dataset: number, fields: JsonObject): Record<string, string | number | null> {
		return {
			dossier: this.#findDossier(dataset, readText(fields.dossier_id)),
			search: toSearchText(readText(fields.title), readText(fields.description)),
			fields: JSON.stringify(fields),
		};
	}

	#findDossier(dataset: number, id: string | null): number | null {
		if (id === null) return null;
		const sql = 'SELECT n FROM dossiers WHERE dataset = ? AND id = ?';
		const row = this.parts.database.get(sql, [dataset, id]);
		if (!row) throw validationError('dossier_id', 'not_found', 'There is no dossier with this id.');
		return integer(row.n);
	}
}

const unannounced = `announced = 0 AND due_at IS NOT NULL AND status NOT IN ('completed', 'cancelled')`;
