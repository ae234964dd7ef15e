import type { Probe } from '../../../api/client';
import { toText } from '../../../api/json';
import { isObject } from '../../../dialect/paths';
import { serviceField } from '../../../dialect/translate';
import type { Seen } from './ask';
import type { Check } from './notes';
import { findEntries, flatten } from './places';

/** Whether a deletion has done its work, by its answer: a page or an error may come with a good status. */
function isGone({ status, body, bytes }: Seen): boolean {
	if ([204, 404, 410].includes(status)) return true;
	const isAnswered = status >= 200 && status < 300;
	return isAnswered && (!bytes.toString().trim() || (isObject(body) && !('error' in body)));
}

/** Deletes everything that was made, also what is only known by its marker. Gives what is left. */
export async function cleanUp({ asker, notes, draft, made }: Check): Promise<string[]> {
	const left: string[] = [];
	const { created } = asker;

	async function remove(kind: 'dossier' | 'document' | 'task', id: string): Promise<void> {
		const seen = await asker.tidyUp(`${kind}s.delete`, { id });
		if (!seen || !isGone(seen)) left.push(`${kind} ${id}`);
		else if (kind === 'dossier') {
			const isUsual = seen.status === 200 && /"deleted":\s*true/.test(seen.bytes.toString());
			notes.note('A-13', isUsual, `deleting answers ${seen.status}`);
		}
	}

	/** The identifiers of the records of a list that hold a text. */
	async function findIds(
		kind: 'dossier' | 'document' | 'task',
		call: Probe,
		text: string,
	): Promise<string[]> {
		const seen = await asker.tidyUp(`${kind}s.list`, call);
		const idName = serviceField(draft.dialect, kind, 'id') ?? 'id';
		return findEntries(seen?.body, text).flatMap((entry) => {
			const id = flatten(entry).find(([path]) => path === idName)?.[1];
			return toText(id) ?? [];
		});
	}

	for (const id of made.tasks) await remove('task', id);
	if (created['tasks.create'] > made.tasks.length) {
		const found = await findIds('task', {}, made.tag);
		for (const id of found) await remove('task', id);
		if (!found.length) left.push(`perhaps a task with ${made.tag} in its title`);
	}
	const [dossier] = made.dossiers;
	const tried = new Set<string>();
	let ids = made.documents.map(({ id }) => id);
	do {
		for (const id of ids) {
			tried.add(id);
			await remove('document', id);
		}
		// A list may show them a page at a time. One that shows no names leaves the rest to the dossier's deletion.
		const isSure = dossier === undefined || created['documents.upload'] <= made.documents.length;
		const listed = isSure ? [] : await findIds('document', { id: dossier }, made.tag);
		ids = listed.filter((id) => !tried.has(id));
	} while (ids.length);
	for (const id of made.dossiers) await remove('dossier', id);
	if (created['dossiers.create'] > made.dossiers.length) {
		// A service that cannot search may list it all the same.
		const searched = await findIds('dossier', { query: { q: made.tag } }, made.tag);
		const found = searched.length ? searched : await findIds('dossier', {}, made.tag);
		for (const id of found) await remove('dossier', id);
		if (!found.length) left.push(`perhaps a dossier with ${made.tag} in its title`);
	}
	return left;
}
