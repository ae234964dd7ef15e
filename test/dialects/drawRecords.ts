/** Draws what a service calls the fields of its records, from the fields that `docs/dialect.schema.json` lists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Dialect } from '../../sandbox/src/index.ts';

type Kind =
	| 'dossier'
	| 'document'
	| 'portalUser'
	| 'invitation'
	| 'task'
	| 'auditEntry'
	| 'webhook'
	| 'tenant';
type RecordDialect = NonNullable<Dialect[Kind]>;

interface FieldNames {
	properties: { fields: { propertyNames: { enum: string[] } } };
}

const { properties } = JSON.parse(
	readFileSync(join(__dirname, '../../docs/dialect.schema.json'), 'utf8'),
) as {
	properties: Record<Kind, FieldNames> & { payloads: { properties: Record<string, FieldNames> } };
};

const readNames = (names: FieldNames) => names.properties.fields.propertyNames.enum;

/** Values that a service may have other words for. */
const WORDS: Partial<Record<Kind, Record<string, string[]>>> = {
	dossier: { status: ['open', 'in_progress', 'pending', 'closed', 'archived'] },
	document: { category: ['contract', 'invoice', 'tax', 'other'] },
	portalUser: { status: ['invited', 'active', 'revoked'] },
	invitation: { state: ['pending', 'accepted', 'revoked'] },
	task: {
		status: ['pending', 'in_progress', 'in_review', 'completed', 'cancelled'],
		priority: ['low', 'normal', 'high', 'urgent'],
	},
	auditEntry: { action: ['dossier.created', 'document.uploaded', 'task.created'] },
	webhook: { status: ['active', 'disabled'] },
};

/** The filters of the contract that a dialect can name. */
const FILTERS: Partial<Record<Kind, string>> = {
	dossier: 'status type assignee_id reference q created_after created_before updated_after',
	document: 'category file_name q created_after created_before updated_after',
	portalUser: 'status dossier_id q',
	task: 'status priority dossier_id assignee_id due_after due_before q created_after created_before updated_after',
	auditEntry: 'action actor_id target_id from to',
};

/** Fields that a service may set by itself although the contract lets callers set them. */
const OPTIONAL: Partial<Record<Kind, string[]>> = {
	dossier: ['description', 'type', 'tags', 'custom_fields'],
	document: ['title', 'custom_fields'],
	task: ['description'],
};

const PLACES = ['', '', '', 'meta.', 'info.more.'];
const SYLLABLES = ['name', 'Key', 'made_on', 'ref', 'kind', 'x', 'state', 'Value', 'label', 'no'];

/** A name that no other field has: its number makes it one of its own. `isFlat`: in no object. */
const drawName = (number: number, isFlat: boolean) =>
	fc
		.tuple(isFlat ? fc.constant('') : fc.constantFrom(...PLACES), fc.constantFrom(...SYLLABLES))
		.map(([place, name]) => `${place}${name}${number}`);

/** Other names for some fields; now and then, two fields have each other's. */
function drawFields(all: string[], isFlat: boolean): fc.Arbitrary<Record<string, string>> {
	const hasFields = (field: string) => all.some((other) => other.startsWith(`${field}.`));
	const plain = all.filter((field) => !field.includes('.') && field !== 'id' && !hasFields(field));
	const renamed = fc
		.subarray(all, { maxLength: Math.min(8, all.length) })
		.chain((fields) =>
			fc.record(
				Object.fromEntries(fields.map((field) => [field, drawName(all.indexOf(field), isFlat)])),
			),
		);
	const exchanged = fc
		.shuffledSubarray(plain, { minLength: 2, maxLength: 2 })
		.map(([one = '', two = '']) => ({ [one]: two, [two]: one }));
	return fc.oneof({ weight: 5, arbitrary: renamed }, { weight: 1, arbitrary: exchanged });
}

const drawWords = (words: string[]) =>
	fc
		.tuple(fc.subarray(words, { minLength: 1 }), fc.constantFrom('capitals', 'numbers', 'others'))
		.map(([some, how]) =>
			Object.fromEntries(
				some.map((word, at): [string, string | number] => {
					if (how === 'numbers') return [word, at + 1];
					return [word, how === 'capitals' ? word.toUpperCase() : `word ${at}`];
				}),
			),
		);

const drawFilter = (number: number) =>
	fc.constantFrom(null, `filter[f${number}]`, `by_${number}`, `Where${number}`);

/** A part of a dialect for one kind of record. `isFlat`: its fields are in no objects, as the fields of a form. */
export function drawKind(kind: Kind, { isFlat = false } = {}): fc.Arbitrary<RecordDialect> {
	const words = Object.entries(WORDS[kind] ?? {});
	const filters = FILTERS[kind]?.split(' ') ?? [];
	const optional = { requiredKeys: [] };
	const parts = fc.record(
		{
			fields: drawFields(readNames(properties[kind]), isFlat),
			values: fc.record(
				Object.fromEntries(words.map(([field, some]) => [field, drawWords(some)])),
				optional,
			),
			filters: fc.record(
				Object.fromEntries(filters.map((filter, at) => [filter, drawFilter(at)])),
				optional,
			),
			readOnly: fc.subarray(OPTIONAL[kind] ?? []),
		},
		optional,
	);
	return parts.map((drawn) =>
		Object.fromEntries(Object.entries(drawn).filter(([, value]) => Object.keys(value).length > 0)),
	);
}

/** Other names in the data of events. */
export const payloads: fc.Arbitrary<NonNullable<Dialect['payloads']>> = fc.record(
	Object.fromEntries(
		Object.entries(properties.payloads.properties).map(([event, names]) => [
			event,
			fc.record({ fields: drawFields(readNames(names), false) }),
		]),
	),
	{ requiredKeys: [] },
);
