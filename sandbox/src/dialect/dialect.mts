import type { components } from '../../../contract/generated/control.mts';

/** The kinds of records that a dialect names. */
export const recordKinds = [
	'dossier',
	'document',
	'portalUser',
	'invitation',
	'task',
	'auditEntry',
	'tenant',
	'webhook',
] as const;

export type RecordKind = (typeof recordKinds)[number];

/** What a service calls things if it differs from the contract: `docs/dialect.schema.json`. Every part is optional. */
export type Dialect = components['schemas']['Dialect'];

/** A part of a dialect. */
export type DialectPart<Name extends keyof Dialect> = NonNullable<Dialect[Name]>;
