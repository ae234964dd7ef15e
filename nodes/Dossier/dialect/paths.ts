import type { IDataObject } from 'n8n-workflow';

export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of a record. */
export type Value = IDataObject[string];

/** The value at a path with dots; `undefined` if there is none. */
export function getPath(value: Value, path: string): Value {
	return path.split('.').reduce<Value>((at, name) => (isObject(at) ? at[name] : undefined), value);
}

/** Sets the value at a path with dots, and makes the objects on the way to it. */
export function setPath(record: IDataObject, path: string, value: Value): void {
	const names = path.split('.');
	const last = names.pop() ?? '';
	let at = record;
	for (const name of names) {
		const inner = at[name];
		at = at[name] = isObject(inner) ? { ...inner } : {};
	}
	at[last] = value;
}

/** Takes the value at a path out of a record, and the objects on the way to it that become empty. */
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

/** One object with the members of two, also inside the objects that both have; the second one's values win. */
export function mergeDeep(first: IDataObject, second: IDataObject): IDataObject {
	const merged = { ...first };
	for (const [name, value] of Object.entries(second)) {
		const own = merged[name];
		merged[name] = isObject(own) && isObject(value) ? mergeDeep(own, value) : value;
	}
	return merged;
}
