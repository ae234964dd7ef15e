import type { Probe } from '../../../api/client';
import { isObject } from '../../../dialect/paths';
import { isGood } from './ask';
import type { Seen } from './ask';
import { findEntries, listIdentifiers } from './places';
import type { Check } from './places';

/** Whether a deletion has found and deleted something, by its answer: a page or an error may come with a good status. */
function isDeleted(seen: Seen | undefined): boolean {
	if (!isGood(seen)) return false;
	return !seen.bytes.toString().trim() || (isObject(seen.body) && !('error' in seen.body));
}

/** Deletes everything that was made, also what is only known by its marker. Gives what is left. */
export async function cleanUp(check: Check): Promise<string[]> {
	const { asker, draft, made, tag } = check;
	const left: string[] = [];
	const tried = new Set<string>();

	/** Deletes a record that was read: if it is not there any more, it is gone. */
	async function remove(kind: 'dossier' | 'document', id: string): Promise<void> {
		tried.add(id);
		const seen = await asker.tidyUp(`${kind}s.delete`, { id });
		const isGone = isDeleted(seen) || [404, 410].includes(seen?.status ?? 0);
		if (!isGone) left.push(`${kind} ${id}`);
		if (!isGone || kind !== 'dossier') return;
		const isUsual = seen?.status === 200 && /"deleted":\s*true/.test(seen.bytes.toString());
		draft.note('A-13', isUsual, `deleting answers ${seen?.status}`);
	}

	/** Deletes the records of a list that show the marker also if they are read. Gives how many there were. */
	async function removeListed(kind: 'dossier' | 'document', call: Probe): Promise<number> {
		let count = 0;
		const listed = await asker.tidyUp(`${kind}s.list`, call);
		for (const body of findEntries(listed?.body, tag)) {
			const ids = listIdentifiers(check, kind, { body, headers: {} });
			for (const id of ids.filter((one) => !tried.has(one))) {
				const read = await asker.tidyUp(`${kind}s.get`, { id });
				if (!isGood(read) || !read.bytes.includes(tag)) continue;
				await remove(kind, id);
				count++;
				break;
			}
		}
		return count;
	}

	const areTasksListed = async () =>
		findEntries((await asker.tidyUp('tasks.list', {}))?.body, tag).length > 0;

	let tasks = asker.count('tasks.create');
	for (const id of made.task) if (isDeleted(await asker.tidyUp('tasks.delete', { id }))) tasks--;
	const wereListed = tasks > 0 && (await areTasksListed());
	for (const id of made.document) await remove('document', id);
	const [id] = made.dossier;
	// A list may show them a page at a time. One that shows no names leaves the rest to the dossier's deletion.
	if (id !== undefined && asker.count('documents.upload') > made.document.length)
		while (await removeListed('document', { id }));
	if (id !== undefined) await remove('dossier', id);
	else if (asker.count('dossiers.create')) {
		// A service that cannot search may list it all the same.
		const isFound =
			(await removeListed('dossier', { query: { q: tag } })) || (await removeListed('dossier', {}));
		if (!isFound) left.push(`perhaps a dossier with ${tag} in its title`);
	}
	if (tasks > 0) {
		// The deletion of the dossier may have taken them along.
		if (await areTasksListed()) left.push(`a task with ${tag} in its title`);
		else if (!wereListed) left.push(`perhaps a task with ${tag} in its title`);
	}
	return left;
}
