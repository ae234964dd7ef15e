import type { Api, Probe, Probed } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson } from '../../../api/values';
import { isObject } from '../../../dialect/paths';
import type { Check } from './notes';
import { locateList } from './records';
import type { Made } from './made';

const GONE = [204, 404, 410];

/** Whether a deletion has done its work, by its answer: a page or an error may come with a good status. */
function isGone({ statusCode: status, body }: Probed): boolean {
	if (GONE.includes(status)) return true;
	const text = body.toString('utf8');
	const parsed = parseJson(text);
	return status < 300 && (!text.trim() || (isObject(parsed) && !('error' in parsed)));
}

/** Deletes everything that was made, also what is only known by its markers. Gives what is left. */
export async function cleanUp(api: Api, { asker, notes }: Check, made: Made): Promise<string[]> {
	if (!made.hasBegun) return [];
	const { tag } = made.markers;
	const left: string[] = [];
	const probe = async (name: EndpointName, call: Probe) => {
		made.deletions++;
		return await api.probe(name, call).catch(() => undefined);
	};

	/** The records of a list; `undefined` if it cannot be had, or if not all of them can be read. */
	async function list(kind: 'dossier' | 'document', call: Probe) {
		const seen = await probe(`${kind}s.list`, call);
		const body = parseJson(seen?.body.toString('utf8') ?? '');
		if (!seen || seen.statusCode >= 300 || !body) return undefined;
		const { records, isWhole } = locateList(kind, body);
		return isWhole ? records : undefined;
	}

	/** Finds the dossiers whose making was not answered, or not so that it could be read. */
	async function findDossiers(): Promise<void> {
		while (made.dossiers.length + Number(made.mayBeBlank) < asker.created['dossiers.create']) {
			const listed = (await list('dossier', { query: { q: tag } })) ?? (await list('dossier', {}));
			const own = listed?.filter(({ leaves }) => JSON.stringify(leaves).includes(tag)) ?? [];
			const found = own.map(({ id }) => id).filter((id) => !made.dossiers.includes(id));
			made.dossiers.push(...found);
			if (listed?.length === 0) return;
			if (found.length) await removeAll('dossier', found);
			else {
				left.push(`perhaps a dossier with ${tag} in its title`);
				return;
			}
		}
	}

	async function removeAll(
		kind: 'dossier' | 'document' | 'task',
		ids: Iterable<string>,
	): Promise<void> {
		for (const id of ids) {
			const seen = await probe(`${kind}s.delete`, { id });
			if (!seen || !isGone(seen)) left.push(`${kind} ${id}`);
			else if (kind === 'dossier') {
				const isUsual = seen.statusCode === 200 && /"deleted":\s*true/.test(seen.body.toString());
				notes.note('A-13', isUsual, `deleting answers ${seen.statusCode}`);
			}
		}
	}

	/** Removes the documents of the dossier, also those whose upload was not answered, or not so that it could be read. */
	async function removeDocuments(dossier: string): Promise<void> {
		const tried = new Set<string>();
		let ids = made.documents.map(({ id }) => id);
		for (;;) {
			const listed = (await list('document', { id: dossier })) ?? [];
			const isComplete = listed.every(({ id }) => ids.includes(id));
			ids = [...new Set([...ids, ...listed.map(({ id }) => id)])].filter((id) => !tried.has(id));
			await removeAll('document', ids);
			for (const id of ids) tried.add(id);
			if (isComplete) return;
		}
	}

	if (made.mayBeBlank) left.push('perhaps a dossier with nothing in it');
	await removeAll('task', made.tasks);
	const [dossier] = made.dossiers;
	if (dossier !== undefined) await removeDocuments(dossier);
	await removeAll('dossier', made.dossiers);
	await findDossiers();
	return left;
}
