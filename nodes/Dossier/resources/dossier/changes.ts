import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import { toText } from '../../api/json';
import { Memory, takeTurn } from '../../api/memory';
import { mergeDeep } from '../../dialect/paths';
import { toPlain } from '../../dialect/structure';
import { findIgnored } from '../written';
import type { ItemRun } from '../../execution/operation';
import type { Parameters } from '../../execution/parameters';
import { dossierBody, tagBody } from './form';

/** What the form changes in a dossier. */
export interface DossierChanges {
	fields: IDataObject;
	addTags: string[];
	removeTags: string[];
}

/** Reads the fields to change, and the tags to add and remove. */
export function readChanges(parameters: Parameters): DossierChanges {
	const { addTags = [], removeTags = [] } = parameters.body(tagBody, 'fields');
	const fields = parameters.body(dossierBody, 'fields');
	return { fields, addTags: addTags as string[], removeTags: removeTags as string[] };
}

/** Applies changes to a dossier. Nested objects are merged, so that they lose no field. */
export function applyChanges(dossier: IDataObject, changes: DossierChanges): IDataObject {
	const { fields, addTags, removeTags } = changes;
	const changed = mergeDeep(dossier, fields);
	if (!addTags.length && !removeTags.length) return changed;
	// Some services give a list of one as its only entry.
	const tags = [changed.tags ?? []].flat().map(String).filter(Boolean);
	const kept = [...new Set([...tags, ...addTags])].filter((tag) => !removeTags.includes(tag));
	return { ...changed, tags: kept };
}

/** How long after this run wrote a dossier it may change it again without reading it, in ms. */
const FRESH = 10_000;

/** How long a service may show the old values after a change, in ms. */
const SETTLING = 1_000;

/** Which run wrote a dossier last, by service and id. */
const lastWriters = new Memory<symbol>(10_000);

interface WrittenDossier {
	dossier: IDataObject;
	/** In ms since 1970. */
	at: number;
}

/**
 * Changes some fields of a dossier. It reads the dossier and writes all its fields back, because PUT may replace the
 * record. The changes of one dossier are made one after the other, so that none undoes another. It sends
 * nothing if nothing changes. A service that ignores a field which it does not know shows the old value afterwards.
 *
 * @throws Problem, also if the service accepts a change and does not make it
 */
export async function changeDossier(
	{ api, once }: Pick<ItemRun, 'api' | 'once'>,
	id: string,
	changes: DossierChanges,
): Promise<IDataObject> {
	api.translator.refuseUnsent('dossier', applyChanges({}, changes));
	const written = once('written dossiers', () => new Map<string, WrittenDossier>());
	const writer = once('writer of dossiers', () => Symbol('run'));
	const thing = `dossier ${id}`;
	return await takeTurn(api, thing, async () => {
		const last =
			lastWriters.get(`${api.account} ${thing}`) === writer ? written.get(id) : undefined;
		const isFresh = last !== undefined && Date.now() - last.at < FRESH;
		const dossier = isFresh ? last.dossier : await api.call('dossiers.get', { id });
		const writable = api.translator.pickWritable('dossier', dossier);
		const body = applyChanges(writable, changes);
		if (JSON.stringify(body) === JSON.stringify(writable)) return dossier;
		written.delete(id);
		lastWriters.set(`${api.account} ${thing}`, writer);
		const dossierId = toText(dossier.id);
		const answer = await api.call('dossiers.update', { id: dossierId, body });
		if (findIgnored(writable, body, answer).length) {
			await sleep(SETTLING);
			const now = await api.call('dossiers.get', { id });
			const fields = findIgnored(writable, body, now);
			if (fields.length) throw new Problem('CHANGE_NOT_KEPT', { id: dossierId ?? id, fields });
		}
		const isWhole = Object.keys(dossier).every((name) => name in answer);
		if (isWhole) written.set(id, { dossier: answer, at: Date.now() });
		return toText(answer.id) === undefined ? { ...toPlain(dossier), ...body } : answer;
	});
}
