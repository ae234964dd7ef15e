/** Finds what a service accepted and did not store, because it knows the field by another name. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/values';

/** The fields of dossiers and tasks that hold a text as it was sent. */
const TEXTS = ['title', 'reference', 'description', 'status', 'type', 'priority', 'assignee_id'];

/** A text without what services change in it: tags, entities, accents, case, spaces and signs. */
const fold = (text: string) =>
	text
		.replace(/<[^>]*>|&#?\w+;/g, '')
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toLowerCase();

/** Whether a service may show one text as the other, e.g. shortened. */
function isVariant(sent: string, shown: string): boolean {
	const [one, other] = [fold(sent), fold(shown)];
	return one.includes(other) || other.includes(one);
}

/** The fields of a change that the service shows afterwards as it did before. */
export function findIgnored(before: IDataObject, sent: IDataObject, after: IDataObject): string[] {
	return TEXTS.filter((name) => {
		const [old, wanted] = [toText(before[name]), toText(sent[name])];
		if (wanted === undefined || wanted === old || toText(after[name]) !== old) return false;
		return old === undefined || !isVariant(wanted, old);
	});
}

/** Whether the service shows a new record with its title, but without another text that was sent. */
export const hidesText = (sent: IDataObject, shown: IDataObject) =>
	toText(shown.title) !== undefined && findIgnored({}, sent, shown).length > 0;
