/** Updates: refuses one that changes nothing, and finds values that the service accepted and did not store. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/json';
import type { ServiceRecord } from '../dialect/structure';
import { Problem } from '../problems/problem';

/** Refuses an update that changes nothing. Throws Problem. */
export function requireChanges(changes: IDataObject): void {
	if (Object.keys(changes).length) return;
	throw new Problem('NOTHING_TO_UPDATE', { field: 'fields' });
}

/** The fields of dossiers and tasks that hold the words of a person. */
const TEXTS = ['title', 'reference', 'description'];

/** The fields whose text a service may also show as a record or under another name, e.g. an assignee. */
const CHOSEN = ['status', 'type', 'priority', 'assignee_id'];

/** A text without the things that services change: tags, entities, accents, case, spaces and signs. */
const fold = (text: string) =>
	text
		.replace(/<[^>]*>|&#?\w+;/g, '')
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toLowerCase();

/** The fewest letters that a service leaves of a text that it shortens. */
const LEAST_SHORTENED = 20;

/** Whether a text that the service shows may be the one that was sent: spelled otherwise, shortened, or after words of its own. */
function isVariant(sent: string, shown: string): boolean {
	const [one, other] = [fold(sent), fold(shown)];
	const isShortened = other.length >= LEAST_SHORTENED && one.startsWith(other);
	return isShortened || (one !== '' && other.endsWith(one));
}

const isUnset = (value: unknown) => value === undefined || value === null || value === '';

/** The fields of a change that the service shows afterwards as it did before, without the new text anywhere. */
export function findIgnored(before: IDataObject, sent: IDataObject, after: IDataObject): string[] {
	const shown = JSON.stringify(after).toLowerCase();
	return [...TEXTS, ...CHOSEN].filter((name) => {
		const [old, wanted] = [toText(before[name]), toText(sent[name])];
		if (wanted === undefined || wanted === old) return false;
		if (shown.includes(JSON.stringify(wanted).toLowerCase())) return false;
		if (old !== undefined) return toText(after[name]) === old && !isVariant(wanted, old);
		return TEXTS.includes(name) && isUnset(before[name]) && isUnset(after[name]);
	});
}

/** The output of an update: the record in the answer or, if the answer has none, the values that were sent. */
export const readUpdated = (answer: ServiceRecord, id: string, sent: IDataObject): IDataObject =>
	toText(answer.id) === undefined ? { id, ...sent } : answer;

/** Whether an answer shows a record, but without a text that was sent. */
export const hidesText = (sent: IDataObject, shown: IDataObject) =>
	(toText(shown.title) ?? toText(shown.file_name)) !== undefined &&
	findIgnored(shown, sent, shown).length > 0;
