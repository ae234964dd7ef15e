import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import { listChoices, listInnerFields } from '../fields';
import type { ListFilter } from '../lists/filter';
import { asChoice, isEmpty } from '../parameters';
import type { Parameters } from '../parameters';
import { findChoice, foldWord, isSameWord, OWN_WORD } from '../words';

/**
 * Reads what a model chose in the collections of a form, as values of the form, by `collection.field`.
 *
 * @throws Problem with the choices, if a word fits none of them
 */
export function readChoices(
	fields: INodeProperties[],
	parameters: Parameters,
): Map<string, string> {
	const chosen = new Map<string, string>();
	for (const collection of fields.filter(({ type }) => type === 'collection')) {
		const values = parameters.collection(collection.name);
		for (const field of listInnerFields(collection).filter(({ type }) => type === 'options')) {
			const word = toText(values[field.name])?.trim();
			if (!word) continue;
			const isOpen = listChoices(field).some(({ value }) => value === OWN_WORD);
			const choice = isOpen ? (findChoice(field, word) ?? word) : asChoice(word, field);
			chosen.set(`${collection.name}.${field.name}`, choice);
		}
	}
	return chosen;
}

/** Refuses a word of a model that is none of the choices of a filter. Throws Problem with the choices. */
export function requireChoices(filters: ListFilter[], given: IDataObject): void {
	for (const { field } of filters.filter(({ field: { type } }) => type === 'options')) {
		const word = given[field.name];
		if (isEmpty(word) || word === OWN_WORD) continue;
		const options = listChoices(field).filter(({ value }) => value !== OWN_WORD);
		asChoice(word, { ...field, options });
	}
}

/** What to tell a model whose filter found nothing: words of the service, if it gave none of them; `undefined` otherwise. */
export function suggestWords(filters: ListFilter[], given: IDataObject): string | undefined {
	for (const { field, known } of filters) {
		const word = foldWord(given[field.name]);
		if (!known || !word || known.some((one) => isSameWord(one, word))) continue;
		return `Nothing was found. ${field.displayName}: known words are e.g. ${known.join(', ')}; the service may have others.`;
	}
	return undefined;
}
