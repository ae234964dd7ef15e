import { toText } from '../../../api/json';
import { getPath, isObject } from '../../../dialect/paths';
import { walk } from '../../../dialect/structure';

/** A place in an answer, as a path with dots, and what stands there. */
export type Place = readonly [path: string, value: unknown];

const DEEPEST_PLACE = 8;

/** Every place inside an answer; lists are not entered. */
export const listPlaces = (value: unknown): Place[] =>
	[...walk(value, DEEPEST_PLACE)].slice(1).map(([inner, path]) => [path.join('.'), inner]);

/** The paths inside a value at which a text stands, or a number that is written so. */
export const findText = (value: unknown, text: string): string[] =>
	listPlaces(value).flatMap(([path, inner]) => (toText(inner) === text ? [path] : []));

export const endsWith = (path: string, end: string) => `.${path}`.endsWith(`.${end}`);

/** The object at a path and each around it with its own path, the innermost first. */
export function listHolders(body: unknown, path: string): Place[] {
	if (!isObject(body)) return [];
	const steps = path.split('.').filter(Boolean);
	const paths = ['', ...steps].map((_, at) => steps.slice(0, at).join('.')).reverse();
	return paths.map((one) => [one, one ? getPath(body, one) : body]);
}

/**
 * Every list of objects in an answer with its path; "" if the answer is the list.
 *
 * @param known the path of a list, at which an entry may stand alone
 */
export function findLists(body: unknown, known?: string) {
	return [['', body] as const, ...listPlaces(body)].flatMap(([path, value]) => {
		const entries: unknown = path && path === known ? [value].flat() : value;
		return Array.isArray(entries) && entries.every(isObject) ? [{ path, entries }] : [];
	});
}

/** A time as a text, or as a number of seconds or milliseconds, in ms. */
export const readMoments = (value: unknown) => [
	Number(value),
	Number(value) * 1000,
	Date.parse(String(value)),
];

export const isTime = (value: unknown) =>
	typeof value === 'string' ? /^\d{4}-\d\d-\d\d/.test(value) : Number(value) > 1e9;
