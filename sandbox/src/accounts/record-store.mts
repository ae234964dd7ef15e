import { ServiceError } from '../contract/service-error.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row, StoredRecord } from '../database/database.mts';
import { parseObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { auditTarget } from './audit.mts';
import type { Audit, AuditChanges } from './audit.mts';
import type { RequestContext } from './caller.mts';
import { Part } from '../platform/part.mts';

/** The kinds of records: their table, the error code for one that is not there, and the field that names one for a person. */
const kinds = {
	dossier: ['dossiers', 'DOSSIER_NOT_FOUND', 'title'],
	document: ['documents', 'DOCUMENT_NOT_FOUND', 'title'],
	task: ['tasks', 'TASK_NOT_FOUND', 'title'],
	portal_user: ['portal_users', 'PORTAL_USER_NOT_FOUND', 'email'],
	webhook: ['webhooks', 'WEBHOOK_NOT_FOUND', 'url'],
} as const;

/** The records of one kind in all datasets. */
export abstract class RecordStore<
	Parts extends { database: Database; audit: Audit },
> extends Part<Parts> {
	protected abstract readonly kind: keyof typeof kinds;

	/** Throws 404 with the code of the kind, such as `TASK_NOT_FOUND`. */
	find(dataset: number, id: string): StoredRecord {
		const [table, code] = kinds[this.kind];
		const sql = `SELECT * FROM ${table} WHERE dataset = ? AND id = ?`;
		const row = this.parts.database.get(sql, [dataset, id]);
		if (row) return this.toStored(row);
		const name = this.kind.replace('_', ' ');
		throw new ServiceError(code, `There is no ${name} with this id. Check the id.`);
	}

	/** The record as the contract describes it. */
	readFields(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}

	protected toStored(row: Row): StoredRecord {
		return { n: integer(row.n), dataset: integer(row.dataset), fields: this.readFields(row) };
	}

	/** Adds an entry to the audit log, as part of the current transaction. `verb`: in the past tense, such as `created`. */
	protected record(
		context: RequestContext,
		verb: string,
		fields: JsonObject,
		changes?: AuditChanges,
	): void {
		const target = auditTarget(this.kind, fields, kinds[this.kind][2]);
		this.parts.audit.record(context, `${this.kind}.${verb}`, target, changes);
	}
}
