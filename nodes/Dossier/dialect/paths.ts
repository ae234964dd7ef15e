import type { IDataObject } from 'n8n-workflow';

/** Whether a value is a JSON object, not a list. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of a record. */
export type Value = IDataObject[string];

/** The steps of a path through a dialect. */
export type Path = string[];

/** A path as the messages about a dialect show it. */
export const quotePath = (path: Path) => `\`${path.join('.')}\``;

/** The first step of a path with dots. */
export const getOutermost = (path: string) => path.split('.')[0] ?? path;

/** Whether a path is another one, or leads into what is there. */
export const isWithin = (path: string, outer: string) => `${path}.`.startsWith(`${outer}.`);

/** The value at a path with dots; `undefined` if there is none. A name may have dots itself, as in OData. */
export function getPath(value: Value, path: string): Value {
	if (!isObject(value)) return undefined;
	if (Object.hasOwn(value, path)) return value[path];
	const [name = '', ...rest] = path.split('.');
	return rest.length ? getPath(value[name], rest.join('.')) : undefined;
}

/** Sets the value at the end of some steps, and creates the objects on the way. Objects that existed are copied, not changed. */
function setAt(record: IDataObject, [name = '', ...rest]: Path, value: Value): void {
	const inner = record[name];
	const copy = isObject(inner) ? { ...inner } : {};
	if (rest.length) setAt(copy, rest, value);
	record[name] = rest.length ? copy : value;
}

/** Sets the value at a path with dots. */
export const setPath = (record: IDataObject, path: string, value: Value): void =>
	setAt(record, path.split('.'), value);

/** Replaces the value at a path, if there is one. */
export function changePath(record: IDataObject, path: string, change: (value: Value) => Value) {
	const value = getPath(record, path);
	if (value !== undefined) setPath(record, path, change(value));
}

/** Removes the value at a path from a record, and objects on the way that become empty. Gives the value. */
export function takePath(record: IDataObject, path: string): Value {
	const [name = '', ...rest] = path.split('.');
	const inner = record[name];
	if (!rest.length) {
		delete record[name];
		return inner;
	}
	if (!isObject(inner)) return undefined;
	const copy = { ...inner };
	const value = takePath(copy, rest.join('.'));
	if (Object.keys(copy).length) record[name] = copy;
	else delete record[name];
	return value;
}

/** Merges two objects, also the objects inside that both have. The values of the second win. */
export function mergeDeep(first: IDataObject, second: IDataObject): IDataObject {
	const merged = { ...first };
	for (const [name, value] of Object.entries(second)) {
		const own = merged[name];
		merged[name] = isObject(own) && isObject(value) ? mergeDeep(own, value) : value;
	}
	return merged;
}
