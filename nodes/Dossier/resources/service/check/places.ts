import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { readLocation } from '../../../api/send/answer';
import { singularName } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { applyNaming, serviceField } from '../../../dialect/names';
import { getPath, isObject } from '../../../dialect/paths';
import { openAttributes } from '../../../dialect/translate';
import { isGood } from './ask';
import type { Asker, Seen } from './ask';
import type { Draft } from './draft';

/** A place in an answer, as a path with dots, and what stands there. */
export type Leaf = readonly [path: string, value: unknown];

/** A record in an answer. */
export interface Placed {
	id: string;
	/** Whether the identifier stands where the dialect says. */
	isNamed: boolean;
	/** The record as the service has sent it. */
	raw: IDataObject;
	/** The values of the record, also those in the object that holds its fields. */
	leaves: Leaf[];
}

/** The kinds of record that a check makes. */
type MadeKind = 'dossier' | 'document' | 'task';

/** A check on its way. */
export interface Check {
	asker: Asker;
	draft: Draft;
	/** Begins every value that is written. */
	tag: string;
	/** A text that no answer holds unless it was written under this check. */
	mark: () => string;
	/** The identifiers of what the check has made, and has to delete. */
	made: Record<MadeKind, string[]>;
	/** The content of the first document. */
	content?: Buffer;
}

/** The field that the mark of a record is written into. */
const MARKED = { dossier: 'title', document: 'file_name' };

const DEEPEST_PLACE = 8;

/** Every value inside an answer with its path, outermost first; lists are not entered. */
export function flatten(value: unknown, path: string[] = []): Leaf[] {
	if (!isObject(value) || path.length >= DEEPEST_PLACE) return [];
	const entries = Object.entries(value);
	const here = entries.map(([name, inner]): Leaf => [[...path, name].join('.'), inner]);
	return [...here, ...entries.flatMap(([name, inner]) => flatten(inner, [...path, name]))];
}

/** The paths of a value in an answer. */
const findPaths = (body: unknown, isIt: (value: unknown) => boolean) =>
	flatten(body).flatMap(([path, value]) => (isIt(value) ? [path] : []));

const parent = (path: string) => path.split('.').slice(0, -1).join('.');
const below = (path: string, level: string) => path.slice(level.length).replace(/^\./, '');
export const endsWith = (path: string, end: string) => `.${path}`.endsWith(`.${end}`);

/** The path of the innermost object that holds both paths, or is one of them. */
function share(one: string, other: string): string {
	const [steps, others] = [one.split('.'), other.split('.')];
	const end = steps.findIndex((step, at) => step !== others[at]);
	return (end < 0 ? steps : steps.slice(0, end)).join('.');
}

/** The path of the object with the fields of a record, by the text that was written; `undefined` if it is not there. */
function findBase(
	{ draft }: Check,
	kind: 'dossier' | 'document',
	body: unknown,
	mark: string,
): string | undefined {
	const name = serviceField(draft.dialect, kind, MARKED[kind]) ?? MARKED[kind];
	const paths = findPaths(body, (value) => value === mark);
	const named = paths.find((path) => endsWith(path, name));
	if (named !== undefined) return named.slice(0, -name.length).replace(/\.$/, '');
	return paths[0] && parent(paths[0]);
}

export const isTime = (value: unknown) =>
	typeof value === 'string' ? /^\d{4}-\d\d-\d\d/.test(value) : Number(value) > 1e9;

/** How many values are tried as the identifier of a record. */
const MOST_TRIED = 8;

/**
 * The identifiers that an answer may give a record: what the dialect calls so, and what else it might be. Only reading the
 * record proves one.
 */
export function listIdentifiers(
	{ draft, tag }: Check,
	kind: RecordKind,
	{ body, headers }: Pick<Seen, 'body' | 'headers'>,
	base = '',
): string[] {
	const name = serviceField(draft.dialect, kind, 'id') ?? 'id';
	const near = ([path]: Leaf) => share(parent(path), base).length;
	const values = flatten(body)
		.filter(([, value]) => !toText(value)?.startsWith(tag))
		.filter(([, value]) => typeof value === 'number' || !isTime(value))
		.sort((one, other) => near(other) - near(one));
	const named = values.filter(([path]) => endsWith(path, name));
	const all = [...named, ['', readLocation(headers)] as const, ...values];
	return [...new Set(all.flatMap(([, value]) => toText(value) ?? []))].slice(0, MOST_TRIED);
}

/**
 * Finds a record in an answer by its identifier, and by a text that the check wrote into it. Learns which envelope answers have,
 * and what the identifier is called.
 *
 * @returns `undefined` if the answer does not hold both: the record of another may have the identifier
 */
function placeRecord(
	check: Check,
	kind: 'dossier' | 'document',
	body: unknown,
	id: string,
	mark: string,
): Placed | undefined {
	const { draft } = check;
	const name = serviceField(draft.dialect, kind, 'id') ?? 'id';
	const base = findBase(check, kind, body, mark);
	if (base === undefined) return undefined;
	const near = (path: string) =>
		share(parent(path), base).length + (endsWith(path, name) ? 0.5 : 0);
	const paths = findPaths(body, (value) => toText(value) === id);
	const nearest = Math.max(...paths.map(near));
	const [path, ...others] = paths.filter((one) => near(one) === nearest);
	if (path === undefined) return undefined;
	const envelope = share(parent(path), base);
	const raw = envelope ? getPath(body as IDataObject, envelope) : body;
	if (!isObject(raw)) return undefined;
	if (kind === 'dossier') learnEnvelope(check, envelope, below(base, envelope));
	const own = below(path, envelope);
	const at = [kind, 'fields', 'id'];
	if (own !== name && !others.length) draft.learn(at, own);
	else if (own !== name)
		draft.ask(
			at,
			'all have its value',
			[path, ...others].map((one) => below(one, envelope)),
		);
	return { id, isNamed: own === name, raw, leaves: readLeaves(check, raw) };
}

function learnEnvelope({ draft }: Check, envelope: string, attributes: string): void {
	const singular = applyNaming(singularName('dossier'), draft.dialect.naming);
	const isKind = endsWith(envelope, singular);
	const named = isKind ? envelope.slice(0, -singular.length) + '{kind}' : envelope;
	if (envelope) draft.learn(['record', 'envelope'], named);
	if (attributes) draft.learn(['record', 'attributes'], attributes);
	const place = [envelope, attributes].filter(Boolean).join('.');
	draft.note('A-13', !place, place ? `records in ${place}` : 'records without an envelope');
}

/** The values of a record, also those in the object that holds its fields. */
export const readLeaves = ({ draft }: Pick<Check, 'draft'>, raw: IDataObject): Leaf[] =>
	flatten(openAttributes(draft.dialect, raw));

/**
 * Finds the record that was made, and keeps its identifier for the deletion. The first record of a kind is read, the only proof of
 * an identifier; a later one has its identifier in the same place.
 */
export async function findMade(
	check: Check,
	kind: 'dossier' | 'document',
	seen: Pick<Seen, 'body' | 'headers'>,
	mark: string,
): Promise<Placed | undefined> {
	const { asker, made } = check;
	const base = findBase(check, kind, seen.body, mark);
	const ids = listIdentifiers(check, kind, seen, base);
	const [first = ''] = made[kind].length ? ids : [];
	let placed = placeRecord(check, kind, seen.body, first, mark);
	for (const id of placed?.isNamed ? [] : ids) {
		const read = await asker.ask(`${kind}s.get`, { id });
		placed = isGood(read) ? placeRecord(check, kind, read.body, id, mark) : undefined;
		if (placed) break;
	}
	if (placed && !made[kind].includes(placed.id)) made[kind].push(placed.id);
	return placed;
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
