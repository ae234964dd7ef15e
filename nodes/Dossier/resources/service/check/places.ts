import type { IDataObject } from 'n8n-workflow';
import { singularName } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { getPath, isObject } from '../../../dialect/paths';
import { openAttributes } from '../../../dialect/translate';
import { applyNaming, serviceField } from '../../../dialect/names';
import { toText } from '../../../api/json';
import { readLocation } from '../../../api/send/answer';
import { isGood } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';

/** A place in an answer, as a path with dots, and what stands there. */
export type Leaf = readonly [path: string, value: unknown];

const DEEPEST_PLACE = 8;

/** Every value inside an answer with its path, outermost first; lists are not entered. */
export function flatten(value: unknown, path: string[] = []): Leaf[] {
	if (!isObject(value) || path.length >= DEEPEST_PLACE) return [];
	const here = Object.entries(value).map(
		([name, inner]): Leaf => [[...path, name].join('.'), inner],
	);
	const inner = Object.entries(value).flatMap(([name, one]) => flatten(one, [...path, name]));
	return [...here, ...inner];
}

/** A record in an answer. */
export interface Placed {
	id: string;
	/** The record as the service has sent it. */
	raw: IDataObject;
	/** The values of the record, also those in the object that holds its fields. */
	leaves: Leaf[];
}

/** A text that was written into a field, by which the record is known. */
interface Written {
	mark: string;
	field: string;
}

const join = (...steps: string[]) => steps.filter(Boolean).join('.');
const parent = (path: string) => path.split('.').slice(0, -1).join('.');
const endsWith = (path: string, end: string) => `.${path}`.endsWith(`.${end}`);

/** A path without its end or, if it has another end, without its last step. */
const strip = (path: string, end: string) =>
	endsWith(path, end) ? path.slice(0, -end.length).replace(/\.$/, '') : parent(path);

/** What of a path lies below another. */
const below = (path: string, level: string) => (level ? path.slice(level.length + 1) : path);

/** A path and all that lead to it, the longest first. */
const climb = (path: string): string[] => (path ? [path, ...climb(parent(path))] : ['']);

/** The place of the object with the fields of a record, by the text that was written; `undefined` if it is not there. */
function findBase({ draft }: Check, kind: RecordKind, body: unknown, { mark, field }: Written) {
	const name = serviceField(draft.dialect, kind, field) ?? field;
	const paths = flatten(body).flatMap(([path, value]) => (value === mark ? [path] : []));
	const path = paths.find((one) => endsWith(one, name)) ?? paths[0];
	return path === undefined ? undefined : strip(path, name);
}

export const isTime = (value: unknown) =>
	typeof value === 'string' ? /^\d{4}-\d\d-\d\d/.test(value) : Number(value) > 1e9;

/** How many values are tried as the identifier of a record. */
const MOST_TRIED = 8;

/**
 * The identifiers that an answer may give a new record: that under the name of the dialect, and what else it might be. Only
 * reading the record proves one.
 */
export function listIdentifiers(
	check: Check,
	kind: RecordKind,
	{ body, headers }: Pick<Seen, 'body' | 'headers'>,
	written: Written,
): string[] {
	const idName = serviceField(check.draft.dialect, kind, 'id') ?? 'id';
	const isNear = climb(findBase(check, kind, body, written) ?? '').map((one) => join(one, idName));
	const rank = (path: string) => {
		if (isNear.includes(path)) return isNear.indexOf(path);
		return isNear.length + (endsWith(path, idName) ? 0 : 1);
	};
	const values = flatten(body)
		.filter(([, value]) => value !== written.mark && !(typeof value === 'string' && isTime(value)))
		.sort(([one], [other]) => rank(one) - rank(other))
		.flatMap(([, value]) => toText(value) ?? []);
	const all = [...values.splice(0, 1), readLocation(headers), ...values];
	return [...new Set(all.flatMap((one) => one ?? []))].slice(0, MOST_TRIED);
}

/** The object with a record, by a text that was written into it; `undefined` if the answer does not show it. */
export function findRaw(
	check: Check,
	kind: RecordKind,
	body: unknown,
	written: Written,
): IDataObject | undefined {
	const base = findBase(check, kind, body, written);
	if (base === undefined) return undefined;
	const { attributes } = check.draft.dialect.record ?? {};
	const path = attributes && endsWith(base, attributes) ? strip(base, attributes) : base;
	const raw = path ? getPath(body as IDataObject, path) : body;
	return isObject(raw) ? raw : undefined;
}

/**
 * Finds a record in an answer by its identifier, and by a text that the check wrote into it. Learns which envelope answers have,
 * and what the identifier is called.
 *
 * @returns `undefined` if the answer does not hold both: the record of another may have the identifier
 */
export function placeRecord(
	check: Check,
	kind: RecordKind,
	body: unknown,
	id: string,
	written: Written,
): Placed | undefined {
	const { draft, notes } = check;
	const { dialect } = draft;
	const idName = serviceField(dialect, kind, 'id') ?? 'id';
	const base = findBase(check, kind, body, written);
	if (base === undefined) return undefined;
	const levels = climb(base);
	const shared = (path: string) =>
		climb(parent(path)).find((level) => levels.includes(level)) ?? '';
	const paths = flatten(body).flatMap(([path, value]) => (toText(value) === id ? [path] : []));
	const named = paths.find((path) => endsWith(path, idName));
	const idPath = named ?? paths.sort((one, other) => shared(other).length - shared(one).length)[0];
	if (idPath === undefined) return undefined;
	const envelope = named === undefined ? shared(idPath) : strip(named, idName);
	const attributes = levels.includes(envelope) ? below(base, envelope) : '';
	if (kind === 'dossier') {
		const singular = applyNaming(singularName(kind), dialect.naming);
		const isKind = endsWith(envelope, singular);
		if (envelope)
			draft.learn(['record', 'envelope'], isKind ? join(parent(envelope), '{kind}') : envelope);
		if (attributes) draft.learn(['record', 'attributes'], attributes);
		const place = join(envelope, attributes);
		notes.note('A-13', !place, place ? `records in ${place}` : 'records without an envelope');
	}
	const own = below(idPath, envelope);
	if (own !== idName) draft.learn([kind, 'fields', 'id'], own);
	const raw = envelope ? getPath(body as IDataObject, envelope) : body;
	if (!isObject(raw)) return undefined;
	return { id, raw, leaves: readLeaves(check, raw) };
}

/** The values of a record, also those in the object that holds its fields. */
export const readLeaves = ({ draft }: Pick<Check, 'draft'>, raw: IDataObject): Leaf[] =>
	flatten(openAttributes(draft.dialect, raw));

/** The record that was made, by reading it: the only proof of its identifier. */
export async function readMade(
	check: Check,
	kind: 'dossier' | 'document',
	seen: Seen,
	written: Written,
): Promise<Placed | undefined> {
	for (const id of listIdentifiers(check, kind, seen, written)) {
		const read = await check.asker.ask(`${kind}s.get`, { id });
		const placed = isGood(read) ? placeRecord(check, kind, read.body, id, written) : undefined;
		if (placed) return placed;
	}
	return undefined;
}

/** Every list of objects in an answer with its path; "" if the answer is the list. */
export function findLists(body: unknown): Array<{ path: string; entries: IDataObject[] }> {
	const all: Leaf[] = [['', body], ...flatten(body)];
	return all.flatMap(([path, value]) =>
		Array.isArray(value) && value.every(isObject) ? [{ path, entries: value }] : [],
	);
}

/** The entries of lists that hold a text. */
export const findEntries = (body: unknown, text: string) =>
	findLists(body).flatMap(({ entries }) =>
		entries.filter((entry) => JSON.stringify(entry).includes(text)),
	);
