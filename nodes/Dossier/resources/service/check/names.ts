import { listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { applyNaming, serviceField } from '../../../dialect/translate';
import type { Leaf } from './ask';

type Naming = Dialect['naming'];

/** Names that are offered to a service that does not show its own, the most usual first. */
const OFFERED: Record<string, readonly string[]> = {
	title: ['name', 'subject', 'label'],
	reference: ['number', 'ref', 'case_no', 'external_id'],
	description: ['summary', 'notes', 'details'],
	type: ['kind'],
	tags: ['labels'],
	'contact.name': ['contact_name', 'client_name'],
	'contact.email': ['contact_email', 'client_email', 'email'],
	'contact.phone': ['contact_phone', 'client_phone', 'phone'],
	due_at: ['due_date', 'deadline', 'due'],
	file_name: ['filename', 'name'],
	mime_type: ['mime', 'content_type', 'media_type'],
	category: ['kind', 'type', 'document_type'],
	content_base64: ['content', 'data', 'file', 'base64', 'blob', 'file_content'],
};

/** What names of a field have in common, however a service spells it; a dot or a capital begins a new word. */
const LIKENESS: Record<string, RegExp> = {
	id: /^_*(id|uid|uuid|guid|identifier|pk)$/,
	title:
		/^(name|subject|summary|caption|heading|headline|label|topic|display_name|short_desc\w*|betreff|bezeichnung)$|tit(le|el)/,
	reference:
		/^(?!.*(phone|mobile|tel)).*(ref|number|(^|_)(no|nr|key|code)$|external|nummer|aktenzeichen)/,
	description: /desc|detail|note|comment|remark|body|text|summary|memo|beschreib|bemerk/,
	status: /stat(e|us)|stage|phase|zustand/,
	type: /type|kind|class|categor|area|art$/,
	contact: /^(contact|client|customer|person|requester|ansprechpartner)$/,
	'contact.name': /(contact|client|customer|person|requester|supplied|ansprechpartner).*name/,
	'contact.email': /mail(_?addr\w*)?$/,
	'contact.phone': /phone|mobile|tel/,
	assignee_id: /assign|owner|responsible|agent|handler|bearbeiter/,
	tags: /tag|label|keyword|topic|categor|schlag/,
	custom_fields: /custom|meta|propert|extra|extension|additional/,
	document_count: /count|num|total/,
	due_at: /due|deadline|target|until|expir|faellig|frist|activity/,
	opened_at: /open|start|begin|began/,
	closed_at: /clos|(^|_)end|resol|finish/,
	created_by: /creat|author|by(_id)?$|(angelegt|erstellt)_von/,
	created_at:
		/creat|insert|added|made|time|occur|logged|date|upload|when|angelegt|erstellt|zeitpunkt/,
	updated_at: /^(?!.*(user|by$)).*(updat|modif|chang|edit|geaendert)/,
	dossier_id: /dossier|case|matter|parent|folder|project|file_id|akte/,
	file_name: /file.*name|^name$|original|datei_?name|path_on_client/,
	mime_type: /mime|content_type|media|format/,
	size_bytes: /size|length|bytes|groesse/,
	checksum_sha256: /check|sha|hash|digest|pruef/,
	category: /categ|kind|class|type|label|art$/,
	uploaded_by: /upload|by(_id)?$|author|creat|owner|hochgeladen/,
	priority: /prio|urgen|importan|sever/,
	completed_at: /complet|done|finish|clos|resol|erledigt/,
	action: /action|event|activity|operation|verb|^type$|aktion/,
	'actor.type': /(actor|user|who|by|initiator|principal|benutzer).*(type|kind)/,
	'actor.id': /(actor|user|who|by|initiator|principal|benutzer).*id$/,
	'actor.name': /(actor|user|who|by|initiator|principal|benutzer).*(name|label)/,
	'target.type': /(target|object|resource|entity|item|objekt).*(type|kind)/,
	'target.id': /(target|object|resource|entity|item|objekt).*id$/,
	'target.label': /(target|object|resource|entity|item|objekt).*(label|name|title)/,
	ip_address: /(^|_)ip|remote|address/,
	user_agent: /agent|browser/,
	changes: /chang|diff|delta|modif/,
	request_id: /request|correl|trace/,
	first_name: /given|first|fore/,
	last_name: /family|last|sur/,
	email: /mail(_?addr\w*)?$/,
	phone: /phone|mobile|tel/,
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
	const names = [field, ...(OFFERED[field] ?? [])].slice(0, most);
	return [...new Set(naming.flatMap((one) => names.map((name) => applyNaming(name, one))))];
}

/** How the names of a record are written, by those that consist of several words; `undefined` if there are none. */
export function findNaming(leaves: readonly Leaf[]): Naming {
	const names = leaves.flatMap(([path]) => path.split('.'));
	const count = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
	const [snake, camel, pascal] = [/^[a-z]+_/, /^[a-z]+[A-Z]/, /^[A-Z][a-z]/].map(count);
	if ((pascal ?? 0) > (snake ?? 0) + (camel ?? 0)) return 'PascalCase';
	if ((camel ?? 0) > (snake ?? 0)) return 'camelCase';
	return snake ? 'snake_case' : undefined;
}

export const isTime = (value: unknown) =>
	typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
/** The first second since 1970 that may be a time, and not a number of something. */
const FIRST_SECOND = 1e9;

/** Whether a path ends with a name that a field may have. */
export const isLike = (path: string, kind: RecordKind, field: string): boolean =>
	LIKENESS[field]?.test(normalize(path.split('.').at(-1) ?? '', kind)) === true;

/** Whether an object holds known fields, so that it is not free for what a customer calls fields. */
const hasKnown = (value: object) =>
	Object.keys(value).some((name) =>
		Object.keys(LIKENESS).some((field) => isLike(name, 'dossier', field)),
	);

/** Whether a value can be that of a field: a field without a value can be any. */
function isPossible(field: string, value: unknown): boolean {
	if (value === null || value === undefined || value === '')
		return !/^(id|created_at|action)$|_count$/.test(field);
	if (field.endsWith('_at')) return isTime(value) || typeof value === 'number';
	if (field === 'tags' || field.endsWith('_ids')) return Array.isArray(value);
	if (field === 'custom_fields' || field === 'changes') return isObject(value) && !hasKnown(value);
	if (field.endsWith('_count')) return typeof value === 'number';
	if (field.endsWith('_by') && Number(value) >= FIRST_SECOND) return false;
	return typeof value !== 'object' && !isTime(value);
}

/**
 * Finds where a record has each known field: by value if that is known, else by its name and by what its value can be.
 *
 * @param proven the paths of fields that were found by value
 * @param fields the fields to look for
 * @returns the path of each field that was found
 */
export function matchFields(
	kind: RecordKind,
	leaves: readonly Leaf[],
	naming: Naming,
	proven: ReadonlyMap<string, string> = new Map(),
	fields: readonly string[] = listLeaves(kind),
): Map<string, string> {
	const found = new Map(proven);
	const isFree = (path: string) => ![...found.values()].includes(path);
	// An object with an id of its own is another record: only a field about that record is inside it.
	const others = leaves.flatMap(([path]) => path.match(/^(.+\.)_?(?:id|uid|uuid)$/i)?.[1] ?? []);
	const isWithin = (path: string, field: string) =>
		/\.|_(id|by)$/.test(field) || !others.some((other) => path.startsWith(other));
	// What a new record has by itself may name the kind of record.
	const mayBeKind = (field: string) => field === 'type' || field === 'category';
	const emptyFirst = [...leaves].sort(([, one], [, other]) => Number(!!one) - Number(!!other));
	const match = (isSame: (path: string, field: string) => boolean) => {
		for (const field of fields) {
			if (found.has(field)) continue;
			const fitting = (mayBeKind(field) ? emptyFirst : leaves).find(
				([path, value]) =>
					isFree(path) &&
					isWithin(path, field) &&
					!(mayBeKind(field) && String(value).includes(kind)) &&
					isPossible(field, value) &&
					isSame(path, field),
			);
			if (fitting) found.set(field, fitting[0]);
		}
	};
	const last = (path: string) => normalize(path.split('.').at(-1) ?? '', kind);
	const whole = (path: string) => normalize(path, kind);
	match((path, field) => path === serviceField({ naming }, kind, field));
	match(
		(path, field) =>
			whole(path) === whole(field) || (!field.includes('.') && last(path) === last(field)),
	);
	match((path, field) => isLike(path, kind, field));
	match(
		(path, field) => !/\.(type|kind)$/.test(path) && LIKENESS[field]?.test(whole(path)) === true,
	);
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
