import type { IDataObject } from 'n8n-workflow';
import { canonical, listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isObject, takePath } from '../../../dialect/paths';
import { findList } from '../../../dialect/structure';
import { CANONICAL } from '../../../api/translation';
import { toText } from '../../../api/values';
import { flatten } from './ask';
import type { Leaf } from './ask';
import { describeFields, findNaming, isTime, matchFields } from './names';
import type { Check } from './notes';

/** A record in an answer. */
export interface Located {
	id: string;
	/** The field that has the id. */
	idName: string;
	leaves: Leaf[];
	/** Path to the record in the answer; "" if it is the answer. */
	path: string;
	/** Path of the object inside the record that holds its fields. */
	attributes?: string;
}

export const ID_NAMES = /^_?(id|uid|uuid|guid|identifier|pk)$/i;
const OWN_NAMES = /^(type|object|links|relationships|meta|self)$/;

/** The name of a record's identifier: a usual one, or one that begins with the kind of record. */
function findId(kind: RecordKind, record: IDataObject): string | undefined {
	const own = `${kind}id`.toLowerCase();
	const names = Object.keys(record).filter((name) => toText(record[name]) !== undefined);
	const isOwn = (name: string) => name.replaceAll('_', '').toLowerCase() === own;
	return names.find((name) => ID_NAMES.test(name)) ?? names.find(isOwn);
}

/** Whether a value names the kind of a record, as a type beside attributes does. */
const isTypeOf = (kind: RecordKind, value: unknown) =>
	toText(value)?.replaceAll('_', '').toLowerCase() ===
	canonical[kind].plural.replaceAll('_', '').toLowerCase();

/** Path of the object inside a record that has all of its fields but the id. */
function findAttributes(kind: RecordKind, record: IDataObject): string | undefined {
	let others = Object.entries(record).filter(
		([name, value]) =>
			!ID_NAMES.test(name) &&
			!OWN_NAMES.test(name) &&
			!isTypeOf(kind, value) &&
			!isTime(value) &&
			typeof value !== 'boolean',
	);
	const path: string[] = [];
	for (;;) {
		const [only] = others;
		if (others.length !== 1 || !only || !isObject(only[1])) return undefined;
		path.push(only[0]);
		others = Object.entries(only[1]);
		if (others.length > 1) return path.join('.');
	}
}

/** Reads an object as a record; `undefined` if it has no identifier. */
function locate(kind: RecordKind, record: unknown, path = ''): Located | undefined {
	const idName = isObject(record) ? findId(kind, record) : undefined;
	if (!isObject(record) || idName === undefined) return undefined;
	const attributes = findAttributes(kind, record);
	const outer = structuredClone(record);
	const inner = attributes === undefined ? {} : takePath(outer, attributes);
	if (attributes !== undefined) {
		// What stands beside the attributes and names the kind is not a field.
		for (const [name, value] of Object.entries(outer)) {
			if (name === 'type' || isTypeOf(kind, value)) delete outer[name];
		}
	}
	const leaves = flatten({ ...outer, ...(isObject(inner) ? inner : {}) });
	return { id: toText(record[idName]) ?? '', idName, attributes, path, leaves };
}

/** The innermost record of an answer that holds a text. */
export function locateBy(kind: RecordKind, body: unknown, text: string): Located | undefined {
	const outer: Leaf[] = [['', body], ...flatten(body)];
	// An upload may be answered with a list of what was made.
	const listed = outer.flatMap(([path, value]): Leaf[] =>
		Array.isArray(value) && value.length === 1 ? [[path, value[0]]] : [],
	);
	const objects = [...outer, ...listed].reverse();
	return objects
		.filter(([, value]) => isObject(value) && JSON.stringify(value).includes(text))
		.map(([path, value]) => locate(kind, value, path))
		.find((located) => located !== undefined);
}

/** The record of an answer to a request that carried the tag, even if the answer does not repeat it. */
export const locateMade = (kind: RecordKind, body: unknown, tag: string): Located | undefined =>
	locateBy(kind, body, tag) ?? locateBy(kind, body, '');

/** The records of a list, the path of the list in the answer, and whether all of its entries could be read. */
export function locateList(
	kind: RecordKind,
	body: unknown,
): { path: string; records: Located[]; isWhole: boolean } {
	const isList = Array.isArray(body);
	const list = isList
		? body.filter(isObject)
		: (isObject(body) && findList(CANONICAL, kind, body)) || [];
	const path = flatten(body).find(([, value]) => value === list)?.[0];
	const first = flatten(body).find(([, value]) => Array.isArray(value))?.[0];
	const records = list.map((one) => locate(kind, one)).filter((one) => one !== undefined);
	const isWhole = records.length === list.length;
	return { path: isList ? '' : (path ?? first ?? ''), records, isWhole };
}

const ISO_UTC = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const NUMBERS: Partial<Record<RecordKind, string>> = {
	dossier: 'A-04',
	document: 'A-06',
	portalUser: 'A-08',
	task: 'A-09',
	auditEntry: 'A-10',
};

/** Notes which fields have other names than assumed, as the dialect has them in the end. */
export function noteNames({ notes, dialect, unseen }: Check): void {
	for (const [kind, missing] of unseen) {
		const number = NUMBERS[kind] ?? '';
		const moved = Object.entries(dialect[kind]?.fields ?? {});
		const names = moved.map(([ours, theirs]) => `${ours} is ${theirs}`).join(', ');
		if (dialect.naming) notes.note(number, false, `names in ${dialect.naming}`);
		if (names) notes.note(number, false, names);
		const isMoved = names || dialect.naming;
		notes.note(number, isMoved ? false : undefined, `not seen: ${missing.join(', ')}`);
	}
}

/** Learns the names of a kind of record from one of them, and gives the paths of its fields. */
export function learnRecord(
	check: Check,
	kind: RecordKind,
	{ id, idName, leaves, attributes }: Located,
	seen: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
	const { notes, dialect } = check;
	const isWritten = check.namings.length > 1;
	const written = isWritten ? findNaming(leaves) : check.namings[0];
	if (written) check.namings.splice(0, Infinity, written);
	if (written && written !== 'snake_case') dialect.naming = written;
	const proven = new Map([...(check.proven.get(kind) ?? []), ['id', idName] as const, ...seen]);
	check.proven.set(kind, proven);
	const { naming } = dialect;
	if (attributes) dialect.record = { ...dialect.record, attributes };
	const found = matchFields(kind, leaves, naming, proven);
	const fields = describeFields(kind, found, naming);
	if (Object.keys(fields).length || dialect[kind]?.fields)
		dialect[kind] = { ...dialect[kind], fields };
	notes.note('A-02', /^(dos|doc|usr|tsk|aud)_/.test(id) || undefined, 'identifiers with a prefix');
	if (!/^[a-z]{3}_/.test(id)) notes.note('A-02', false, `identifiers of another form (${kind})`);
	const at = leaves.filter(([name]) => name === found.get('created_at')).map(([, value]) => value);
	const isUsual = naming === undefined && at.every((time) => ISO_UTC.test(toText(time) ?? ''));
	// Names of one word are the same in every way of writing.
	const isSeen = written !== undefined && at.length > 0;
	const way = written ?? 'single words';
	notes.note('A-03', isUsual ? isSeen || undefined : false, `names in ${naming ?? way}`);
	check.unseen.set(
		kind,
		listLeaves(kind).filter((field) => !found.has(field)),
	);
	return found;
}
