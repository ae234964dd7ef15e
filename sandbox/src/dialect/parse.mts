import { readFileSync } from 'node:fs';
import type { Dialect, RecordKind } from './dialect.mts';
import { recordKinds } from './dialect.mts';
import { assertSchema, listKnownFields } from './schema.mts';
import { Words } from './words.mts';

/** A dialect from data. Throws a RangeError with a sentence that names the path of what cannot be used. */
export function parseDialect(given: unknown): Dialect {
	assertSchema(given);
	for (const kind of recordKinds) assertDistinct(given, kind);
	return given;
}

/** The dialect in a JSON file. Throws a RangeError with a sentence that names the file. */
export function readDialectFile(path: string): Dialect {
	try {
		const given: unknown = JSON.parse(readFileSync(path, 'utf8'));
		return parseDialect(given);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new RangeError(`The dialect in ${path} cannot be used. ${reason}`);
	}
}

/** Throws a RangeError if two fields have one name, or if the name of one leads into another. */
function assertDistinct(dialect: Dialect, kind: RecordKind): void {
	const words = new Words(dialect, kind);
	const known = listKnownFields(kind).filter((field) => !words.isAbsent(field));
	const all = known.map((field) => ({ field, path: words.findPath(field) }));
	for (const [index, one] of all.entries()) {
		const other = all
			.slice(index + 1)
			.find((two) => overlap(one.path, two.path) && !overlap(one.field, two.field));
		if (other) {
			throw new RangeError(
				`\`${kind}.fields\` calls both ${one.field} and ${other.field} ${other.path}.`,
			);
		}
	}
}

/** Whether two paths are equal, or one leads into the other. */
function overlap(one: string, other: string): boolean {
	return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}
