/** Draws what a service calls the fields of its records, from the fields that `docs/dialect.schema.json` lists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Dialect } from '../../sandbox/src/index.ts';
import { USUAL_NAMES, USUAL_WORDS } from './usualNames';

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

/** Names that real services have, some of them in an object. No two fields have one name, and none has that of a field that keeps its own. */
function drawUsualFields(kind: Kind, isFlat: boolean): fc.Arbitrary<Record<string, string>> {
	const usual = USUAL_NAMES[kind] ?? {};
	const keys = Object.keys(usual);
	const drawOne = (field: string) => {
		const isFixed = isFlat || field === 'id' || keys.some((one) => one.startsWith(`${field}.`));
		const names = (usual[field] ?? []).filter((name) => !isFlat || !name.includes('.'));
		return fc
			.tuple(isFixed ? fc.constant('') : fc.constantFrom(...PLACES), fc.constantFrom(...names))
			.map(([place, name]) => `${place}${name}`);
	};
	return fc
		.subarray(keys, { maxLength: Math.min(8, keys.length) })
		.chain((some) => fc.record(Object.fromEntries(some.map((field) => [field, drawOne(field)]))))
		.map((drawn) => {
			const kept = readNames(properties[kind]).filter((field) => !(field in drawn));
			const taken = new Set(kept.flatMap((field) => [field, field.split('.')[0] ?? field]));
			const free = Object.entries(drawn).filter(([, name]) => {
				const isFree = !taken.has(name) && !taken.has(name.split('.')[0] ?? name);
				taken.add(name);
				return isFree;
			});
			return Object.fromEntries(free);
		});
}

/** All words of a set in capitals, or with a capital at the beginning. */
const drawUsualWords = (words: string[]) =>
	fc
		.constantFrom(
			(word: string) => word.toUpperCase(),
			(word: string) => word.charAt(0).toUpperCase() + word.slice(1),
		)
		.map((write) => Object.fromEntries(words.map((word) => [word, write(word)])));

/** A part of a dialect for one kind of record. `isFlat`: its fields are in no objects, as the fields of a form. `isUsual`: its names and words are such as real services have. */
export function drawKind(
	kind: Kind,
	{ isFlat = false, isUsual = false } = {},
): fc.Arbitrary<RecordDialect> {
	const words = Object.entries((isUsual ? USUAL_WORDS : WORDS)[kind] ?? {});
	const filters = FILTERS[kind]?.split(' ') ?? [];
	const optional = { requiredKeys: [] };
	const parts = fc.record(
		{
			fields: isUsual
				? drawUsualFields(kind, isFlat)
				: drawFields(readNames(properties[kind]), isFlat),
			values: fc.record(
				Object.fromEntries(
					words.map(([field, some]) => [field, isUsual ? drawUsualWords(some) : drawWords(some)]),
				),
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
