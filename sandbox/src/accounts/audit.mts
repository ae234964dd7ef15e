import type { components } from '../../../contract/generated/types.mts';
import type { RequestContext } from './caller.mts';
import { newId } from '../platform/ids.mts';
import { parseObject, readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import { Part } from '../platform/part.mts';

/** The resource that an entry is about. `label` names it for a person, such as its title. */
export type AuditTarget = components['schemas']['AuditTarget'];

/** The fields that changed, by name, with their values before and after. */
export type AuditChanges = Record<string, { from?: Json; to?: Json }>;

/** The audit log of all datasets. The database itself refuses to change or remove an entry. */
export class Audit extends Part<{ database: Database }> {
	/**
	 * Adds an entry in the current transaction, so that an entry exists if and only if the write succeeded. `action` names the resource
	 * and a verb in the past tense, such as `document.downloaded`.
	 */
	record(
		context: RequestContext,
		action: string,
		target: AuditTarget,
		changes: AuditChanges = {},
	): void {
		const fields = {
			id: newId('aud'),
			action,
			actor: context.actor,
			target,
			ip_address: context.ipAddress,
			user_agent: context.userAgent,
			changes,
			request_id: context.requestId,
			created_at: context.time,
		};
		this.parts.database.insert('audit_entries', {
			dataset: context.dataset,
			fields: JSON.stringify(fields),
		});
	}

	/**
	 * The entries of a span of time (ISO 8601 in UTC, `from` included, `to` not) in batches, the oldest first. Entries that are added
	 * while somebody reads are left out.
	 */
	span(dataset: number, from: string | null, to: string | null): Iterable<JsonObject[]> {
		const newest = this.parts.database.get('SELECT ifnull(max(n), 0) AS n FROM audit_entries', []);
		return this.#readBatches(dataset, from ?? '', to ?? '~', integer(newest?.n));
	}

	*#readBatches(dataset: number, from: string, to: string, newest: number): Iterable<JsonObject[]> {
		let [time, n] = [from, 0];
		for (;;) {
			const rows = this.parts.database.all(
				`SELECT n, created_at, fields FROM audit_entries
				WHERE dataset = ? AND (created_at, n) > (?, ?) AND created_at < ? AND n <= ?
				ORDER BY created_at, n LIMIT 500`,
				[dataset, time, n, to, newest],
			);
			const last = rows.at(-1);
			if (!last) return;
			yield rows.map((row) => this.readFields(row));
			[time, n] = [text(last.created_at), integer(last.n)];
		}
	}

	/** The entry as the contract describes it. */
	readFields(row: Row): JsonObject {
		return parseObject(text(row.fields));
	}
}

/** A resource as the target of an entry. `label` is the field that names it for a person. */
export function auditTarget(
	type: AuditTarget['type'],
	fields: JsonObject,
	label: string,
): AuditTarget {
	return { type, id: readText(fields.id), label: readText(fields[label]) };
}

/** The differences between two states of a resource, except `updated_at`. */
export function diffFields(before: JsonObject, after: JsonObject): AuditChanges {
	const names = new Set([...Object.keys(before), ...Object.keys(after)]);
	names.delete('updated_at');
	const changed = [...names].filter(
		(name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
	);
	return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}
