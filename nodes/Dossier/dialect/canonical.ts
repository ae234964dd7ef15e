/** What this package calls the records of the service and their fields. */
interface CanonicalRecord {
	/** The name of several records. */
	plural: string;
	/** All known fields; a dot leads into a nested object. */
	fields: string[];
	/** The fields that the service sets itself. Requests never send them. */
	readOnly: string[];
	/** Fields and query parameters with a closed set of words, for which a service may have other words. */
	valued: string[];
	/** Query parameters that narrow a list. */
	filters: string[];
}

const split = (names = '') => names.split(' ').filter(Boolean);

/** Makes a canonical record from lists of names that are separated by blanks. */
const describeRecord = (
	plural: string,
	names: { [Place in Exclude<keyof CanonicalRecord, 'plural'>]?: string },
): CanonicalRecord => ({
	plural,
	fields: split(names.fields),
	readOnly: split(names.readOnly),
	valued: split(names.valued),
	filters: split(names.filters),
});

const COMMON_FILTERS = 'q created_after created_before updated_after';

export const canonical = {
	dossier: describeRecord('dossiers', {
		fields:
			'id reference title description status type contact contact.name contact.email contact.phone assignee_id tags custom_fields document_count due_at opened_at closed_at created_by created_at updated_at',
		readOnly: 'id document_count opened_at closed_at created_by created_at updated_at',
		valued: 'status type',
		filters: `status type assignee_id reference ${COMMON_FILTERS}`,
	}),
	document: describeRecord('documents', {
		fields:
			'id dossier_id title file_name mime_type size_bytes checksum_sha256 category custom_fields uploaded_by created_at updated_at',
		readOnly: 'id size_bytes checksum_sha256 uploaded_by created_at updated_at',
		valued: 'category',
		filters: `category file_name ${COMMON_FILTERS}`,
	}),
	portalUser: describeRecord('portal_users', {
		fields:
			'id email phone first_name last_name locale status dossier_ids invited_at last_access_at',
		readOnly: 'id status invited_at last_access_at',
		valued: 'status',
		filters: 'status dossier_id q',
	}),
	invitation: describeRecord('invitations', {
		fields:
			'id portal_user_id state invite_url expires_at token qr qr.format qr.data_url email phone first_name last_name dossier_ids message expires_in_days qr_format',
		readOnly: 'id portal_user_id state invite_url expires_at token qr',
		valued: 'state',
	}),
	task: describeRecord('tasks', {
		fields:
			'id dossier_id title description status priority assignee_id due_at completed_at created_at updated_at',
		readOnly: 'id completed_at created_at updated_at',
		valued: 'status priority',
		filters: `status priority dossier_id assignee_id due_after due_before ${COMMON_FILTERS}`,
	}),
	auditEntry: describeRecord('audit_entries', {
		fields:
			'id action actor actor.type actor.id actor.name target target.type target.id target.label ip_address user_agent changes request_id created_at',
		valued: 'action target_type format',
		filters: 'action actor_id target_id target_type from to format',
	}),
	tenant: describeRecord('tenants', {
		fields: 'id name plan status created_at',
		readOnly: 'id created_at',
	}),
	webhook: describeRecord('webhooks', {
		fields: 'id url events secret status created_at',
		readOnly: 'id created_at',
		valued: 'status',
	}),
};

/** A kind of record. */
export type RecordKind = keyof typeof canonical;

export const recordKinds = Object.keys(canonical) as RecordKind[];

/** The name of one record of a kind: `dossier`, `portal_user`. */
export const singularName = (kind: RecordKind) =>
	canonical[kind].plural.replace(/ies$/, 'y').replace(/s$/, '');

/** The fields of a kind that hold no other known fields. */
export const listLeaves = (kind: RecordKind): string[] => {
	const { fields } = canonical[kind];
	return fields.filter((field) => !fields.some((other) => other.startsWith(`${field}.`)));
};

/** The fields that the payloads of events are assumed to have, if the service does not document them. */
export const assumedPayloads = {
	'document.deleted': split('document_id dossier_id deleted_by category'),
	'dossier.created': split('dossier_id title status created_by'),
	'portal.user_accessed': split('portal_user_id method'),
	'portal.user_invited': split('portal_user_id invite_id channel dossier_ids invited_by'),
	'task.due_soon': split('task_id dossier_id due_at assignee_id'),
};

/** The events whose payload the service does not document. */
export const assumedEvents = Object.keys(assumedPayloads) as Array<keyof typeof assumedPayloads>;
