import { toText } from '../../../api/json';
import { isObject, isWithin } from '../../../dialect/paths';
import { walk } from '../../../dialect/structure';

/** A place in an answer, as a path with dots, and what stands there. */
export type Place = readonly [path: string, value: unknown];

const DEEPEST_PLACE = 8;

/** An answer and every place inside it, outermost first; lists are not entered. */
const listAll = (value: unknown): Place[] =>
	[...walk(value, DEEPEST_PLACE)].map(([inner, path]) => [path.join('.'), inner]);

/** Every place inside an answer. */
export const listPlaces = (value: unknown): Place[] => listAll(value).slice(1);

/** The paths inside a value at which a text stands, or a number that is written so. */
export const findText = (value: unknown, text: string): string[] =>
	listPlaces(value).flatMap(([path, inner]) => (toText(inner) === text ? [path] : []));

export const endsWith = (path: string, end: string) => `.${path}`.endsWith(`.${end}`);

/** The object at a path and each around it with its own path, the innermost first. */
export const listHolders = (body: unknown, path: string): Place[] =>
	listAll(body)
		.filter(([outer, value]) => isObject(value) && (!outer || isWithin(path, outer)))
		.reverse();

/**
 * Every list of objects in an answer with its path; "" if the answer is the list.
 *
 * @param known the path of a list, at which an entry may stand alone
 */
export function findLists(body: unknown, known?: string) {
	return listAll(body).flatMap(([path, value]) => {
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
