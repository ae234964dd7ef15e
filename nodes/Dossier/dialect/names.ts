import type { EventName, RecordKind } from './canonical';
import type { Dialect } from './schema';

/** A word with a capital at the beginning. */
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Writes a name in snake_case as the service writes names. */
export function applyNaming(name: string, naming: Dialect['naming']): string {
	if (!naming || naming === 'snake_case') return name;
	const [first = '', ...rest] = name.split('_');
	return [naming === 'PascalCase' ? capitalize(first) : first, ...rest.map(capitalize)].join('');
}

/** What a service calls a field, as a path with dots; `null` if it has no such field. */
export function serviceField(dialect: Dialect, kind: RecordKind, field: string): string | null {
	const own = dialect[kind]?.fields?.[field];
	if (own !== undefined) return own;
	const [outer = field, ...inner] = field.split('.');
	const above = inner.length ? dialect[kind]?.fields?.[outer] : undefined;
	if (above === null) return null;
	const names = [above ?? applyNaming(outer, dialect.naming)];
	return [...names, ...inner.map((name) => applyNaming(name, dialect.naming))].join('.');
}

/** What a service calls a field, or what this package does if the service has no such field. */
export const nameField = (dialect: Dialect, kind: RecordKind, field: string): string =>
	serviceField(dialect, kind, field) ?? field;

/** What a service calls a field in the data of an event, as a path with dots. */
export const payloadField = (dialect: Dialect, event: EventName, field: string): string =>
	dialect.payloads?.[event]?.fields?.[field] ?? applyNaming(field, dialect.naming);
