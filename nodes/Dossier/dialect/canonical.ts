/** What this package calls the records of the service and their fields. */
interface CanonicalRecord {
	/** Names the records of a list, and the type of a record in requests that state it. */
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

const split = (names: string) => names.split(' ').filter(Boolean);

/**
 * @param marked the fields: `!` after the name of one that the service sets itself, `=` after that of one with a closed set of words
 * @param filters the query parameters: `=` after the name of one with a closed set of words that no field has
 */
function describeField(plural: string, marked: string, filters = ''): CanonicalRecord {
	const names = split(marked);
	const strip = (name: string) => name.replace(/[!=]/g, '');
	const pick = (mark: string) => names.filter((name) => name.includes(mark)).map(strip);
	return {
		plural,
		fields: names.map(strip),
		readOnly: pick('!'),
		valued: [...pick('='), ...split(filters).flatMap((one) => one.match(/^.+(?==)/) ?? [])],
		filters: split(strip(filters)),
	};
}

const LISTED = 'q created_after created_before updated_after';

export const canonical = {
	dossier: describeField(
		'dossiers',
		'id! reference title description status= type= contact contact.name contact.email contact.phone assignee_id tags custom_fields document_count! due_at opened_at! closed_at! created_by! created_at! updated_at!',
		`status type assignee_id reference ${LISTED}`,
	),
	document: describeField(
		'documents',
		'id! dossier_id title file_name mime_type size_bytes! checksum_sha256! category= custom_fields uploaded_by! created_at! updated_at!',
		`category file_name ${LISTED}`,
	),
	portalUser: describeField(
		'portal_users',
		'id! email phone first_name last_name locale status!= dossier_ids invited_at! last_access_at!',
		'status dossier_id q',
	),
	invitation: describeField(
		'invitations',
		'id! portal_user_id! state!= invite_url! expires_at! token! qr! qr.format qr.data_url email phone first_name last_name dossier_ids message expires_in_days qr_format',
	),
	task: describeField(
		'tasks',
		'id! dossier_id title description status= priority= assignee_id due_at completed_at! created_at! updated_at!',
		`status priority dossier_id assignee_id due_after due_before ${LISTED}`,
	),
	auditEntry: describeField(
		'audit_entries',
		'id action= actor actor.type actor.id actor.name target target.type target.id target.label ip_address user_agent changes request_id created_at',
		'action actor_id target_id target_type= from to format=',
	),
	tenant: describeField('tenants', 'id! name plan status created_at!'),
	webhook: describeField('webhooks', 'id! url events secret status= created_at!'),
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

/** The data of the events whose data is not given. */
export const payloads = {
	'document.deleted': split('document_id dossier_id deleted_by category'),
	'dossier.created': split('dossier_id title status created_by'),
	'portal.user_accessed': split('portal_user_id method'),
	'portal.user_invited': split('portal_user_id invite_id channel dossier_ids invited_by'),
	'task.due_soon': split('task_id dossier_id due_at assignee_id'),
};

/** An event whose data is not given. */
export type EventName = keyof typeof payloads;

export const eventNames = Object.keys(payloads) as EventName[];
