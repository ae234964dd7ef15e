/** What this package calls the records of the service and their fields. */
interface CanonicalRecord {
	/** Names the records of a list, and the type of a record in requests that state it. */
	plural: string;
	/** All known fields; a dot leads into a nested object. */
	fields: readonly string[];
	/** The fields that the service sets itself. Requests never send them. */
	readOnly: readonly string[];
	/** Query parameters that narrow a list. */
	filters: readonly string[];
	/** Fields with a closed set of words, for which a service may have other words. */
	valued: readonly string[];
}

const listFilters = ['q', 'created_after', 'created_before', 'updated_after'] as const;

export const canonical = {
	dossier: {
		plural: 'dossiers',
		fields: [
			'id',
			'reference',
			'title',
			'description',
			'status',
			'type',
			'contact',
			'contact.name',
			'contact.email',
			'contact.phone',
			'assignee_id',
			'tags',
			'custom_fields',
			'document_count',
			'due_at',
			'opened_at',
			'closed_at',
			'created_by',
			'created_at',
			'updated_at',
		],
		readOnly: [
			'id',
			'document_count',
			'opened_at',
			'closed_at',
			'created_by',
			'created_at',
			'updated_at',
		],
		filters: ['status', 'type', 'assignee_id', 'reference', ...listFilters],
		valued: ['status'],
	},
	document: {
		plural: 'documents',
		fields: [
			'id',
			'dossier_id',
			'title',
			'file_name',
			'mime_type',
			'size_bytes',
			'checksum_sha256',
			'category',
			'custom_fields',
			'uploaded_by',
			'created_at',
			'updated_at',
		],
		readOnly: ['id', 'size_bytes', 'checksum_sha256', 'uploaded_by', 'created_at', 'updated_at'],
		filters: ['category', 'file_name', ...listFilters],
		valued: ['category'],
	},
	portalUser: {
		plural: 'portal_users',
		fields: [
			'id',
			'email',
			'phone',
			'first_name',
			'last_name',
			'locale',
			'status',
			'dossier_ids',
			'invited_at',
			'last_access_at',
		],
		readOnly: ['id', 'status', 'invited_at', 'last_access_at'],
		filters: ['status', 'dossier_id', 'email', ...listFilters],
		valued: ['status'],
	},
	invitation: {
		plural: 'invitations',
		fields: [
			'id',
			'portal_user_id',
			'state',
			'invite_url',
			'expires_at',
			'token',
			'qr',
			'qr.format',
			'qr.data_url',
			'email',
			'phone',
			'first_name',
			'last_name',
			'dossier_ids',
			'message',
			'expires_in_days',
			'qr_format',
		],
		readOnly: ['id', 'portal_user_id', 'state', 'invite_url', 'expires_at', 'token', 'qr'],
		filters: [],
		valued: ['state'],
	},
	task: {
		plural: 'tasks',
		fields: [
			'id',
			'dossier_id',
			'title',
			'description',
			'status',
			'priority',
			'assignee_id',
			'due_at',
			'completed_at',
			'created_at',
			'updated_at',
		],
		readOnly: ['id', 'completed_at', 'created_at', 'updated_at'],
		filters: ['status', 'priority', 'dossier_id', 'assignee_id', ...listFilters],
		valued: ['status', 'priority'],
	},
	auditEntry: {
		plural: 'audit_entries',
		fields: [
			'id',
			'action',
			'actor',
			'actor.type',
			'actor.id',
			'actor.name',
			'target',
			'target.type',
			'target.id',
			'target.label',
			'ip_address',
			'user_agent',
			'changes',
			'request_id',
			'created_at',
		],
		readOnly: [],
		filters: ['action', 'actor_id', 'target_id', 'from', 'to', ...listFilters],
		valued: ['action'],
	},
	tenant: {
		plural: 'tenants',
		fields: ['id', 'name', 'plan', 'status', 'created_at'],
		readOnly: ['id', 'created_at'],
		filters: [],
		valued: [],
	},
	webhook: {
		plural: 'webhooks',
		fields: ['id', 'url', 'events', 'secret', 'status', 'created_at'],
		readOnly: ['id', 'created_at'],
		filters: [],
		valued: ['status'],
	},
} as const satisfies Record<string, CanonicalRecord>;

/** A kind of record. */
export type RecordKind = keyof typeof canonical;

export const recordKinds = Object.keys(canonical) as RecordKind[];

/** The name of one record of a kind: `dossier`, `portal_user`. */
export const singularName = (kind: RecordKind) =>
	canonical[kind].plural.replace(/ies$/, 'y').replace(/s$/, '');

/** The fields of a kind that hold no other known fields. */
export function listLeaves(kind: RecordKind): string[] {
	const fields: readonly string[] = canonical[kind].fields;
	return fields.filter((field) => !fields.some((other) => other.startsWith(`${field}.`)));
}

/** The data of the events whose data is not given. */
export const payloads = {
	'document.deleted': ['document_id', 'dossier_id', 'deleted_by', 'category'],
	'dossier.created': ['dossier_id', 'title', 'status', 'created_by'],
	'portal.user_accessed': ['portal_user_id', 'method'],
	'portal.user_invited': ['portal_user_id', 'invite_id', 'channel', 'dossier_ids', 'invited_by'],
	'task.due_soon': ['task_id', 'dossier_id', 'due_at', 'assignee_id'],
} as const;

/** An event whose data is not given. */
export type EventName = keyof typeof payloads;

export const eventNames = Object.keys(payloads) as EventName[];
