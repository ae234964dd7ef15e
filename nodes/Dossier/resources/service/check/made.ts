import type { IDataObject } from 'n8n-workflow';
import type { Probe } from '../../../api/client';
import { toText } from '../../../api/json';
import { readLocation } from '../../../api/send/answer';
import { serviceField } from '../../../dialect/names';
import { getPath, isObject } from '../../../dialect/paths';
import { openAttributes } from '../../../dialect/translate';
import { isGood, isRefused } from './ask';
import type { Ask, Asker, Seen } from './ask';
import type { Draft } from './draft';
import { cutOuter, endsWith, findLists, findShared, getParent, isTime, listPlaces } from './places';
import type { Place } from './places';

/** Something that the check has made, or may have made, and has to delete. */
interface Made {
	kind: 'dossier' | 'document';
	/** A text in it that nothing else holds. */
	mark: string;
	/** Where it is listed: the dossier of a document. */
	within?: string;
	/** Absent as long as no reading has shown it. */
	id?: string;
}

/** A check on its way. */
export interface Check {
	asker: Asker;
	draft: Draft;
	/** Begins every text that the check writes. */
	tag: string;
	/** A new text that no answer holds unless the check wrote it. */
	mark: () => string;
	made: Made[];
}

/** A record in an answer. */
export interface Placed {
	id: string;
	/** The record as the service has sent it. */
	raw: IDataObject;
	/** The values of the record, also those in the object that holds its fields. */
	places: Place[];
}

/** The values of a record, also those in the object that holds its fields. */
export const readPlaces = ({ draft }: Check, raw: IDataObject): Place[] =>
	listPlaces(openAttributes(draft.dialect, raw));

/** The field that the mark of a record is written into. */
const MARKED = { dossier: 'title', document: 'file_name' };

/** The path of the object with the fields of a record, by its mark; `undefined` if that is not there. */
function findBase({ draft }: Check, { kind, mark }: Made, body: unknown): string | undefined {
	const name = serviceField(draft.dialect, kind, MARKED[kind]) ?? MARKED[kind];
	const paths = listPlaces(body).flatMap(([path, value]) => (value === mark ? [path] : []));
	const named = paths.find((path) => endsWith(path, name));
	if (named !== undefined) return named.slice(0, -name.length).replace(/\.$/, '');
	return paths[0] && getParent(paths[0]);
}

const nameIdentifier = ({ draft }: Check, { kind }: Made) =>
	serviceField(draft.dialect, kind, 'id') ?? 'id';

/** How many values are tried as the identifier of a record. */
const MOST_TRIED = 8;

/** What may identify a record: the values that stand under the name of the dialect, then those near its fields. */
function listIdentifiers(
	check: Check,
	made: Made,
	{ body, headers }: Pick<Seen, 'body' | 'headers'>,
) {
	const base = findBase(check, made, body) ?? '';
	const near = ([path]: Place) => findShared(getParent(path), base).length;
	const values = listPlaces(body)
		.filter(([, value]) => !toText(value)?.startsWith(check.tag))
		.filter(([, value]) => typeof value === 'number' || !isTime(value))
		.sort((one, other) => near(other) - near(one));
	const named = values.filter(([path]) => endsWith(path, nameIdentifier(check, made)));
	const all = [...named, ['', readLocation(headers)] as const, ...values];
	return [...new Set(all.flatMap(([, value]) => toText(value) ?? []))].slice(0, MOST_TRIED);
}

/**
 * Places a record in an answer by its identifier and its mark. Learns which envelope answers have, and what the identifier is
 * called.
 *
 * @returns `undefined` if the answer does not hold both: the record of another may have the identifier
 */
function placeRecord(check: Check, made: Made, body: unknown, id: string): Placed | undefined {
	const { draft } = check;
	const name = nameIdentifier(check, made);
	const base = findBase(check, made, body);
	if (base === undefined) return undefined;
	const near = (path: string) =>
		findShared(getParent(path), base).length + (endsWith(path, name) ? 0.5 : 0);
	const paths = listPlaces(body).flatMap(([path, value]) => (toText(value) === id ? [path] : []));
	const nearest = Math.max(...paths.map(near));
	const [path, ...others] = paths.filter((one) => near(one) === nearest);
	if (path === undefined) return undefined;
	const envelope = findShared(getParent(path), base);
	const raw = envelope && isObject(body) ? getPath(body, envelope) : body;
	if (!isObject(raw)) return undefined;
	learnEnvelope(check, made.kind, envelope, cutOuter(base, envelope));
	const at = [made.kind, 'fields', 'id'];
	const names = [path, ...others].map((one) => cutOuter(one, envelope));
	if (names[0] !== name && others.length) draft.ask(at, 'all have its value', names);
	else if (names[0] !== name) draft.prove(at, names[0]);
	return { id, raw, places: readPlaces(check, raw) };
}

/** Learns where answers have a record. It is proven if documents have the same place as dossiers. */
function learnEnvelope(
	{ draft }: Check,
	kind: Made['kind'],
	envelope: string,
	attributes: string,
): void {
	const singular = draft.translator.singularName(kind);
	const isKind = endsWith(envelope, singular);
	const named = isKind ? envelope.slice(0, -singular.length) + '{kind}' : envelope;
	for (const [part, shown] of Object.entries({ envelope: named, attributes })) {
		const path = ['record', part];
		const value = shown || undefined;
		if (kind === 'dossier') draft.write(path, value);
		else if (draft.read(path) === value) draft.prove(path, value);
		else draft.write(path, undefined);
	}
}

/** Everything that may show a record: the answer to its creation, and the entries of the lists that hold its mark. */
async function* listAnswers(ask: Ask, { kind, mark, within: id }: Made, created?: Seen) {
	if (created) yield created;
	for (const query of kind === 'dossier' ? [{ q: mark }, {}] : [{}]) {
		const lists = findLists((await ask(`${kind}s.list`, { id, query }))?.body);
		for (const body of lists.flatMap(({ entries }) => entries))
			if (JSON.stringify(body).includes(mark)) yield { body, headers: {} };
	}
}

/** Finds a record and its identifier, for which only reading the record is a proof. */
async function find(check: Check, ask: Ask, made: Made, created?: Seen) {
	const tried = new Set<string>();
	for await (const answer of listAnswers(ask, made, created)) {
		for (const id of listIdentifiers(check, made, answer)) {
			const read = tried.has(id) ? undefined : await ask(`${made.kind}s.get`, { id });
			tried.add(id);
			const placed = isGood(read) ? placeRecord(check, made, read.body, id) : undefined;
			if (!placed) continue;
			made.id = id;
			return placed;
		}
	}
	return undefined;
}

/** Makes a record whose mark is in the call, and finds it. */
export async function make(
	check: Check,
	made: Made,
	call: Probe,
): Promise<{ seen?: Seen; placed?: Placed }> {
	const { ask } = check.asker;
	check.made.push(made);
	const seen = await ask(made.kind === 'dossier' ? 'dossiers.create' : 'documents.upload', call);
	if (!seen || isRefused(seen) || seen.status === 429) check.made.pop();
	const placed = isGood(seen) ? await find(check, ask, made, seen) : undefined;
	return { seen, placed };
}

/** Whether a deletion has found and deleted something, by its answer: a page or an error may come with a good status. */
function isDeleted(seen: Seen | undefined): boolean {
	if (seen?.status === 404 || seen?.status === 410) return true;
	if (!isGood(seen)) return false;
	return !seen.bytes.toString().trim() || (isObject(seen.body) && !('error' in seen.body));
}

/** Deletes everything that was made, also what is only known by its mark. Gives what is left. */
export async function cleanUp(check: Check): Promise<string[]> {
	const { tidyUp } = check.asker;
	const left: string[] = [];
	// A list may show a page at a time, so that the records that are known go first. A dossier goes last.
	const rank = ({ kind, id }: Made) => (kind === 'dossier' ? 2 : 0) + (id === undefined ? 1 : 0);
	for (const made of check.made.toSorted((one, other) => rank(one) - rank(other))) {
		const { kind, mark } = made;
		if (made.id === undefined) await find(check, tidyUp, made);
		const { id } = made;
		if (id === undefined) {
			// A document goes with its dossier.
			if (kind === 'dossier') left.push(`perhaps a dossier with ${mark} in its title`);
			continue;
		}
		const seen = await tidyUp(`${kind}s.delete`, { id });
		if (!isDeleted(seen)) left.push(`${kind} ${id}`);
		else if (kind === 'dossier' && isGood(seen)) {
			const says = /"deleted":\s*true/.test(seen.bytes.toString()) ? ' with "deleted": true' : '';
			check.draft.see('status of a deletion', `${seen.status}${says}`);
		}
	}
	return left;
}
