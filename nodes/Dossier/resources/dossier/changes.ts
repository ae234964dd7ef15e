import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { hasStatus, Problem } from '../../problems/problem';
import { parseJson, toText } from '../../api/json';
import { isEmptyText, JsonText, listItems, writeJson } from '../../api/jsonText';
import { Memory, takeTurn } from '../../api/memory';
import { openSource, readAt, readSource, writeSource } from '../../api/source';
import type { Answer } from '../../api/send/answer';
import type { CallApi } from '../../api/send/requests';
import type { Source } from '../../api/source';
import { nameField } from '../../dialect/names';
import { mergeDeep } from '../../dialect/paths';
import { toPlain } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
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
const CHANGE_SETTLING = 1_000;

/** Which run wrote a dossier last, by service and id. */
const lastWriters = new Memory<symbol>(10_000);

/** The statuses of a service that has another version of a record than the request is about. */
const OTHER_VERSION = [409, 412];

/** How often a change is made anew because somebody else has changed the dossier since it was read. */
const MOST_CONFLICTS = 3;

/** What is sent to change a dossier, and the fields that it sets; `body` is absent if the dossier has them already. */
function prepareChange(
	translator: Translator,
	source: Required<Source>,
	changes: DossierChanges,
): { entered: IDataObject; body?: string } {
	const tags = readAt(source.text, nameField(translator.dialect, 'dossier', 'tags'));
	const entered = enterChanges(changes, tags);
	const body = writeSource(translator, 'dossier', source, entered);
	return body === writeSource(translator, 'dossier', source, {}) ? { entered } : { entered, body };
}

/**
 * Writes a dossier with changes. If the service has another version than the one that was read, the dossier is read again: it
 * may have the changes already, because the answer to an earlier attempt was lost. Otherwise they are made in what it has now.
 *
 * @returns the dossier as it was read last, and the answer, unless there is nothing to change
 * @throws Problem
 */
async function writeChanges(
	api: CallApi,
	id: string,
	first: Required<Source>,
	changes: DossierChanges,
): Promise<{ source: Required<Source>; entered: IDataObject; answer?: Answer }> {
	let source = first;
	let isAnyVersion = false;
	for (let conflicts = 0; ; conflicts++) {
		const { entered, body } = prepareChange(api.translator, source, changes);
		if (body === undefined) return { source, entered };
		const call = { id: toText(source.record.id), body, isAnyVersion };
		const outcome = await api.answer('dossiers.update', call).then(
			(answer) => ({ answer }),
			(error: unknown) => ({ error }),
		);
		if ('answer' in outcome) return { source, entered, answer: outcome.answer };
		const { error } = outcome;
		if (!hasStatus(error, ...OTHER_VERSION)) throw error;
		const now = await readSource(api, 'dossiers.get', id);
		const isMade = prepareChange(api.translator, now, changes).body === undefined;
		if (!isMade && (conflicts === MOST_CONFLICTS || !hasStatus(error, 412))) throw error;
		// Nobody has changed it: the service does not know its own version again.
		isAnyVersion = now.text === source.text;
		source = now;
	}
}

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
		const found = isFresh ? last : await readSource(api, 'dossiers.get', id);
		if (prepareChange(translator, found, changes).body === undefined) return found.record;
		written.delete(id);
		lastWriters.set(`${api.account} ${thing}`, writer);
		const { source, entered, answer } = await writeChanges(api, id, found, changes);
		const { record: dossier } = source;
		if (!answer) return dossier;
		const dossierId = toText(dossier.id);
		const shown = openSource(api, 'dossiers.update', answer);
		const writable = translator.pickWritable('dossier', dossier);
		const changed = mergeDeep(writable, toValues(entered));
		const read = async () => await api.call('dossiers.get', { id });
		// An answer with something else than the record may say anything, also that it was not changed.
		const isOther = answer.body !== undefined && toText(shown.record.id) !== dossierId;
		const seen = isOther ? await read() : shown.record;
		if (findIgnored(writable, changed, seen).length) {
			await sleep(CHANGE_SETTLING);
			const fields = findIgnored(writable, changed, await read());
			if (fields.length) throw new Problem('CHANGE_NOT_KEPT', { id: dossierId ?? id, fields });
		}
		const { record, text: now } = shown;
		const isWhole =
			!isOther && now !== undefined && Object.keys(dossier).every((name) => name in record);
		if (isWhole) written.set(id, { record, text: now, at: Date.now() });
		return toText(seen.id) === undefined ? { ...toPlain(dossier), ...changed } : seen;
	});
}
