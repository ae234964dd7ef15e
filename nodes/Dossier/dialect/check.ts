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

/** What is wrong with a value that holds no others, as a clause; `undefined` if nothing is. */
function checkScalar(value: unknown, schema: Schema): string | undefined {
	const { minLength = 0, minimum = -Infinity, pattern } = schema;
	const types = [schema.type ?? []].flat();
	if (types.length && !types.some((type) => TYPES[type]?.test(value)))
		return `must be ${types.map((type) => TYPES[type]?.name).join(' or ')}`;
	if (schema.enum && !schema.enum.includes(value))
		return `must be one of ${schema.enum.join(', ')}`;
	if (typeof value === 'number' && value < minimum) return `must be at least ${minimum}`;
	if (typeof value !== 'string') return undefined;
	if (value.length < minLength) return 'is empty';
	return pattern && !new RegExp(pattern).test(value) ? `must match ${pattern}` : undefined;
}

/** Finds each part of a value that breaks the schema, as a path and a clause. */
function* checkAgainstSchema(value: unknown, schema: Schema, path: Path): Generator<Clash> {
	const clause = checkScalar(value, schema);
	if (clause) {
		yield [path, clause];
		return;
	}
	if (Array.isArray(value) && schema.items)
		for (const [at, entry] of value.entries())
			yield* checkAgainstSchema(entry, schema.items, [...path, String(at)]);
	if (!isObject(value)) return;
	const { properties = {}, propertyNames, additionalProperties } = schema;
	const known = propertyNames?.enum ?? Object.keys(properties);
	const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
	for (const [name, entry] of Object.entries(value)) {
		const isOwn = Object.hasOwn(properties, name);
		const inner = isOwn ? properties[name] : rest;
		const isKnown = isOwn || !propertyNames || known.includes(name);
		const at = [...path, name];
		if (inner && isKnown) yield* checkAgainstSchema(entry, inner, at);
		else yield [at, `is not known; known are ${known.join(', ')}`];
	}
}

/** The line of a path in a valid JSON text: each of its names stands behind the one before. */
function findLine(text: string, path: Path): number {
	let end = 0;
	for (const name of path) {
		const key = JSON.stringify(name).replace(/[^\w]/g, '\\$&');
		end += (text.slice(end).match(new RegExp(`${key}\\s*:`))?.index ?? -1) + 1;
	}
	return text.slice(0, end).split('\n').length;
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
	const broken = [...checkAgainstSchema(parsed, dialectSchema, [])];
	const found = broken.length ? broken : [...findClashes(dialect)];
	if (found.length === 0) return { dialect };
	const problems = found.map(([path, clause]) => {
		return { line: findLine(text, path), message: `${quotePath(path)} ${clause}` };
	});
	return { problems };
}
