/** Words as people, expressions and models write them. */
import type { INodeProperties } from 'n8n-workflow';
import { parseJson, toText } from '../api/json';
import { listChoices } from './fields';

/** A word in lower case without separators, since people and services spell words differently; "" for none. */
export const foldWord = (value: unknown): string =>
	(toText(value) ?? '')
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}@.]+/gu, '');

/** Whether two words are the same but for capitals, blanks, hyphens and underscores. */
export const isSameWord = (one: unknown, other: unknown): boolean =>
	foldWord(one) !== '' && foldWord(one) === foldWord(other);

export const hasWord = (words: string[], word: string): boolean =>
	words.some((one) => isSameWord(one, word));

const QUOTES = '["\'„“”‚‘’«»]*';
const QUOTED = new RegExp(`^${QUOTES}\\s*(.*?)\\s*${QUOTES}$`);

/** The entries of a list, of one as JSON, or of a text with separators. */
export function listEntries(value: unknown, separator: string | RegExp): unknown[] {
	const json = typeof value === 'string' ? parseJson(value) : undefined;
	const given: unknown = Array.isArray(json) ? json : value;
	return typeof given === 'string' ? given.split(separator) : [given].flat();
}

/** Reads a list as people write one: with commas, semicolons or one on each line, in quotes, as JSON, or from an expression. */
export function readWords(value: unknown): string[] {
	return listEntries(value, /[,;\n]/)
		.map((entry) => (toText(entry) ?? '').trim().replace(QUOTED, '$1'))
		.filter((word) => word !== '');
}

/** The choice of a list that lets the user type another word. No word of the service begins with a capital. */
export const OWN_WORD = 'OWN';

/** The choice of a list that stands for no word. */
export const UNSET_WORD = 'UNSET';

/** The choice that a word means, by its value or its label; `undefined` if none fits. */
export function findChoice(
	field: Pick<INodeProperties, 'options'>,
	word: string,
): string | undefined {
	const choices = listChoices(field);
	const found =
		choices.find(({ value }) => value === word) ??
		choices.find(
			({ name, value }) =>
				isSameWord(name, word) || (value !== OWN_WORD && isSameWord(value, word)),
		);
	return found && String(found.value);
}
