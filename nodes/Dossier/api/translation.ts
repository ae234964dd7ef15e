import { parseDialect } from '../dialect/check';
import { Translator } from '../dialect/translate';
import { Problem } from './problem';

/** Translates nothing: the service speaks as docs/contract.md assumes. */
export const CANONICAL = new Translator({});

/** The translators of the dialects in use, by the text of the dialect, because parsing one costs more than a request. */
const translators = new Map<string, Translator>();

/** How many dialects are kept; an n8n uses one for each service. */
const REMEMBERED = 20;

/**
 * Opens the dialect of a credential.
 *
 * @throws Problem that names each line of the dialect that is wrong
 */
export function openTranslator(text: string): Translator {
	if (!text.trim()) return CANONICAL;
	const known = translators.get(text);
	if (known) return known;
	const parsed = parseDialect(text);
	if (parsed.problems) throw new Problem('DIALECT_INVALID', { problems: parsed.problems });
	const translator = new Translator(parsed.dialect);
	if (translators.size >= REMEMBERED) translators.clear();
	translators.set(text, translator);
	return translator;
}
