import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import { parseJson, toText } from '../../api/json';
import { isEmptyText, JsonText, listItems, writeJson } from '../../api/jsonText';
import { Memory, takeTurn } from '../../api/memory';
import { openSource, readAt, readSource, writeSource } from '../../api/source';
import type { Source } from '../../api/source';
import { nameField } from '../../dialect/names';
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

/**
 * The fields that changes set in a dossier.
 *
 * @param held the tags that it has, as JSON; those that are not removed stay as they came
 * @throws Problem if single tags change and the service holds them in no list
 */
export function enterChanges(
	{ fields, addTags, removeTags }: DossierChanges,
	held = '[]',
): IDataObject {
	if (!addTags.length && !removeTags.length) return fields;
	const tags = fields.tags === undefined ? held : writeJson(fields.tags);
	if (!tags.startsWith('[') && !isEmptyText(tags)) {
		const found = tags.startsWith('{') ? 'object' : 'value';
		throw new Problem('PART_NOT_CHANGEABLE', { field: 'tags', found });
	}
	const listed = (tags.startsWith('[') ? listItems(tags) : [])
		.map((text) => ({ text, tag: toText(parseJson(text)) }))
		.filter(({ text }) => !['null', '""'].includes(text));
	const added = addTags.map((tag) => ({ text: writeJson(tag), tag }));
	const kept = [...listed, ...added].filter(({ tag }, at, all) => {
		if (tag === undefined) return true;
		return !removeTags.includes(tag) && all.findIndex((one) => one.tag === tag) === at;
	});
	return { ...fields, tags: new JsonText(`[${kept.map(({ text }) => text).join()}]`) };
}

/** Fields as JavaScript holds them. */
const toValues = (fields: IDataObject) =>
	fields.tags instanceof JsonText ? { ...fields, tags: fields.tags.toJSON() } : fields;

/** How long after this run wrote a dossier it may change it again without reading it, in ms. */
const FRESH = 10_000;

/** How long a service may show the old values after a change, in ms. */
const SETTLING = 1_000;

/** Which run wrote a dossier last, by service and id. */
const lastWriters = new Memory<symbol>(10_000);

interface WrittenDossier extends Required<Source> {
	/** In ms since 1970. */
	at: number;
}

/**
 * Changes some fields of a dossier. It reads the dossier and writes all of it back, because PUT may replace the record
 * what is not changed goes back as it came. The changes of one dossier are made one after the other, so that none
 * undoes another. It sends nothing if nothing changes. A service that ignores a field which it does not know shows the old
 * value afterwards.
 *
 * @throws Problem, also if the service accepts a change and does not make it
 */
export async function changeDossier(
	{ api, once }: Pick<ItemRun, 'api' | 'once'>,
	id: string,
	changes: DossierChanges,
): Promise<IDataObject> {
	const { translator } = api;
	translator.refuseUnsent('dossier', enterChanges(changes));
	const written = once('written dossiers', () => new Map<string, WrittenDossier>());
	const writer = once('writer of dossiers', () => Symbol('run'));
	const thing = `dossier ${id}`;
	return await takeTurn(api, thing, async () => {
		const last =
			lastWriters.get(`${api.account} ${thing}`) === writer ? written.get(id) : undefined;
		const isFresh = last !== undefined && Date.now() - last.at < FRESH;
		const source = isFresh ? last : await readSource(api, 'dossiers.get', id);
		const { record: dossier, text } = source;
		const dossierId = toText(dossier.id);
		const tags = readAt(text, nameField(translator.dialect, 'dossier', 'tags'));
		const entered = enterChanges(changes, tags);
		const body = writeSource(translator, 'dossier', source, entered);
		if (body === writeSource(translator, 'dossier', source, {})) return dossier;
		written.delete(id);
		lastWriters.set(`${api.account} ${thing}`, writer);
		const answer = await api.answer('dossiers.update', { id: dossierId, body });
		const shown = openSource(api, 'dossiers.update', answer);
		const writable = translator.pickWritable('dossier', dossier);
		const changed = mergeDeep(writable, toValues(entered));
		if (findIgnored(writable, changed, shown.record).length) {
			await sleep(SETTLING);
			const now = await api.call('dossiers.get', { id });
			const fields = findIgnored(writable, changed, now);
			if (fields.length) throw new Problem('CHANGE_NOT_KEPT', { id: dossierId ?? id, fields });
		}
		const { record, text: now } = shown;
		const isWhole = now !== undefined && Object.keys(dossier).every((name) => name in record);
		if (isWhole) written.set(id, { record, text: now, at: Date.now() });
		return toText(record.id) === undefined ? { ...toPlain(dossier), ...changed } : record;
	});
}
