import type { Act } from '../act.ts';
import { newId } from '../ids.ts';
import { parseObject, textOf } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { text } from './database.ts';
import type { Database, Row } from './database.ts';

/** What something can be done to. */
export type AuditTargetType =
	| 'dossier'
	| 'document'
	| 'portal_user'
	| 'invitation'
	| 'task'
	| 'webhook'
	| 'audit_log'
	| 'tenant'
	| 'feature_flag';

/** What something was done to. `label` is what a person knows it by, such as its title. */
export interface AuditTarget {
	type: AuditTargetType;
	id: string | null;
	label: string | null;
}

/** The fields that changed, by name, with their values before and after. */
export type AuditChanges = Record<string, { from?: Json; to?: Json }>;

/** The audit log of all datasets. The database itself refuses to change or remove an entry. */
export class Audit {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	/**
	 * Adds an entry. Inside a transaction it stands or falls with it, so that no write goes unrecorded and nothing is recorded
	 * that was not done. `action` names the thing and the act in the past tense: `document.downloaded`.
	 */
	record(act: Act, action: string, target: AuditTarget, changes: AuditChanges = {}): void {
		const id = newId('aud');
		const fields = {
			id,
			action,
			actor: act.actor,
			target,
			ip_address: act.ipAddress,
			user_agent: act.userAgent,
			changes,
			request_id: act.requestId,
			created_at: act.time,
		};
		this.#database.run(
			`INSERT INTO audit_entries (dataset, id, action, actor_id, target_id, target_type, created_at, fields)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			[
				act.dataset,
				id,
				action,
				act.actor.id,
				target.id,
				target.type,
				act.time,
				JSON.stringify(fields),
			],
		);
	}

	/** The entry as the contract describes it. */
	fieldsOf(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}
}

/** A resource as the target of an entry, known by one of its fields. */
export function targetOf(type: AuditTargetType, fields: JsonObject, label: string): AuditTarget {
	return { type, id: textOf(fields.id), label: textOf(fields[label]) };
}

/** What differs between two states of a resource, apart from when it was changed. */
export function changesBetween(before: JsonObject, after: JsonObject): AuditChanges {
	const names = new Set([...Object.keys(before), ...Object.keys(after)]);
	names.delete('updated_at');
	const changed = [...names].filter(
		(name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
	);
	return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}
