import type { IDataObject } from 'n8n-workflow';
import { isRecord, toText } from '../../api/values';
import type { ItemRun } from '../../execution/operation';
import type { Parameters } from '../../execution/parameters';
import { dossierBody, tagBody } from './form';

/** What the form changes in a dossier. */
export interface DossierChanges {
	fields: IDataObject;
	addTags: string[];
	removeTags: string[];
}

/** Reads the fields and the tags that the form adds, removes or replaces. */
export function readChanges(parameters: Parameters): DossierChanges {
	const { addTags = [], removeTags = [] } = parameters.body(tagBody, 'fields');
	const fields = parameters.body(dossierBody, 'fields');
	return { fields, addTags: addTags as string[], removeTags: removeTags as string[] };
}

/** Merges changes into a record; objects that both have are merged too, so that no field is lost. */
function merge(record: IDataObject, changes: IDataObject): IDataObject {
	const merged = { ...record };
	for (const [name, value] of Object.entries(changes)) {
		const before = record[name];
		merged[name] = isRecord(value) && isRecord(before) ? merge(before, value) : value;
	}
	return merged;
}

/** The fields of a dossier after the changes. */
export function applyChanges(dossier: IDataObject, changes: DossierChanges): IDataObject {
	const { fields, addTags, removeTags } = changes;
	const changed = merge(dossier, fields);
	if (!addTags.length && !removeTags.length) return changed;
	const tags = Array.isArray(changed.tags) ? changed.tags.map(String) : [];
	const kept = [...new Set([...tags, ...addTags])].filter((tag) => !removeTags.includes(tag));
	return { ...changed, tags: kept };
}

/** How long a dossier that this run has just written may be changed again without being read, in ms. */
const FRESH = 10_000;

interface Written {
	dossier: IDataObject;
	/** In ms since 1970. */
	at: number;
}

/**
 * Changes some fields of a dossier: reads it, and writes all its fields back, because PUT may replace the record.
 * Changes of one dossier in one run happen one after the other, so that none undoes another. Nothing is sent if nothing
 * changes, or if the service gives anything but a dossier.
 */
export async function changeDossier(
	{ api, inTurn, once }: Pick<ItemRun, 'api' | 'inTurn' | 'once'>,
	id: string,
	changes: DossierChanges,
): Promise<IDataObject> {
	const written = once('written dossiers', () => new Map<string, Written>());
	return await inTurn(`dossier ${id}`, async () => {
		const last = written.get(id);
		const isFresh = last !== undefined && Date.now() - last.at < FRESH;
		const dossier = isFresh ? last.dossier : await api.call('dossiers.get', { id });
		const writable = api.translator.pickWritable('dossier', dossier);
		const body = applyChanges(writable, changes);
		if (JSON.stringify(body) === JSON.stringify(writable)) return dossier;
		written.delete(id);
		const answer = await api.call('dossiers.update', { id: toText(dossier.id), body });
		const isWhole = Object.keys(dossier).every((name) => name in answer);
		if (isWhole) written.set(id, { dossier: answer, at: Date.now() });
		return toText(answer.id) === undefined ? { ...dossier, ...body } : answer;
	});
}
