import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import { listChoices, listInnerFields } from '../fields';
import type { ListFilter } from '../lists/filter';
import { asChoice, isEmpty, isLocator } from '../parameters';
import type { Parameters } from '../parameters';
import { findChoice, foldWord, isSameWord, OWN_WORD } from '../words';

/** Words that models give for a filter that they do not want. */
const NO_VALUE = /^(null|undefined|nil|none|n\/?a)$/i;

/** The filters that a model did not mean to give, as empty values of the form, by `filters.field`. */
export function blankFilters(parameters: Parameters): Map<string, unknown> {
	const blank = new Map<string, unknown>();
	for (const [name, held] of Object.entries(parameters.collection('filters'))) {
		const value = toText(isLocator(held) ? held.value : held)?.trim() ?? '';
		if (NO_VALUE.test(value))
			blank.set(`filters.${name}`, isLocator(held) ? { ...held, value: '' } : '');
	}
	return blank;
}

/**
 * What to tell a model whose filters found nothing: which they were, since one of them may be mistaken.
 *
 * @param given the filters as they were used
 * @param entered the same as the model gave them: a dossier by its reference, and not by the ID that was found
 */
export function describeFilters(
	filters: ListFilter[],
	given: IDataObject,
	entered: IDataObject,
): string | undefined {
	const used = filters.flatMap(({ field: { name, displayName } }) => {
		if (given[name] === true) return [displayName];
		const readGiven = (held: unknown) => toText(isLocator(held) ? held.value : held)?.trim();
		const value = readGiven(given[name]) && readGiven(entered[name]);
		return value ? [`${displayName} "${value}"`] : [];
	});
	return used.length ? `Nothing was found with ${used.join(' and ')}.` : undefined;
}

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
