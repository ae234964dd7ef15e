import { isObject } from '../../../dialect/paths';
import { toText } from '../../../api/values';
import { flatten, HOLDERS, PLACES } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';

/** Where the details of a refusal stand. */
export function learnDetails({ notes, dialect }: Check, { body }: Seen): void {
	const isMap = (value: unknown) =>
		isObject(value) &&
		Object.values(value).length > 0 &&
		Object.entries(value).every(([name, one]) => Array.isArray(one) && !HOLDERS.test(name));
	const places = flatten(body);
	const [path, value] =
		places.find(([, one]) => isMap(one)) ??
		places.find(([, one]) => Array.isArray(one) && one.some(isObject)) ??
		[];
	if (path === undefined) return notes.note('A-18', undefined, 'a refusal without details');
	const first: unknown = Array.isArray(value) ? value[0] : undefined;
	if (
		path === 'error.details' &&
		isObject(first) &&
		['field', 'message', 'code'].every((name) => name in first)
	) {
		return notes.note('A-18', true, 'a list in error.details');
	}
	dialect.errors = { details: path };
	if (isObject(first)) {
		const texts = flatten(first).filter(([, text]) => typeof text === 'string');
		const message = texts.find(([, text]) => toText(text)?.includes(' '))?.[0];
		const field = PLACES.flatMap((place) => texts.filter(([name]) => place.test(name)))[0]?.[0];
		const others = texts.filter(([name]) => name !== message && name !== field);
		const code = (others.find(([name]) => /code|rule/i.test(name)) ?? others[0])?.[0];
		if (message && field) dialect.errors = { details: path, field, message, ...(code && { code }) };
		else delete dialect.errors;
	}
	notes.note('A-18', false, `${dialect.errors ? 'details' : 'another list'} in ${path}`);
}
