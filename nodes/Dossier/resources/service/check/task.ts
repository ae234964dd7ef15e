import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { isObject } from '../../../dialect/paths';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { isNow, learnNames, learnWord } from './names';
import { describeRefusal } from './refusals';
import { findEntries, findNamedIds, flatten, placeRecord, readLocation } from './places';

const kind = 'task';

/** Makes a task, and learns its names. */
export async function writeTask(check: Check): Promise<void> {
	const { asker, draft, made } = check;
	const [dossier] = made.dossiers;
	if (dossier === undefined) return;
	let hasDescription = true;
	const make = async () => {
		const [title, description] = [check.mark(), check.mark()];
		const task = { title, dossier_id: dossier, ...(hasDescription && { description }) };
		const body = JSON.stringify(draft.translator.writeBody(kind, task));
		return { title, description, seen: await asker.ask('tasks.create', { body }) };
	};
	let one = await make();
	if (isRefused(one.seen)) {
		hasDescription = false;
		one = await make();
	}
	const { title, description, seen } = one;
	if (isRefused(seen)) {
		const about = `a task was refused with ${describeRefusal(seen)}`;
		for (const field of ['title', 'dossier_id']) draft.ask([kind, 'fields', field], about);
	}
	if (!isGood(seen)) return;
	const written = { mark: title, field: 'title' };
	const task = await findTask(check, seen, title);
	let id = task && findNamedIds(check, kind, task, written)[0];
	id ??= seen.status === 201 ? readLocation(seen.headers) : undefined;
	if (id === undefined && task) {
		const again = await make();
		const other = isGood(again.seen) ? await findTask(check, again.seen, again.title) : undefined;
		const ids = other ? findDifference(task, other, made.tag) : [];
		[id] = ids;
		made.tasks.push(...ids);
	} else if (id !== undefined) made.tasks.push(id);
	const placed = task && id !== undefined ? placeRecord(check, kind, task, id, written) : undefined;
	if (id === undefined) draft.ask([kind, 'fields', 'id'], 'no value of a new task is only its own');
	if (!placed) return draft.ask([kind, 'fields', 'title'], 'a new task does not show it');
	const proofs = new Map([
		['title', (value: unknown) => value === title],
		['description', (value: unknown) => value === description],
		['dossier_id', (value: unknown) => toText(value) === dossier],
	]);
	learnNames(check, kind, placed.leaves, proofs);
	learnWord(check, kind, 'status', 'pending', placed.leaves);
	learnWord(check, kind, 'priority', 'normal', placed.leaves);
}

/** The task with a title: in the answer to its creation or, if that does not show it, in the list. */
async function findTask(
	{ asker }: Check,
	{ body }: Seen,
	title: string,
): Promise<IDataObject | undefined> {
	if (isObject(body) && JSON.stringify(body).includes(title)) return body;
	const listed = await asker.ask('tasks.list');
	return findEntries(listed?.body, title)[0];
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
