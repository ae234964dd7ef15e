import { listLeaves, recordKinds } from './canonical';
import { getPath, isWithin, quotePath } from './paths';
import type { Path } from './paths';
import type { Dialect } from './schema';
import { findServiceName } from './names';

/** A part of a dialect that is wrong or contradicts another part: its path, and a clause that says why. */
export type Clash = [path: Path, clause: string];

/**
 * Finds names that the dialect gives to two fields, or that a field which it does not list has already.
 *
 * @param others the known fields of the record; none for names that stand alone, such as those of filters
 * @param resolve finds the service's name for a field that the dialect does not list
 */
function* findSharedNames(
	at: Path,
	given: Record<string, string | null> = {},
	others: readonly string[] = [],
	resolve: (name: string) => string | null = () => null,
): Generator<Clash> {
	const listed = Object.keys(given);
	// A field of a record also clashes with the object that another name leads into.
	const isClash = (a: string, b: string) =>
		others.length ? isWithin(a, b) || isWithin(b, a) : a === b;
	for (const [index, name] of listed.entries()) {
		const theirs = given[name] ?? null;
		const earlier = listed.slice(0, index);
		const unlisted = others.filter((other) => !listed.includes(other));
		const twin = [...earlier, ...unlisted].find((other) => {
			const own = other in given ? (given[other] ?? null) : resolve(other);
			const isUnrelated = !isWithin(other, name) && !isWithin(name, other);
			return theirs !== null && own !== null && isUnrelated && isClash(theirs, own);
		});
		if (twin !== undefined) yield [[...at, name], `and ${quotePath([...at, twin])} have one name`];
	}
}

function* findRecordClashes(dialect: Dialect): Generator<Clash> {
	for (const kind of recordKinds) {
		const { fields, sentAs, filters, values = {} } = dialect[kind] ?? {};
		if (fields?.id === null)
			yield [[kind, 'fields', 'id'], 'cannot be null: without it, no record is found again'];
		const resolve = (name: string) => findServiceName(dialect, kind, name);
		yield* findSharedNames([kind, 'fields'], fields, listLeaves(kind), resolve);
		yield* findSharedNames([kind, 'sentAs'], sentAs);
		yield* findSharedNames([kind, 'filters'], filters);
		for (const [field, words] of Object.entries(values)) {
			const theirs = Object.values(words).map(String);
			const twice = theirs.find((word, at) => theirs.indexOf(word) !== at);
			if (twice !== undefined) yield [[kind, 'values', field], `has two values for "${twice}"`];
		}
	}
}

/** The variables that each template may name, and the one that it must name. */
const TEMPLATES: ReadonlyArray<[path: string, variables: string[], needed?: string]> = [
	['signature.format', ['signature', 'timestamp'], 'signature'],
	['signature.content', ['body', 'timestamp', 'id', 'url'], 'body'],
];

function* findTemplateErrors(dialect: Dialect): Generator<Clash> {
	for (const [part, variables, needed] of TEMPLATES) {
		const template = getPath(dialect, part);
		const path = part.split('.');
		if (typeof template !== 'string') continue;
		const named = [...template.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
		const known = variables.map((name) => `{${name}}`).join(', ');
		for (const name of named.filter((one) => !variables.includes(one)))
			yield [path, `names {${name}}; it can name ${known}`];
		if (needed && !named.includes(needed)) yield [path, `must name {${needed}}`];
	}
}

/** Finds the contradictions in a dialect that follows the schema. */
export function* findClashes(dialect: Dialect): Generator<Clash> {
	yield* findRecordClashes(dialect);
	yield* findTemplateErrors(dialect);
	const { format, address } = dialect.upload ?? {};
	if ((format === 'separate') !== (address !== undefined))
		yield [['upload'], 'needs both format "separate" and address, or neither'];
}
