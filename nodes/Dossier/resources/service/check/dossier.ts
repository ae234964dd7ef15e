import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { isObject, setPath } from '../../../dialect/paths';
import { readRecord } from '../../../dialect/structure';
import { serviceField } from '../../../dialect/names';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { learnNames, learnNaming, learnTimes, learnWord } from './names';
import { readMade } from './places';
import type { Placed } from './places';
import { describeRefusal, learnDetails } from './refusals';

const kind = 'dossier';

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
		[Number(value), Number(value) * 1000, Date.parse(toText(value) ?? '')].includes(due);
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
	draft.ask([kind, 'fields', 'title'], `the service refused ${refusal}`);
	if (record.sendIn === undefined)
		draft.ask(['record', 'sendIn'], 'only if requests have the fields inside another object');
	if (record.typeIn === undefined)
		draft.ask(['record', 'typeIn'], 'only if requests state the kind of record');
}

/**
 * Makes a dossier with a marker in every field or, if that is refused, in those that the dialect names, or in the title alone.
 * Its names are those under which the markers come back.
 */
export async function writeDossier(check: Check): Promise<void> {
	const { asker, draft, made, notes } = check;
	const { readOnly = [], fields: named = {} } = draft.dialect.dossier ?? {};
	const marks = markFields(check);
	const isNamed = (field: string) => field in named || (field.split('.')[0] ?? '') in named;
	const all = Object.keys(marks).filter(
		(field) => serviceField(draft.dialect, kind, field) !== null && !readOnly.includes(field),
	);
	const mark = check.mark();
	let seen: Seen | undefined;
	let sent: string[] = [];
	for (sent of [all, all.filter(isNamed), []]) {
		const fields: IDataObject = { title: mark };
		for (const field of sent) setPath(fields, field, marks[field]?.value);
		const body = JSON.stringify(draft.translator.writeBody(kind, fields));
		seen = await asker.ask('dossiers.create', { body });
		if (!isRefused(seen)) break;
	}
	if (isRefused(seen)) {
		learnDetails(check, seen, serviceField(draft.dialect, kind, 'title') ?? 'title');
		return askForCreation(check, seen);
	}
	if (!isGood(seen)) return;
	const placed = await readMade(check, kind, seen, { mark, field: 'title' });
	if (!placed) {
		draft.ask([kind, 'fields', 'id'], 'no value of the answer leads to the record');
		return notes.note('A-13', undefined, 'the answer has no identifier that leads to the record');
	}
	const { id, leaves } = placed;
	made.dossiers.push(id);
	notes.note('A-13', seen.status === 201, `creating answers ${seen.status}`);
	notes.note('A-02', id.startsWith('dos_') || undefined, 'an identifier that leads to its record');
	learnNaming(check, kind, leaves);
	learnTimes(check, kind, placed);
	const proofs = new Map([['title', (one: unknown) => one === mark]]);
	for (const field of sent) {
		const isOwn = marks[field]?.isOwn;
		if (isOwn && leaves.some(([, value]) => isOwn(value))) proofs.set(field, isOwn);
	}
	learnNames(check, kind, leaves, proofs);
	learnIgnored(
		check,
		placed,
		sent.filter((field) => !proofs.has(field)),
	);
	learnWord(check, kind, 'status', 'open', leaves);
	await learnUpdates(check, placed);
}

/** What the service takes and does not keep: a name that the dialect does not give may be that of another field. */
function learnIgnored({ draft }: Check, { leaves }: Placed, fields: string[]): void {
	const { readOnly = [], fields: named = {} } = draft.dialect.dossier ?? {};
	const shown = fields.filter((field) => {
		const name = serviceField(draft.dialect, kind, field);
		return leaves.some(([path]) => path === name);
	});
	const set = shown.filter((field) => field in named);
	if (set.length) draft.learn([kind, 'readOnly'], [...readOnly, ...set]);
	for (const field of shown.filter((one) => !set.includes(one))) {
		const about = 'shown, but not changed: if the service sets it itself, list it in readOnly';
		draft.ask([kind, 'fields', field], about);
	}
}

/** Whether an update may repeat what the service gave, whether unknown fields are refused, and how a refusal is explained. */
async function learnUpdates(check: Check, { id, raw }: Placed): Promise<void> {
	const { asker, draft } = check;
	const { translator } = draft;
	const given = translator.pickWritable(kind, readRecord(translator, kind, raw));
	const title = check.mark();
	const write = async (fields: IDataObject) => {
		const body = JSON.stringify(translator.writeBody(kind, { title, ...fields }, id));
		return await asker.ask('dossiers.update', { id, body });
	};
	const whole = await write({ ...given, title });
	const base = isRefused(whole) ? {} : { ...given, title };
	if (isRefused(whole)) {
		if (isRefused(await write({}))) {
			if (draft.dialect.record?.idIn === undefined)
				draft.ask(['record', 'idIn'], 'only if a request that changes a record repeats its id');
			return;
		}
		const about = 'what the service gives and does not take back: it refused that with';
		draft.ask([kind, 'readOnly'], `${about} ${describeRefusal(whole)}`);
	}
	const odd = await write({ ...base, check_contract: 'check' });
	if (isGood(odd) || isRefused(odd)) draft.learn(['strict', 'bodies'], isRefused(odd));
	if (isRefused(odd)) return learnDetails(check, odd, 'check_contract');
	const wrong = await write({ ...base, title: { check: 'check' } });
	const name = serviceField(draft.dialect, kind, 'title') ?? 'title';
	if (isRefused(wrong)) learnDetails(check, wrong, name);
}
