import type { IDataObject } from 'n8n-workflow';
import { canonical, listLeaves } from './canonical';
import type { RecordKind } from './canonical';
import { setPath, takePath } from './paths';
import type { Dialect } from './schema';

/** A word with a capital at the beginning. */
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Writes a name in snake_case as the service writes names. */
export function applyNaming(name: string, naming: Dialect['naming']): string {
	if (!naming || naming === 'snake_case') return name;
	const [first = '', ...rest] = name.split('_');
	return [naming === 'PascalCase' ? capitalize(first) : first, ...rest.map(capitalize)].join('');
}

/** The service's name for a field, as a path with dots; `null` if the service has no such field. */
export function findServiceName(dialect: Dialect, kind: RecordKind, field: string): string | null {
	const own = dialect[kind]?.fields?.[field];
	if (own !== undefined) return own;
	const [outer = field, ...inner] = field.split('.');
	const above = inner.length ? dialect[kind]?.fields?.[outer] : undefined;
	if (above === null) return null;
	const names = [above ?? applyNaming(outer, dialect.naming)];
	return [...names, ...inner.map((name) => applyNaming(name, dialect.naming))].join('.');
}

/** The service's name for a field; this package's own if the service has no such field. */
export const nameField = (dialect: Dialect, kind: RecordKind, field: string): string =>
	findServiceName(dialect, kind, field) ?? field;

type Pair = readonly [from: string, to: string];

/** Plans which values move between this package's names and those of a service, for one kind of record. */
export function planMoves(dialect: Dialect, kind: RecordKind) {
	// An object that holds known fields moves with each of them.
	const rename = (names: Record<string, string>) =>
		listLeaves(kind)
			.map((field): Pair => [field, names[field] ?? nameField(dialect, kind, field)])
			.filter(([ours, theirs]) => ours !== theirs);
	const { readOnly = [], sentAs = {} } = dialect[kind] ?? {};
	const lacking = canonical[kind].fields.filter(
		(field) => findServiceName(dialect, kind, field) === null,
	);
	return {
		/** Fields that have another name at the service, for answers: its path, then ours. */
		read: rename({}).map(([ours, theirs]): Pair => [theirs, ours]),
		/** The same for requests: our path, then its path. */
		sent: rename(sentAs),
		/** Fields that no request sends: those that the service does not have, or sets itself. */
		unsent: [...readOnly, ...lacking],
	};
}

/** Copies a record with values moved between paths, all at once: two fields may swap their names. */
export function movePaths(record: IDataObject, pairs: readonly Pair[]): IDataObject {
	const moved = { ...record };
	const values = pairs.map(([from]) => takePath(moved, from));
	for (const [at, [, to]] of pairs.entries()) {
		if (values[at] !== undefined) setPath(moved, to, values[at]);
	}
	return moved;
}
