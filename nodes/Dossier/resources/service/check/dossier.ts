import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { isObject, setPath } from '../../../dialect/paths';
import { readRecord } from '../../../dialect/structure';
import { serviceField } from '../../../dialect/translate';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { learnNames, learnNaming, learnTimes, learnWord } from './names';
import { placeRecord, readMade } from './places';
import type { Leaf, Placed } from './places';
import { describeRefusal, learnDetails } from './refusals';

/** A value that was written, and that only the field which it was written to can have. */
interface Mark {
	value: IDataObject[string];
	isOwn: (value: unknown) => boolean;
}

const asMark = (value: string): Mark => ({ value, isOwn: (one) => one === value });

/** Values for the fields of a dossier that anybody may set. */
function markFields({ mark }: Check): Record<string, Mark> {
	const [tag, custom, due] = [mark(), mark(), Date.UTC(2031, 0, 2, 3, 4, 5)];
	const isDue = (value: unknown) =>
		[value, Number(value) * 1000].some((one) => new Date(toText(one) ?? NaN).getTime() === due) ||
		Number(value) === due ||
		Number(value) * 1000 === due;
	return {
		reference: asMark(mark()),
		description: asMark(mark()),
		type: asMark(mark()),
		'contact.name': asMark(mark()),
		'contact.email': asMark(`${mark()}@example.com`),
		'contact.phone': asMark('+49305550123'),
		due_at: { value: new Date(due).toISOString(), isOwn: isDue },
		tags: { value: [tag], isOwn: (one) => Array.isArray(one) && one.includes(tag) },
		custom_fields: {
			value: { check: custom },
			isOwn: (one) => isObject(one) && one.check === custom,
		},
	};
}

/** Asks for what a refused creation may have needed. */
function askForCreation({ draft, notes }: Check, seen: Seen): void {
	const refusal = describeRefusal(seen);
	notes.note('A-13', undefined, `making a dossier was refused: ${refusal}`);
	const { record = {}, naming } = draft.dialect;
	if (naming === undefined) draft.ask(['naming'], 'only if all names are written so');
	const { fields = {} } = draft.dialect.dossier ?? {};
	if (fields.title === undefined)
		draft.ask(['dossier', 'fields', 'title'], `the service refused: ${refusal}`);
	if (record.sendIn === undefined)
		draft.ask(['record', 'sendIn'], 'only if requests have the fields inside another object');
	if (record.typeIn === undefined)
		draft.ask(['record', 'typeIn'], 'only if requests state the kind of record');
}

const kind = 'dossier';

/** Makes a dossier with a marker in its title, and fills its other fields under the names that the dialect says. */
export async function writeDossier(check: Check): Promise<void> {
	const { asker, draft, made, notes } = check;
	const written = { mark: check.mark(), field: 'title' };
	const body = JSON.stringify(draft.translator.writeBody(kind, { title: written.mark }));
	const seen = await asker.ask('dossiers.create', { body });
	if (isRefused(seen)) {
		learnDetails(check, seen, serviceField(draft.dialect, kind, 'title') ?? 'title');
		return askForCreation(check, seen);
	}
	if (!isGood(seen)) return;
	const placed = await readMade(check, kind, seen, written);
	if (!placed) {
		draft.ask([kind, 'fields', 'id'], 'no value of the answer leads to the record');
		return notes.note('A-13', undefined, 'the answer has no identifier that leads to the record');
	}
	made.dossiers.push(placed.id);
	notes.note('A-13', seen.status === 201, `creating answers ${seen.status}`);
	const isPrefixed = placed.id.startsWith('dos_');
	notes.note('A-02', isPrefixed || undefined, 'an identifier that leads to its record');
	learnNaming(check, kind, placed.leaves);
	learnTimes(check, kind, placed);
	await fillDossier(check, placed);
}

/** Writes markers into the fields of the dossier, and learns what becomes of them. */
async function fillDossier(check: Check, placed: Placed): Promise<void> {
	const { draft, notes } = check;
	const { readOnly = [], fields: named = {} } = draft.dialect.dossier ?? {};
	const update = startUpdates(check, placed);
	const { marks, proofs, ignored, shown } = update;
	const all = Object.keys(marks).filter(
		(field) => serviceField(draft.dialect, kind, field) !== null && !readOnly.includes(field),
	);
	/** Whether the dialect names a field, or the record shows it. */
	const isListed = (field: string) =>
		field in named || (field.split('.')[0] ?? field) in named || findShown(draft, shown, field);
	const isWhole = await writeFields(draft, update, all, isListed);
	if (isWhole === undefined) return learnNames(check, kind, placed.leaves);
	learnNames(check, kind, [...shown], proofs);
	// A name that the dialect does not give may be that of another field, which the service sets.
	const set = [...ignored].filter((field) => !proofs.has(field) && field in named);
	if (set.length) draft.learn([kind, 'readOnly'], [...readOnly, ...set]);
	for (const field of all) {
		if (proofs.has(field) || set.includes(field) || !isListed(field)) continue;
		const about = 'shown, but not changed: if the service sets it itself, list it in readOnly';
		draft.ask([kind, 'fields', field], about);
	}
	learnWord(check, kind, 'status', 'open', placed.leaves);
	await learnStrictness(check, update, isWhole);
	if (!proofs.has('description')) return;
	if (!isGood(await update.write(['description'], { isWhole: false }))) return;
	if (!isGood(await update.write([], { isWhole: false }))) return;
	const isMerged = update.leaves.some(([, value]) => marks.description?.isOwn(value));
	notes.note('A-16', isMerged ? false : undefined, isMerged ? 'PUT merges' : 'PUT replaces');
}

/**
 * Writes into all fields or, if that is refused, into those that are listed, alone if need be.
 *
 * @returns whether requests may repeat what the service gave; `undefined` if it refuses every update
 */
async function writeFields(
	draft: Check['draft'],
	{ write }: Updates,
	all: string[],
	isListed: (field: string) => boolean,
): Promise<boolean | undefined> {
	if (!isRefused(await write(all, { isWhole: true }))) return true;
	const whole = await write([], { isWhole: true });
	const isWhole = !isRefused(whole);
	if (isRefused(whole) && isRefused(await write([], { isWhole }))) {
		if (draft.dialect.record?.idIn === undefined)
			draft.ask(['record', 'idIn'], 'only if a request that changes a record repeats its id');
		return undefined;
	}
	if (isRefused(whole)) {
		const about = 'what the service gives and does not take back: it refused that with';
		draft.ask([kind, 'readOnly'], `${about} ${describeRefusal(whole)}`);
	}
	const listed = all.filter(isListed);
	if (isRefused(await write(listed, { isWhole })))
		for (const field of listed) await write([field], { isWhole });
	return isWhole;
}

/** Whether a record shows a field under the name of the dialect, or an empty object in which it lies. */
function findShown({ dialect }: Check['draft'], shown: Map<string, unknown>, field: string) {
	const name = serviceField(dialect, kind, field);
	const outer = name?.split('.').slice(0, -1).join('.') ?? '';
	return name !== null && (shown.has(name) || shown.get(outer) === null);
}

type Updates = ReturnType<typeof startUpdates>;

/** Updates of the dossier, and what became of the values that were written. */
function startUpdates(check: Check, placed: Placed) {
	const { asker, draft } = check;
	const { id } = placed;
	const mark = check.mark();
	const marks = markFields(check);
	const proofs = new Map([['title', (one: unknown) => one === mark]]);
	const ignored = new Set<string>();
	const before = new Map(placed.leaves);
	const shown = new Map(placed.leaves);
	let current = placed;

	/** Notes which of the fields that were written came back. */
	function compare(fields: readonly string[], now: Placed): void {
		current = now;
		const own = fields.flatMap((field) => marks[field]?.isOwn ?? []);
		for (const [path, value] of now.leaves)
			if (value === mark || own.some((isOwn) => isOwn(value))) shown.set(path, value);
		for (const field of fields) {
			const name = serviceField(draft.dialect, kind, field);
			const leaf = now.leaves.find(([path]) => path === name);
			const isOwn = marks[field]?.isOwn;
			if (isOwn && now.leaves.some(([, value]) => isOwn(value))) proofs.set(field, isOwn);
			else if (leaf && JSON.stringify(leaf[1]) === JSON.stringify(before.get(leaf[0])))
				ignored.add(field);
		}
	}

	/** @param isWhole whether the request repeats what the service gave, as updates of dossiers do */
	async function write(
		fields: readonly string[],
		{ isWhole, more }: { isWhole: boolean; more?: IDataObject },
	): Promise<Seen | undefined> {
		const { translator } = draft;
		const given = readRecord(translator, kind, current.raw);
		const changed: IDataObject = {
			...(isWhole && translator.pickWritable(kind, given)),
			title: mark,
		};
		for (const field of fields) setPath(changed, field, marks[field]?.value);
		const body = JSON.stringify(translator.writeBody(kind, { ...changed, ...more }, id));
		const seen = await asker.ask('dossiers.update', { id, body });
		if (!isGood(seen)) return seen;
		const isAnswered = JSON.stringify(seen.body ?? '').includes(mark);
		const read = isAnswered ? seen : await asker.ask('dossiers.get', { id });
		const now = placeRecord(check, kind, read?.body, id, { mark, field: 'title' });
		if (now?.leaves.some(([, value]) => value === mark)) compare(fields, now);
		return seen;
	}

	return {
		marks,
		/** The fields whose values came back, with what tells them. */
		proofs,
		/** The fields that were taken, and kept their old values. */
		ignored,
		/** Every place of the record, with a value that was written if it ever had one. */
		shown,
		write,
		get leaves(): Leaf[] {
			return current.leaves;
		},
	};
}

/** Whether unknown fields are refused, and where a refusal has its details. */
async function learnStrictness(check: Check, { write }: Updates, isWhole: boolean) {
	const { draft } = check;
	const odd = await write([], { isWhole, more: { check_contract: 'check' } });
	if (isGood(odd) || isRefused(odd)) draft.learn(['strict', 'bodies'], isRefused(odd));
	if (isRefused(odd)) return learnDetails(check, odd, 'check_contract');
	const wrong = await write([], { isWhole, more: { title: { check: 'check' } } });
	const title = serviceField(draft.dialect, kind, 'title') ?? 'title';
	if (isRefused(wrong)) learnDetails(check, wrong, title);
}
