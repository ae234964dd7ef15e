import { mapRefusal } from '../../../api/send/failures';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { serviceField } from '../../../dialect/names';
import { isObject } from '../../../dialect/paths';
import type { Seen } from './ask';
import type { Check } from './made';
import { endsWith, listPlaces } from './places';

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

/** Whether a refusal may be about names or formats, not about a right, a state or a record. */
export const isAboutBody = ({ status }: Pick<Seen, 'status'>) => status === 400 || status === 422;

/** The fields of a record of a kind that a refusal is about, as far as its details or its sentence name them. */
export function listRefused({ draft }: Check, kind: RecordKind, { status, bytes }: Seen): string[] {
	const { translator } = draft;
	const { facts } = mapRefusal(status, bytes.toString(), undefined, {
		access: 'key',
		translator,
		kind,
	});
	const { message = '', details } = facts;
	const said = [message, ...details.flatMap((one) => [one.field, one.message])].join(' ');
	return canonical[kind].fields.filter((field) => {
		const name = serviceField(draft.dialect, kind, field) ?? field;
		return [field, name].some((one) =>
			said.split(/[^\w.]+/).some((word) => word.replace(/\.$/, '') === one),
		);
	});
}

/** Whether a text is the name of a field, perhaps with a path before it: `/data/attributes/name`. */
const isName = (value: unknown, name: string) =>
	typeof value === 'string' && endsWith(value.replace(/^[#/]+/, '').replaceAll('/', '.'), name);

const isSentence = (value: unknown) => typeof value === 'string' && value.trim().includes(' ');

/** Where the details of a refusal stand: a list or an object that holds the name of the field that was refused. */
export function learnDetails({ draft }: Check, { body }: Seen, name: string): void {
	for (const [path, value] of listPlaces(body)) {
		const messages = isObject(value)
			? Object.entries(value).find(([key]) => isName(key, name))?.[1]
			: undefined;
		if (Array.isArray(messages) && messages.every(isSentence)) {
			draft.see('errors.field', 'the name of each list');
			return draft.prove(['errors', 'details'], path);
		}
		const entries = Array.isArray(value) ? value.map((one) => listPlaces(one)) : [];
		const entry = entries.find((one) => one.some(([, text]) => isName(text, name)));
		if (!entry) continue;
		const texts = entry.filter(([, text]) => typeof text === 'string');
		const recognise = (text: unknown) => {
			if (isName(text, name)) return 'field';
			return isSentence(text) ? 'message' : 'code';
		};
		draft.prove(['errors', 'details'], path);
		for (const part of ['field', 'message', 'code']) {
			const [place, ...others] = texts.filter(([, text]) => recognise(text) === part);
			if (place && !others.length) draft.prove(['errors', part], place[0]);
		}
		return;
	}
}
