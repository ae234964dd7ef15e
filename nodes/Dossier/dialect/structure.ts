import type { IDataObject } from 'n8n-workflow';
import { canonical, singularName } from './canonical';
import type { RecordKind } from './canonical';
import { getPath, isObject, getOutermost } from './paths';
import { applyNaming, nameField } from './names';
import { isIdentifier } from './translate';
import type { Translator } from './translate';

/** The depth to which an answer is searched for a record or a list. */
const DEPTH_OF_RECORDS = 3;

/** The score of an identifier, if one known field scores 1. */
const ID_WEIGHT = 3;

/** The score of a usual name of a list: higher than that of entries with nothing known but the identifier. */
const NAME_WEIGHT = 5;

/** Names that lists of any records commonly have. */
const COMMON_ENVELOPES = ['data', 'items', 'results', 'records', 'entries', 'list'];

/** The outermost names that the fields of a record may have at the service. */
function listKnownNames({ dialect }: Translator, kind: RecordKind): Set<string> {
	const theirs = canonical[kind].fields.map((field) => nameField(dialect, kind, field));
	return new Set([...theirs, ...canonical[kind].fields].map(getOutermost));
}

const listIdNames = ({ dialect }: Translator, kind: RecordKind) => [
	nameField(dialect, kind, 'id'),
	'id',
	`${singularName(kind)}_id`,
	'uuid',
	'_id',
];

const isIdentified = (translator: Translator, kind: RecordKind, fields: IDataObject) =>
	listIdNames(translator, kind).some((name) => isIdentifier(getPath(fields, name)));

/** Gives a function that scores how much an object looks like a record of a kind; 0 if not at all. */
function measureLikeness(translator: Translator, kind: RecordKind) {
	const known = listKnownNames(translator, kind);
	return (value: IDataObject): number => {
		const names = Object.keys(value).filter((name) => known.has(name)).length;
		return names + (isIdentified(translator, kind, value) ? ID_WEIGHT : 0);
	};
}

/** Every value inside an answer, with its path, outermost first; lists are not entered. */
export function* walk(
	value: unknown,
	deepest = DEPTH_OF_RECORDS,
	path: string[] = [],
): Generator<[value: unknown, path: string[]]> {
	yield [value, path];
	if (!isObject(value) || path.length >= deepest) return;
	for (const [name, inner] of Object.entries(value)) yield* walk(inner, deepest, [...path, name]);
}

const pickBest = <T>(candidates: Array<{ value: T; score: number }>): T | undefined =>
	candidates.reduce<{ value?: T; score: number }>(
		(best, one) => (one.score > best.score ? one : best),
		{ score: 0 },
	).value;

/**
 * Finds a record of a kind in an answer by its fields, in any envelope, and gives it under this package's names with an
 * `id`.
 *
 * @returns `undefined` if no object in the answer looks like such a record
 */
export function findRecord(
	translator: Translator,
	kind: RecordKind,
	body: IDataObject | IDataObject[] | undefined,
): ServiceRecord | undefined {
	const likeness = measureLikeness(translator, kind);
	const objects = [...walk(body)].map(([value]) => value).filter(isObject);
	const sent = pickBest(objects.map((value) => ({ value, score: likeness(value) })));
	if (!sent || kind !== 'invitation') return sent && readRecord(translator, kind, sent);
	// The address and the QR code may stand beside the person: `{"user": {…}, "invite_url": "…"}`.
	const outer = objects.find((one) => Object.values(one).includes(sent)) ?? {};
	const { fields, readOnly } = canonical[kind];
	const own = fields.filter((field) => field !== 'id' && readOnly.includes(getOutermost(field)));
	const names = own.map((field) => getOutermost(nameField(translator.dialect, kind, field)));
	const beside = Object.entries(outer).filter(([name]) => names.includes(name));
	return readRecord(translator, kind, { ...Object.fromEntries(beside), ...sent });
}

/** Under this symbol, a record holds what the service sent. Copies keep it, and JSON does not show it. */
const SENT: unique symbol = Symbol('sent');

/** A record under this package's names. */
export interface ServiceRecord extends IDataObject {
	/** Absent if the record does not come from an answer. */
	[SENT]?: IDataObject;
}

const isServiceRecord = (value: unknown): value is ServiceRecord =>
	isObject(value) && SENT in value;

/** The record as the service sent it; one that does not come from an answer stays as it is. */
export const toSent = (record: ServiceRecord): IDataObject => record[SENT] ?? record;

/** A record, or an object with records in its fields, without what the service sent. */
export function toPlain(record: ServiceRecord): IDataObject {
	// Entries leave out the symbol. To delete it would make V8 keep the copy in 1,200 bytes instead of 430.
	const fields: Array<[string, IDataObject[string]]> = Object.entries(record);
	return Object.fromEntries(
		fields.map(([name, value]) => [name, isServiceRecord(value) ? toPlain(value) : value]),
	);
}

/** Translates a record into this package's names. If its identifier has another name, the record gets it as `id` too. */
export function readRecord(
	translator: Translator,
	kind: RecordKind,
	sent: IDataObject,
): ServiceRecord {
	const named = translator.readRecord(kind, sent);
	const name =
		['id', ...listIdNames(translator, kind)].find((one) => isIdentifier(named[one])) ?? 'id';
	const read = name === 'id' ? named : { id: named[name], ...named };
	// V8 keeps an object that begins with the symbol in 120 bytes; an object that gets it later takes 440.
	return { [SENT]: sent, ...read };
}

/**
 * Finds the list of an answer: the one whose entries look most like records of the kind.
 *
 * @returns the entries as the service sent them, or `undefined` if the answer holds no list of objects
 */
export function findList(
	translator: Translator,
	kind: RecordKind,
	body: IDataObject | IDataObject[] | undefined,
): IDataObject[] | undefined {
	if (Array.isArray(body)) return body.filter(isObject);
	const likeness = measureLikeness(translator, kind);
	const favored = listEnvelopeNames(translator, kind);
	const lists = [...walk(body)].flatMap(([entries, path]) => {
		if (!Array.isArray(entries)) return [];
		const value = entries.filter(isObject);
		const [first] = value;
		if (!first && entries.length) return [];
		const isFavored = favored.includes(path.at(-1) ?? '');
		const score = (first ? 1 + likeness(first) : 0.2) + (isFavored ? NAME_WEIGHT : 0);
		return [{ value, score }];
	});
	return pickBest(lists);
}

/** The names under which an envelope may hold a list of records. */
const listEnvelopeNames = (translator: Translator, kind: RecordKind) => [
	canonical[kind].plural,
	applyNaming(canonical[kind].plural, translator.dialect.naming),
	...COMMON_ENVELOPES,
];

/** Whether an answer is a list: it holds one, or has nothing in its place, or counts no records. */
export function isListAnswer(translator: Translator, kind: RecordKind, body: IDataObject): boolean {
	const names = listEnvelopeNames(translator, kind);
	const isNothing = (value: unknown) =>
		value === null || (isObject(value) && !Object.keys(value).length);
	return (
		findList(translator, kind, body) !== undefined ||
		[...walk(body)].some(([value, path]) => {
			const name = path.at(-1);
			if (name === undefined || names.includes(name)) return isNothing(value);
			return value === 0 && /total|count/i.test(name);
		})
	);
}
