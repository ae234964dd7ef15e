import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import type { Dialect } from '../../../dialect/schema';
import { applyNaming, serviceField } from '../../../dialect/translate';
import type { Leaf } from './ask';

type Naming = Dialect['naming'];

/** Other names that services give fields, the most usual first. What an answer shows goes before them. */
const SYNONYMS: Record<string, readonly string[]> = {
	id: ['uid', 'uuid', '_id', 'identifier'],
	title: ['name', 'subject', 'label', 'heading'],
	reference: ['number', 'ref', 'case_no', 'external_id', 'reference_number', 'case_number'],
	description: ['summary', 'notes', 'details'],
	status: ['state', 'stage', 'phase'],
	type: ['kind', 'dossier_type', 'category'],
	assignee_id: ['assignee', 'assigned_to', 'owner_id', 'owner'],
	tags: ['labels', 'keywords'],
	custom_fields: ['metadata', 'properties', 'extra', 'custom'],
	'contact.name': ['contact_name', 'client_name'],
	'contact.email': ['contact_email', 'client_email', 'email'],
	'contact.phone': ['contact_phone', 'client_phone', 'phone'],
	document_count: ['documents_count', 'file_count', 'num_documents'],
	due_at: ['due_date', 'deadline', 'due', 'due_on'],
	opened_at: ['opened', 'opened_on', 'start_date'],
	closed_at: ['closed', 'closed_on', 'end_date'],
	created_by: ['creator', 'author', 'creator_id', 'author_id'],
	created_at: ['created', 'created_on', 'made', 'date_created', 'creation_date'],
	updated_at: ['updated', 'modified', 'modified_at', 'updated_on', 'last_modified'],
	dossier_id: ['dossier', 'case_id', 'parent_id'],
	dossier_ids: ['dossiers'],
	file_name: ['filename', 'name', 'original_name'],
	mime_type: ['mime', 'content_type', 'media_type', 'type'],
	size_bytes: ['size', 'length', 'bytes', 'file_size', 'byte_size'],
	checksum_sha256: ['checksum', 'sha256', 'digest', 'hash', 'sha_256'],
	category: ['kind', 'document_type', 'class', 'classification'],
	uploaded_by: ['uploader', 'uploader_id', 'created_by', 'author'],
	content_base64: ['content', 'data', 'file', 'base64', 'blob', 'file_content'],
	first_name: ['given_name', 'forename'],
	last_name: ['family_name', 'surname'],
	email: ['mail', 'email_address'],
	phone: ['phone_number', 'mobile', 'telephone'],
	priority: ['urgency', 'importance'],
	completed_at: ['completed', 'done_at', 'finished_at', 'completed_on'],
	action: ['event', 'event_type', 'activity'],
	ip_address: ['ip', 'remote_ip'],
	changes: ['diff', 'delta'],
};

/** A name in snake_case, without the kind of record that it may begin with. */
const normalize = (name: string, kind: RecordKind) =>
	name
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.toLowerCase()
		.replace(/[^a-z\d_]+/g, '_')
		.replace(new RegExp(`^${kind.toLowerCase()}_(?!ids?$)`), '');

/** The names under which a field may be known, the assumed one first, in each way of writing that is possible. */
export function listNames(field: string, naming: readonly Naming[], most = Infinity): string[] {
	const names = [field, ...(SYNONYMS[field] ?? [])].slice(0, most);
	return [...new Set(naming.flatMap((one) => names.map((name) => applyNaming(name, one))))];
}

/** How the names of a record are written, by those that consist of several words; `undefined` if there are none. */
export function findNaming(leaves: readonly Leaf[]): Naming {
	const names = leaves.map(([path]) => path.split('.').at(-1) ?? '');
	const count = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
	const [snake, camel, pascal] = [/^[a-z]+_/, /^[a-z]+[A-Z]/, /^[A-Z][a-z]/].map(count);
	if ((camel ?? 0) > (snake ?? 0)) return 'camelCase';
	if ((pascal ?? 0) > names.length / 2) return 'PascalCase';
	return snake ? 'snake_case' : undefined;
}

/**
 * Finds where a record has each known field: by value if that is known, else by its name.
 *
 * @param proven the paths of fields that were found by value
 * @returns the path of each field that was found
 */
export function matchFields(
	kind: RecordKind,
	leaves: readonly Leaf[],
	naming: Naming,
	proven: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
	const found = new Map(proven);
	const fields: readonly string[] = canonical[kind].fields;
	const isFree = (path: string) => ![...found.values()].includes(path);
	const match = (isSame: (path: string, field: string) => boolean) => {
		for (const field of fields) {
			const isObject = fields.some((other) => other.startsWith(`${field}.`));
			if (found.has(field) || isObject) continue;
			const path = leaves.map(([one]) => one).find((one) => isFree(one) && isSame(one, field));
			if (path !== undefined) found.set(field, path);
		}
	};
	match((path, field) => path === serviceField({ naming }, kind, field));
	match((path, field) => normalize(path, kind) === normalize(field, kind));
	const others = (field: string) => SYNONYMS[field] ?? [];
	match((path, field) => others(field).includes(normalize(path, kind)));
	const last = (path: string) => normalize(path.split('.').at(-1) ?? '', kind);
	match((path, field) => path.includes('.') && [field, ...others(field)].includes(last(path)));
	return found;
}

/** The part of a dialect that says where the fields of a kind of record are, if not where they are assumed. */
export function describeFields(
	kind: RecordKind,
	found: ReadonlyMap<string, string>,
	naming: Naming,
) {
	const moved = [...found].filter(
		([field, path]) => path !== serviceField({ naming }, kind, field),
	);
	return Object.fromEntries(moved);
}
