import type { INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/values';
import { asChoice } from '../parameters';
import type { Parameters } from '../parameters';

const isField = (option: object): option is INodeProperties => 'type' in option;

/** A word in lower case with underscores: `In Progress` becomes `in_progress`. */
const spell = (word: string) => word.toLowerCase().replace(/[^a-z0-9]+/g, '_');

/** The choice that a model means by a word; the word itself if no choice fits. */
function findChoice({ options = [] }: INodeProperties, word: string): string {
	const isMeant = ({ name, value }: { name: string; value: unknown }) =>
		[name, String(value)].some((one) => spell(one) === spell(word));
	const found = options.find((option) => 'value' in option && isMeant(option));
	return found && 'value' in found ? String(found.value) : word;
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
	for (const { name, type, options = [] } of fields) {
		if (type !== 'collection') continue;
		const values = parameters.collection(name);
		for (const field of options.filter(isField).filter((one) => one.type === 'options')) {
			const word = toText(values[field.name])?.trim();
			if (word) chosen.set(`${name}.${field.name}`, asChoice(findChoice(field, word), field));
		}
	}
	return chosen;
}
