import type { Contract, ContractOperation } from '../contract/contract.mts';
import { listProperties } from '../contract/unknown-fields.mts';
import type { JsonObject } from '../platform/json.mts';
import { recordKinds } from './dialect.mts';
import type { Dialect, RecordKind } from './dialect.mts';
import { writeName } from './words.mts';

/** The operations that take and give each kind of record, and the kind's name for one and for several. */
const kinds: [operations: RegExp, kind: RecordKind, one: string, several: string][] = [
	[/^(workspace\.)?dossiers\./, 'dossier', 'dossier', 'dossiers'],
	[/^(workspace\.)?documents\./, 'document', 'document', 'documents'],
	[/^portal\.users\./, 'portalUser', 'portal_user', 'portal_users'],
	[/^portal\.invite/, 'invitation', 'invitation', 'invitations'],
	[/^tasks\./, 'task', 'task', 'tasks'],
	[/^audit\./, 'auditEntry', 'audit_entry', 'audit_entries'],
	[/^admin\.tenants\./, 'tenant', 'tenant', 'tenants'],
	[/^webhooks\./, 'webhook', 'webhook', 'webhooks'],
];

/** The kind of record that an operation takes and gives; `undefined` if a dialect has no name for it. */
export function findKind({ id }: Pick<ContractOperation, 'id'>): RecordKind | undefined {
	return kinds.find(([pattern]) => pattern.test(id))?.[1];
}

/** Replaces `{kind}` in a path by the name of one record of a kind, and `{kinds}` by that of several. */
export function fillKind(path: string, kind: RecordKind, dialect: Dialect): string {
	const [, , one = '', several = ''] = kinds.find(([, known]) => known === kind) ?? [];
	return path
		.replaceAll('{kind}', writeName(one, dialect))
		.replaceAll('{kinds}', writeName(several, dialect));
}

/** Whether requests use other names than the contract for fields or filters, or put them elsewhere. */
export function renamesFields(dialect: Dialect): boolean {
	const { naming = 'snake_case', record = {}, upload = {} } = dialect;
	const places = [record.sendIn, record.typeIn, record.idIn, upload.content, upload.fieldsIn];
	return (
		naming !== 'snake_case' ||
		places.some((place) => place !== undefined) ||
		recordKinds.some((kind) => dialect[kind]?.fields ?? dialect[kind]?.filters)
	);
}

/** The fields of a request's body in the contract, as paths with dots: `contact` and `contact.email`. */
export function listBodyFields(contract: Contract, { requestBodies }: ContractOperation): string[] {
	const [schema] = requestBodies.values();
	return schema ? listFields(contract, schema, '') : [];
}

function listFields(contract: Contract, schema: JsonObject, prefix: string): string[] {
	return [...listProperties(contract, schema)].flatMap(([name, property]) => [
		`${prefix}${name}`,
		...listFields(contract, property, `${prefix}${name}.`),
	]);
}
