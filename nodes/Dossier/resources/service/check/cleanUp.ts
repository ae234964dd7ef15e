import type { Probe } from '../../../api/client';
import { toText } from '../../../api/json';
import { getPath, isObject } from '../../../dialect/paths';
import { serviceField } from '../../../dialect/names';
import type { Seen } from './ask';
import type { Check } from './notes';
import { findEntries, listIdentifiers } from './places';

type Kind = 'dossier' | 'document' | 'task';

/** Whether a deletion has found and deleted something, by its answer: a page or an error may come with a good status. */
function isDeleted(seen: Seen | undefined): boolean {
	const { status = 0, body, bytes } = seen ?? {};
	if (status < 200 || status >= 300) return false;
	const isEmpty = status === 204 || !bytes?.toString().trim();
	return isEmpty || (isObject(body) && !('error' in body));
}

/** Deletes everything that was made, also what is only known by its marker. Gives what is left. */
export async function cleanUp(check: Check): Promise<string[]> {
	const { asker, notes, draft, made } = check;
	const { created } = asker;
	const left: string[] = [];
	const tried = new Set<string>();

	const remove = async (kind: Kind, id: string) => {
		tried.add(id);
		return await asker.tidyUp(`${kind}s.delete`, { id });
	};

	/** Deletes a record that was read: if it is not there any more, it is gone. */
	async function removeRead(kind: 'dossier' | 'document', id: string): Promise<void> {
		const seen = await remove(kind, id);
		const isGone = isDeleted(seen) || [404, 410].includes(seen?.status ?? 0);
		if (!isGone) left.push(`${kind} ${id}`);
		else if (kind === 'dossier') {
			const isUsual = seen?.status === 200 && /"deleted":\s*true/.test(seen.bytes.toString());
			notes.note('A-13', isUsual, `deleting answers ${seen?.status}`);
		}
	}

	/** The records of a list that hold the marker of the check. */
	const find = async (kind: Kind, call: Probe = {}) =>
		findEntries((await asker.tidyUp(`${kind}s.list`, call))?.body, made.tag);

	/** Deletes the records of a list that hold the marker also if they are read. Gives how many there were. */
	async function removeListed(kind: 'dossier' | 'document', call: Probe): Promise<number> {
		let count = 0;
		for (const body of await find(kind, call)) {
			const written = { mark: made.tag, field: 'id' };
			const ids = listIdentifiers(check, kind, { body, headers: {} }, written);
			for (const id of ids.filter((one) => !tried.has(one))) {
				const read = await asker.tidyUp(`${kind}s.get`, { id });
				if (!JSON.stringify(read?.body ?? '').includes(made.tag)) continue;
				await removeRead(kind, id);
				count++;
				break;
			}
		}
		return count;
	}

	/** How many tasks may still be there. What deletes one proves its identifier, and nothing else does. */
	let tasks = created['tasks.create'];
	for (const id of made.tasks) if (isDeleted(await remove('task', id))) tasks--;
	const listed = tasks > 0 ? await find('task') : [];
	const isSeen = listed.length >= tasks;
	for (const entry of listed) {
		const id = toText(getPath(entry, serviceField(draft.dialect, 'task', 'id') ?? 'id'));
		if (id !== undefined && !tried.has(id) && isDeleted(await remove('task', id))) tasks--;
	}
	for (const { id } of made.documents) await removeRead('document', id);
	const [dossier] = made.dossiers;
	// A list may show them a page at a time. One that shows no names leaves the rest to the dossier's deletion.
	const isUnsure = dossier !== undefined && created['documents.upload'] > made.documents.length;
	while (isUnsure && (await removeListed('document', { id: dossier })));
	for (const id of made.dossiers) await removeRead('dossier', id);
	if (created['dossiers.create'] > made.dossiers.length) {
		// A service that cannot search may list it all the same.
		const isFound =
			(await removeListed('dossier', { query: { q: made.tag } })) ||
			(await removeListed('dossier', {}));
		if (!isFound) left.push(`perhaps a dossier with ${made.tag} in its title`);
	}
	if (tasks > 0) {
		// The deletion of the dossier may have taken them along.
		const there = await find('task');
		if (there.length) left.push(`a task with ${made.tag} in its title`);
		else if (!isSeen) left.push(`perhaps a task with ${made.tag} in its title`);
	}
	return left;
}
