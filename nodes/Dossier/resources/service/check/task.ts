import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { readLocation } from '../../../api/send/answer';
import { getPath } from '../../../dialect/paths';
import { serviceField } from '../../../dialect/names';
import { isGood, isRefused } from './ask';
import type { Check } from './notes';
import { isNow, learnNames, learnWord } from './names';
import { describeRefusal } from './refusals';
import { findEntries, findRaw, flatten, placeRecord } from './places';

const kind = 'task';

/** Makes a task, and finds it in the answer or, if that does not show it, in the list. */
async function makeTask(check: Check, more: readonly string[]) {
	const { asker, draft, made, mark } = check;
	const fields: IDataObject = { title: mark(), dossier_id: made.dossiers[0] };
	for (const field of more) fields[field] = mark();
	const body = JSON.stringify(draft.translator.writeBody(kind, fields));
	const seen = await asker.ask('tasks.create', { body });
	if (!isGood(seen)) return { seen, fields };
	const title = fields.title as string;
	const shown = findRaw(check, kind, seen.body, { mark: title, field: 'title' });
	const raw = shown ?? findEntries((await asker.ask('tasks.list'))?.body, title)[0];
	const named = raw && toText(getPath(raw, serviceField(draft.dialect, kind, 'id') ?? 'id'));
	return {
		seen,
		fields,
		raw,
		id: named ?? (seen.status === 201 ? readLocation(seen.headers) : undefined),
	};
}

/** Makes a task, and learns its names. */
export async function writeTask(check: Check): Promise<void> {
	const { draft, made } = check;
	if (!made.dossiers.length) return;
	const whole = await makeTask(check, ['description']);
	const one = isRefused(whole.seen) ? await makeTask(check, []) : whole;
	const { seen, fields, raw } = one;
	if (isRefused(seen)) {
		const about = `a task was refused with ${describeRefusal(seen)}`;
		for (const field of ['title', 'dossier_id']) draft.ask([kind, 'fields', field], about);
	}
	if (!isGood(seen)) return;
	if (!raw) return draft.ask([kind, 'fields', 'title'], 'a new task does not show it');
	let { id } = one;
	if (id === undefined) {
		const other = (await makeTask(check, [])).raw;
		const ids = other ? findDifference(raw, other, made.tag) : [];
		[id] = ids;
		made.tasks.push(...ids);
	} else made.tasks.push(id);
	if (id === undefined) draft.ask([kind, 'fields', 'id'], 'no value of a new task is only its own');
	const written = { mark: fields.title as string, field: 'title' };
	const placed = id === undefined ? undefined : placeRecord(check, kind, raw, id, written);
	if (!placed) return;
	const proofs = new Map(
		Object.entries(fields).map(([field, own]) => [
			field,
			(value: unknown) => toText(value) === own,
		]),
	);
	learnNames(check, kind, placed.leaves, proofs);
	learnWord(check, kind, 'status', 'pending', placed.leaves);
	learnWord(check, kind, 'priority', 'normal', placed.leaves);
}

/**
 * The identifiers of two tasks that were made alike: the only values, beside times and what was written, in which they differ.
 * A request that tries a value as the identifier could change the task of another.
 */
function findDifference(one: IDataObject, other: IDataObject, tag: string): string[] {
	const theirs = new Map(flatten(other));
	const pairs = flatten(one).flatMap(([path, value]) => {
		const pair = [value, theirs.get(path)].flatMap((each) => toText(each) ?? []);
		const isSame = pair[0] === pair[1] || pair.length < 2;
		return isSame || isNow(value) || pair[0]?.startsWith(tag) ? [] : [pair];
	});
	return pairs.length === 1 ? (pairs[0] ?? []) : [];
}
