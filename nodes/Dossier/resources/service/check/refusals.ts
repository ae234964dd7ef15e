import { isObject } from '../../../dialect/paths';
import type { Seen } from './ask';
import { endsWith, flatten } from './places';
import type { Check } from './places';

/** The longest part of a refusal that is shown, in letters. */
const LONGEST_SAID = 300;

/** What a service said when it refused what the check had written: with spaces to wrap at, without a key that it repeats. */
export function describeRefusal({ status, bytes }: Pick<Seen, 'status' | 'bytes'>): string {
	const said = bytes
		.toString()
		.slice(0, LONGEST_SAID)
		.replace(/([:,])(?=["{[])/g, '$1 ');
	return `${status} ${said}`.replace(/sk_(live|test)_[^\s"'<]+/g, 'sk_…');
}

/** Whether a text is the name of a field, perhaps with a path before it: `/data/attributes/name`. */
const isName = (value: unknown, name: string) =>
	typeof value === 'string' && endsWith(value.replace(/^[#/]+/, '').replaceAll('/', '.'), name);

const isSentence = (value: unknown) => typeof value === 'string' && value.trim().includes(' ');

/** Where the details of a refusal stand: a list or an object that holds the name of the field that was refused. */
export function learnDetails({ draft }: Check, { body, status }: Seen, name: string): void {
	draft.note('A-19', undefined, `a refused field is ${status}`);
	for (const [path, value] of flatten(body)) {
		const isMap =
			isObject(value) &&
			Object.entries(value).some(
				([key, texts]) => isName(key, name) && Array.isArray(texts) && texts.every(isSentence),
			);
		if (isMap) {
			if (path !== 'error.details') draft.learn(['errors', 'details'], path);
			return draft.note('A-18', false, `messages by field in ${path}`);
		}
		const entries = Array.isArray(value) ? value.map((one) => flatten(one)) : [];
		const entry = entries.find((one) => one.some(([, text]) => isName(text, name))) ?? [];
		const places = {
			field: entry.filter(([, text]) => isName(text, name)),
			message: entry.filter(([, text]) => isSentence(text)),
			code: entry.filter(
				([, text]) => typeof text === 'string' && !isSentence(text) && !isName(text, name),
			),
		};
		const [field] = places.field;
		if (!field) continue;
		const found = Object.entries(places).map(
			([part, all]) => [part, all[0]?.[0], all.length] as const,
		);
		const isUsual = path === 'error.details' && found.every(([part, place]) => part === place);
		if (!isUsual) draft.learn(['errors', 'details'], path);
		for (const [part, place, count] of isUsual ? [] : found)
			if (place !== undefined && count === 1) draft.learn(['errors', part], place);
		return draft.note('A-18', isUsual, `a list in ${path}`);
	}
	draft.note('A-18', undefined, 'a refusal that does not name the field');
}
