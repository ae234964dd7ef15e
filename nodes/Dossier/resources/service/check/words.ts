import { toText } from '../../../api/values';
import { isGood, readTellings } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';

interface WordSet {
	kind: 'dossier' | 'task';
	field: 'status' | 'priority';
	path: string;
	/** This package's words. */
	words: readonly string[];
	/** The word of a new record. */
	shown?: unknown;
}

/** A word without regard to how a service writes it. */
export const spell = (word: string) => word.toLowerCase().replace(/[^a-z]/g, '');

/** How the words of a closed set are written: by the words that a refusal lists, else by the word of a new record. */
export function learnWords(
	{ notes, dialect }: Check,
	{ kind, field, path, words, shown }: WordSet,
	refused: Seen | undefined,
): void {
	const number = kind === 'dossier' ? 'A-05' : 'A-09';
	const told = refused && !isGood(refused) ? readTellings(refused.body) : [];
	const choices = told.find((one) => one.path === path)?.choices ?? [];
	const word = toText(shown) ?? '';
	const isCapital = word !== '' && word === word.toUpperCase();
	const isTitle = /^[A-Z][a-z]/.test(word);
	const capitalize = (text: string) =>
		isCapital ? text.toUpperCase() : text.charAt(0).toUpperCase() + text.slice(1);
	const guess = (text: string) => (isCapital || isTitle ? capitalize(text) : text);
	const pairs = words.map((ours): [string, string | undefined] => [
		ours,
		choices.length ? choices.find((one) => spell(one) === spell(ours)) : guess(ours),
	]);
	const lacking = pairs.filter(([, theirs]) => theirs === undefined).map(([ours]) => ours);
	const moved = pairs.filter(([ours, theirs]) => theirs !== undefined && theirs !== ours);
	if (lacking.length) notes.note(number, false, `no word for ${field} ${lacking.join(', ')}`);
	if (moved.length) {
		notes.note(number, false, `other words for ${field}`);
		const values = Object.fromEntries(moved.map(([ours, theirs = '']) => [ours, theirs]));
		const own = dialect[kind] ?? {};
		dialect[kind] = { ...own, values: { ...own.values, [field]: values } };
	} else if (!lacking.length) notes.note(number, undefined, `the usual words for ${field}`);
}
