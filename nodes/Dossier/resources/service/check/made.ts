import type { IDataObject } from 'n8n-workflow';
import type { Probe } from '../../../api/client';
import { toText } from '../../../api/json';
import { readLocation } from '../../../api/send/answer';
import { nameField } from '../../../dialect/names';
import { isObject } from '../../../dialect/paths';
import { GONE } from '../../../problems/problem';
import type { Seen } from './ask';
import type { Check, Made } from './draft';
import { endsWith, findLists, findText, isTime, listHolders, listPlaces } from './places';

/** A record in an answer, as the service has sent it. */
export interface Placed {
	id: string;
	raw: IDataObject;
}

/** The path of the object with the fields of a record, by its mark; `undefined` if that is not there. */
function findBase({ draft }: Check, { kind, mark }: Made, body: unknown): string | undefined {
	const field = kind === 'dossier' ? 'title' : 'file_name';
	const name = nameField(draft.dialect, kind, field);
	const paths = findText(body, mark);
	const named = paths.find((path) => endsWith(path, name));
	if (named !== undefined) return named.slice(0, -name.length).replace(/\.$/, '');
	return paths[0]?.split('.').slice(0, -1).join('.');
}

/** How many values are tried as the identifier of a record. */
const MOST_TRIED = 8;

/** What may identify a record: the values that stand under the name of the dialect, then those near its fields. */
function listIdentifiers(check: Check, made: Made, body: unknown, headers: IDataObject): string[] {
	const name = nameField(check.draft.dialect, made.kind, 'id');
	const holders = listHolders(body, findBase(check, made, body) ?? '');
	const values = holders
		.flatMap(([, holder]) => listPlaces(holder))
		.filter(([, value]) => !toText(value)?.startsWith(check.tag))
		.filter(([, value]) => typeof value === 'number' || !isTime(value));
	const named = values.filter(([path]) => endsWith(path, name));
	const all = [...named, ['', readLocation(headers)] as const, ...values];
	return [...new Set(all.flatMap(([, value]) => toText(value) ?? []))].slice(0, MOST_TRIED);
}

/**
 * Places a record in an answer: the innermost object with its mark and its identifier. Learns which envelope answers have, and
 * what the identifier is called.
 *
 * @returns `undefined` if the answer does not hold both: the record of another may have the identifier
 */
function placeRecord(check: Check, made: Made, body: unknown, id: string): Placed | undefined {
	const { draft } = check;
	const { kind } = made;
	const base = findBase(check, made, body);
	if (base === undefined) return undefined;
	const holder = listHolders(body, base).find(([, value]) => findText(value, id).length > 0);
	const [envelope = '', raw] = holder ?? [];
	if (!isObject(raw)) return undefined;
	learnEnvelope(check, kind, envelope, base.slice(envelope.length).replace(/^\./, ''));
	const names = findText(raw, id);
	if (!names.includes(nameField(draft.dialect, kind, 'id'))) {
		const path = [kind, 'fields', 'id'];
		if (names.length > 1) draft.ask(path, 'all have its value', names);
		else draft.prove(path, names[0]);
	}
	return { id, raw };
}

/** Learns where answers have a record. It is proven if documents have the same place as dossiers. */
function learnEnvelope({ draft }: Check, kind: Made['kind'], envelope: string, attributes: string) {
	const singular = draft.translator.singularName(kind);
	const isNamed = endsWith(envelope, singular);
	const shown = isNamed ? `${envelope.slice(0, -singular.length)}{kind}` : envelope;
	for (const [part, value] of Object.entries({ envelope: shown, attributes })) {
		const path = ['record', part];
		const isSame = draft.read(path) === (value || undefined);
		if (kind === 'document' && isSame) draft.prove(path, value || undefined);
		else draft.write(path, kind === 'dossier' && value ? value : undefined);
	}
}

/** Everything that may show a record: the answer to its creation, and the entries of the lists that hold its mark. */
async function* listAnswers({ asker }: Check, { kind, mark, within: id }: Made, created?: Seen) {
	if (created) yield created;
	for (const query of kind === 'dossier' ? [{ q: mark }, {}] : [{}]) {
		const lists = findLists((await asker.ask(`${kind}s.list`, { id, query }))?.body);
		for (const body of lists.flatMap(({ entries }) => entries))
			if (JSON.stringify(body).includes(mark)) yield { body, headers: {} };
	}
}

/** Reads a record that was made. */
export async function readPlaced(check: Check, made: Made, id: string) {
	const read = await check.asker.ask(`${made.kind}s.get`, { id });
	return read?.isGood ? placeRecord(check, made, read.body, id) : undefined;
}

/** Finds a record and its identifier, for which only reading the record is a proof. */
async function find(check: Check, made: Made, created?: Seen): Promise<Placed | undefined> {
	const tried = new Set<string>();
	for await (const { body, headers } of listAnswers(check, made, created)) {
		for (const id of listIdentifiers(check, made, body, headers)) {
			if (tried.has(id)) continue;
			tried.add(id);
			const placed = await readPlaced(check, made, id);
			if (!placed) continue;
			made.id = id;
			return placed;
		}
	}
	return undefined;
}

/** Makes a record whose mark is in the call, and finds it. */
export async function make(check: Check, made: Made, call: Probe) {
	check.made.push(made);
	const name = made.kind === 'dossier' ? 'dossiers.create' : 'documents.upload';
	const seen = await check.asker.ask(name, call);
	if (!seen || seen.isRefused || seen.status === 429) check.made.pop();
	return { seen, placed: seen?.isGood ? await find(check, made, seen) : undefined };
}

/** Whether a deletion has found and deleted something, by its answer: a page or an error may come with a good status. */
function isDeleted({ status, isGood, bytes, body }: Seen): boolean {
	if (GONE.includes(status)) return true;
	return isGood && (!bytes.toString().trim() || (isObject(body) && !('error' in body)));
}

/** Deletes everything that was made, also what is only known by its mark. Gives what is left. */
export async function cleanUp(check: Check): Promise<string[]> {
	const { asker, draft, made } = check;
	asker.beginTidyingUp();
	const left: string[] = [];
	// A list may show a page at a time, so that the records that are known go first. A dossier goes last.
	const rank = ({ kind, id }: Made) => (kind === 'dossier' ? 2 : 0) + (id === undefined ? 1 : 0);
	for (const one of made.toSorted((a, b) => rank(a) - rank(b))) {
		const { kind, mark } = one;
		const id = one.id ?? (await find(check, one))?.id;
		if (id === undefined) {
			// A document goes with its dossier.
			if (kind === 'dossier') left.push(`perhaps a dossier with ${mark} in its title`);
			continue;
		}
		const seen = await asker.ask(`${kind}s.delete`, { id });
		if (!seen || !isDeleted(seen)) left.push(`${kind} ${id}`);
		else if (kind === 'dossier' && seen.isGood) {
			const says = /"deleted":\s*true/.test(seen.bytes.toString()) ? ' with "deleted": true' : '';
			draft.see('status of a deletion', `${seen.status}${says}`);
		}
	}
	return left;
}
