import { isObject } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';

/** The value at a path with dots, such as `links.next`. */
export function readPath(value: Json | undefined, path: string): Json | undefined {
	let at = value;
	for (const name of path.split('.')) at = isObject(at) ? at[name] : undefined;
	return at;
}

/** Puts a value at a path with dots. Objects on the way are created; a value on the way is replaced. */
export function writePath(target: JsonObject, path: string, value: Json): void {
	const names = path.split('.');
	const last = names.pop() ?? '';
	let at = target;
	for (const name of names) {
		const inner = at[name];
		const next = isObject(inner) ? inner : {};
		at[name] = next;
		at = next;
	}
	at[last] = value;
}

/** Removes the value at a path and gives it. Objects on the way that are empty afterwards are removed, too. */
export function takePath(target: JsonObject, path: string): Json | undefined {
	const [name = '', ...rest] = path.split('.');
	const value = target[name];
	if (rest.length === 0) {
		delete target[name];
		return value;
	}
	if (!isObject(value)) return undefined;
	const taken = takePath(value, rest.join('.'));
	if (taken !== undefined && Object.keys(value).length === 0) delete target[name];
	return taken;
}

/** The paths of all values in an object that are not objects, or are empty objects. */
export function listPaths(value: JsonObject, prefix = ''): string[] {
	return Object.entries(value).flatMap(([name, one]) =>
		isObject(one) && Object.keys(one).length > 0
			? listPaths(one, `${prefix}${name}.`)
			: [`${prefix}${name}`],
	);
}
