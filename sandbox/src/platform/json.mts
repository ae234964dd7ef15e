/** A value as JSON knows it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object; a field that is absent reads as `undefined`. */
export interface JsonObject {
	[name: string]: Json | undefined;
}

/** Whether a value is an object and neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in a JSON text. Throws a SyntaxError if the text is not JSON, and a TypeError if it is not an object. */
export function parseObject(text: string): JsonObject {
	const value: unknown = JSON.parse(text);
	if (!isObject(value)) throw new TypeError('The text is JSON, but not an object.');
	return value;
}

/** The string in a field, or null if the field is absent or not a string. */
export function readText(value: Json | undefined): string | null {
	return typeof value === 'string' ? value : null;
}

/** The entries of a list; none if the value is not a list. */
export function readList(value: Json | undefined): Json[] {
	return Array.isArray(value) ? value : [];
}

/** The members of an object that are objects themselves. */
export function readMembers(value: Json | undefined): [string, JsonObject][] {
	return Object.entries(isObject(value) ? value : {}).flatMap(
		([name, one]): [string, JsonObject][] => (isObject(one) ? [[name, one]] : []),
	);
}

/** The names in a JSON pointer (RFC 6901), which can be one within a document, such as `#/components/schemas`. */
export function splitPointer(pointer: string): string[] {
	const names = pointer.split('/').slice(1);
	return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A value after a merge patch (RFC 7396): fields that the patch lacks stay, fields that it sets to null are removed. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
	const merged = new Map(Object.entries(target));
	for (const [name, value] of Object.entries(patch)) {
		const before = merged.get(name);
		if (value === null) merged.delete(name);
		else if (isObject(value)) merged.set(name, mergePatch(isObject(before) ? before : {}, value));
		else merged.set(name, value);
	}
	return Object.fromEntries(merged);
}

/** The text of a string, number or boolean; an empty text for everything else. */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
