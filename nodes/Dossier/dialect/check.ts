import type { DialectProblem } from '../problems/problem';
import { findClashes } from './clashes';
import type { Clash } from './clashes';
import { isObject, quotePath } from './paths';
import type { Path } from './paths';
import { dialectSchema } from './schema';
import type { Dialect } from './schema';

/** What the checker reads of a JSON Schema. */
interface Schema {
	type?: string | readonly string[];
	enum?: readonly unknown[];
	pattern?: string;
	minLength?: number;
	minimum?: number;
	properties?: Readonly<Record<string, Schema>>;
	propertyNames?: { enum: readonly string[] };
	additionalProperties?: boolean | Schema;
	items?: Schema;
}

const TYPES: Record<string, { test: (value: unknown) => boolean; name: string }> = {
	string: { test: (value) => typeof value === 'string', name: 'a text' },
	integer: { test: (value) => Number.isInteger(value), name: 'a whole number' },
	boolean: { test: (value) => typeof value === 'boolean', name: 'true or false' },
	array: { test: Array.isArray, name: 'a list' },
	object: { test: isObject, name: 'an object' },
	null: { test: (value) => value === null, name: 'null' },
};

/** What a dialect might call facts that the service's document gives. */
const GIVEN =
	/^(paths?|endpoints?|auth|authentication|authorization|organizationHeader|error|events?|eventEnvelope|rateLimit\.remaining|signature\.algorithm|payloads\.document\.uploaded)$/;

/** The word of a list that shares the most letter pairs with a misspelt one; `undefined` if none is close. */
function closest(word: string, words: readonly string[]): string | undefined {
	const pairs = (text: string) =>
		new Set(Array.from(text.toLowerCase(), (letter, at) => letter + (text[at + 1] ?? '')));
	const own = pairs(word);
	const score = (other: string) => [...pairs(other)].filter((pair) => own.has(pair)).length;
	const best = words.toSorted((a, b) => score(b) - score(a))[0];
	return best !== undefined && score(best) >= word.length * 0.4 ? best : undefined;
}

function unknownName(path: Path, known: readonly string[]): string {
	if (GIVEN.test(path.join('.'))) {
		return `${quotePath(path)} is given by the service's document and cannot be changed`;
	}
	const meant = closest(path.at(-1) ?? '', known);
	return `${quotePath(path)} is not known${meant ? `; did you mean ${meant}?` : ''}`;
}

/** Finds each part of a value that breaks the schema, as a path and a clause. */
function* checkAgainstSchema(
	value: unknown,
	schema: Schema,
	path: Path,
): Generator<[Path, string]> {
	const types = [schema.type ?? []].flat();
	if (types.length && !types.some((type) => TYPES[type]?.test(value))) {
		yield [
			path,
			`${quotePath(path)} must be ${types.map((type) => TYPES[type]?.name).join(' or ')}`,
		];
		return;
	}
	if (schema.enum && !schema.enum.includes(value)) {
		yield [path, `${quotePath(path)} must be one of ${schema.enum.join(', ')}`];
	}
	if (typeof value === 'string') {
		if (value.length < (schema.minLength ?? 0)) yield [path, `${quotePath(path)} is empty`];
		if (schema.pattern && !new RegExp(schema.pattern).test(value)) {
			yield [path, `${quotePath(path)} must match ${schema.pattern}`];
		}
	}
	if (typeof value === 'number' && value < (schema.minimum ?? value)) {
		yield [path, `${quotePath(path)} must be at least ${schema.minimum}`];
	}
	if (Array.isArray(value) && schema.items) {
		for (const [at, entry] of value.entries()) {
			yield* checkAgainstSchema(entry, schema.items, [...path, String(at)]);
		}
	}
	if (!isObject(value)) return;
	const { properties = {}, propertyNames, additionalProperties } = schema;
	for (const [name, entry] of Object.entries(value)) {
		const own = properties[name];
		const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
		const known = propertyNames?.enum ?? Object.keys(properties);
		const inner = own ?? rest;
		if (!inner || (!own && propertyNames && !propertyNames.enum.includes(name))) {
			yield [[...path, name], unknownName([...path, name], known)];
		} else {
			yield* checkAgainstSchema(entry, inner, [...path, name]);
		}
	}
}

/** What Service → Check Contract writes into a dialect for what only the service's reference tells. */
export const QUESTION = '?';

/** Finds each question that was not answered. */
function* findQuestions(value: unknown, path: Path): Generator<[Path, string]> {
	if (value === QUESTION) {
		const about =
			"look up in the service's reference what stands here, or remove the line if it needs none";
		yield [path, `${quotePath(path)} is still a question: ${about}`];
	} else if (isObject(value)) {
		for (const [name, inner] of Object.entries(value)) yield* findQuestions(inner, [...path, name]);
	}
}

/** Maps each path of a valid JSON text to its line. */
function findLines(text: string): Map<string, number> {
	const lines = new Map<string, number>();
	const path: Path = [];
	const open: Array<{ isList: boolean; at: number }> = [];
	let line = 1;
	const enter = (name: string) => {
		path[open.length - 1] = name;
		path.length = open.length;
		lines.set(path.join('.'), line);
	};
	for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\],]|\n|[^\s{}[\],"]+/g)) {
		const top = open.at(-1);
		if (token === '\n') line++;
		else if (token === '}' || token === ']') open.pop();
		else if (token === ',') continue;
		else if (token.startsWith('"') && token.endsWith(':')) {
			enter(String(JSON.parse(token.slice(0, -1))));
			line += token.split('\n').length - 1;
		} else {
			if (top?.isList) enter(String(top.at++));
			if (token === '{' || token === '[') open.push({ isList: token === '[', at: 0 });
		}
	}
	return lines;
}

/** Where the text stops being JSON. */
function findSyntaxError(text: string, error: unknown): DialectProblem {
	const message = error instanceof Error ? error.message : '';
	const at = message.match(/position (\d+)/)?.[1];
	const read = at === undefined ? text : text.slice(0, Number(at));
	return { line: read.split('\n').length, message: 'the text stops being JSON here' };
}

/**
 * Reads a dialect from the text of the credential; empty text is a dialect that changes nothing.
 *
 * @returns the dialect, or what is wrong with the text, line by line
 */
export function parseDialect(
	text: string,
): { dialect: Dialect; problems?: undefined } | { problems: DialectProblem[] } {
	if (!text.trim()) return { dialect: {} };
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch (error) {
		return { problems: [findSyntaxError(text, error)] };
	}
	if (!isObject(parsed)) return { problems: [{ line: 1, message: 'a dialect is a JSON object' }] };
	const dialect: Dialect = parsed;
	const questions = [...findQuestions(parsed, [])];
	const isAsked = (path: Path) => questions.some(([asked]) => asked.join('.') === path.join('.'));
	const broken = [...checkAgainstSchema(parsed, dialectSchema, [])].filter(
		([path]) => !isAsked(path),
	);
	let found: Clash[] = [...questions, ...broken];
	if (found.length === 0) found = [...findClashes(dialect)];
	if (found.length === 0) return { dialect };
	const lines = findLines(text);
	return {
		problems: found.map(([path, message]) => ({ line: lines.get(path.join('.')) ?? 1, message })),
	};
}
