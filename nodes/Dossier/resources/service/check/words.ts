import { contract } from '../../../dialect/contract';
import { capitalize } from '../../../dialect/translate';
import { toText } from '../../../api/values';
import { isGood, readComplaints } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';

type Worded = 'dossier' | 'document' | 'task' | 'auditEntry';

/** The closed sets of words that a check learns, by field, with the number of the assumption. A new dossier or task has the first word. */
const SETS: Record<Worded, { number: string; fields: Record<string, readonly string[]> }> = {
	dossier: { number: 'A-05', fields: { status: contract.dossierStates } },
	document: { number: 'A-07', fields: { category: contract.documentCategories } },
	task: {
		number: 'A-09',
		fields: {
			status: ['pending', 'in_progress', 'in_review', 'completed', 'cancelled'],
			priority: ['normal', 'low', 'high', 'urgent'],
		},
	},
	auditEntry: {
		number: 'A-10',
		fields: { action: ['dossier.created', 'document.uploaded', 'task.created'] },
	},
};

/** A word without regard to how a service writes it. */
export const spell = (word: string) => word.toLowerCase().replace(/[^a-z]/g, '');

/** How a service writes words, by one of them: as this package does, in capitals, or with a capital at the beginning. */
function readSpelling(word: string): (ours: string) => string {
	if (word === word.toLowerCase()) return (ours) => ours;
	if (word === word.toUpperCase()) return (ours) => ours.toUpperCase();
	return capitalize;
}

/** The words that a refusal allows for a field, if it lists them. */
export function readChoices(refused: Seen | undefined, path: string): string[] {
	if (!refused || isGood(refused)) return [];
	const listing = readComplaints(refused.body).filter(({ choices }) => choices.length);
	// A sentence may list the words of a field without its name.
	const own = listing.find((one) => one.path === path) ?? listing.find((one) => !one.isPlaced);
	return own?.choices ?? [];
}

/**
 * Learns how the words of a closed set are written.
 *
 * @param shown a word of a record
 * @param choices all words of the service if it has listed them
 */
export function learnWords(
	{ notes, dialect }: Check,
	kind: Worded,
	field: string,
	shown: unknown,
	choices: readonly string[] = [],
): void {
	const { number, fields } = SETS[kind];
	const words = fields[field] ?? [];
	const own = toText(shown) ?? '';
	const isSame = (one: string) => (other: string) => spell(one) === spell(other);
	const isKnown = (one: string) => words.some(isSame(one));
	const write = choices.some(isKnown)
		? (ours: string) => choices.find(isSame(ours))
		: readSpelling(own);
	const hasFirst = (kind === 'dossier' || kind === 'task') && own !== '' && !isKnown(own);
	const pairs = words.map((ours, at) => {
		const isFirst = hasFirst && at === 0 && !choices.some(isSame(ours));
		return [ours, isFirst ? own : write(ours)] as const;
	});
	const lacking = pairs.filter(([, theirs]) => theirs === undefined).map(([ours]) => ours);
	const moved = pairs.filter(([ours, theirs]) => theirs !== undefined && theirs !== ours);
	if (lacking.length) notes.note(number, false, `no word for ${field} ${lacking.join(', ')}`);
	if (moved.length) {
		notes.note(number, false, `other words for ${field}`);
		const known = dialect[kind] ?? {};
		const values = Object.fromEntries(moved) as Record<string, string>;
		dialect[kind] = { ...known, values: { ...known.values, [field]: values } };
	} else if (!lacking.length) notes.note(number, undefined, `the usual words for ${field}`);
}
