import type { Condition, ListQuery, RecordReader } from '../database/listing.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import type { EventKind } from '../webhooks/events.mts';

/** The data of an event about the newest record that it could be about; the example of the contract if a dataset has none. */
export function sampleData(service: Service, dataset: number, kind: EventKind): JsonObject {
	const { documents, dossiers, tasks, portalUsers } = service;
	const newest = (table: ListQuery['table'], store: RecordReader, ...more: Condition[]) => {
		const conditions = [{ sql: 'dataset = ?', value: dataset }, ...more];
		const sort = table === 'portal_users' ? 'invited_at' : 'created_at';
		const query = { table, conditions, sort, order: 'desc', skip: 0, perPage: 1 } as const;
		const [row] = service.listing.page(query).rows;
		return row && store.readFields(row);
	};
	const example = service.events.exampleData(kind);
	if (kind === 'document.uploaded' || kind === 'document.deleted') {
		const found = newest('documents', documents);
		if (!found) return example;
		const { id, dossier_id, category, uploaded_by } = found;
		const by = kind === 'document.uploaded' ? { uploaded_by } : { deleted_by: uploaded_by };
		return { document_id: id, dossier_id, category, ...by };
	}
	if (kind === 'dossier.created') {
		const found = newest('dossiers', dossiers);
		if (!found) return example;
		const { id, title, status, created_by } = found;
		return { dossier_id: id, title, status, created_by };
	}
	if (kind === 'task.due_soon') {
		const found = newest('tasks', tasks, { sql: 'due_at > ?', value: '' });
		if (!found) return example;
		const { id, dossier_id, due_at, assignee_id } = found;
		return { task_id: id, dossier_id, due_at, assignee_id };
	}
	const found = newest('portal_users', portalUsers);
	if (!found) return example;
	const { id, dossier_ids } = found;
	return {
		...example,
		portal_user_id: id,
		...(kind === 'portal.user_invited' && { dossier_ids }),
	};
}
