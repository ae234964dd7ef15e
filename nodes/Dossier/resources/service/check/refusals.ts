import { mapRefusal } from '../../../api/send/failures';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { serviceField } from '../../../dialect/names';
import { isObject } from '../../../dialect/paths';
import type { Path } from '../../../dialect/paths';
import type { Seen } from './ask';
import type { Check } from './draft';
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

/** Whether a refusal may be about what was sent, and not a right or a record. JSON:API refuses a missing type or id with 409. */
export const isAboutContent = ({ status }: Pick<Seen, 'status'>) =>
	[400, 409, 422].includes(status);

/** What a part of the dialect is about; what the service said if that is not given. */
export type Open = [path: Path, about?: string];

/**
 * Asks for what refused requests may have needed. It notes a refusal that is about a right or a record, because no name or
 * format changes it, and one for which the dialect already says all that may have been needed.
 */
export function askAbout({ draft }: Check, what: string, refusals: Seen[], open: Open[]): void {
	const said = [...new Set(refusals.map(describeRefusal))].join('; ');
	const isOurs = refusals.some(isAboutContent);
	const isOpen = open.some(([path]) => draft.read(path) === undefined);
	if (!isOurs || !isOpen) draft.refused.push(`${what}: ${said}`);
	const usual = isOpen ? `${what} was refused: ${said}` : 'see what was refused';
	for (const [path, about = usual] of isOurs ? open : []) draft.ask(path, about);
}

/** The fields of a record of a kind that a refusal is about, as far as its details or its sentence name them. */
export function listRefused({ draft }: Check, kind: RecordKind, { status, bytes }: Seen): string[] {
	const { translator } = draft;
	const about = { access: 'key', translator, kind } as const;
	const { message = '', details } = mapRefusal(status, bytes.toString(), undefined, about).facts;
	const said = [message, ...details.flatMap((one) => [one.field, one.message])].join(' ');
	const before = `${translator.singularName(kind)}.`;
	const words = said.split(/[^\w.]+/).map((one) => one.replace(/\.$/, '').replace(before, ''));
	return canonical[kind].fields.filter((field) =>
		[field, serviceField(draft.dialect, kind, field)].some((one) => one && words.includes(one)),
	);
}

const isSentence = (value: unknown) => typeof value === 'string' && value.trim().includes(' ');

/** Where the details of a refusal stand: a list or an object that holds the name of the field that was refused. */
export function learnDetails({ draft }: Check, { body }: Seen, name: string): void {
	// Perhaps with a path before it: `/data/attributes/name`.
	const isName = (value: unknown) =>
		typeof value === 'string' && endsWith(value.replace(/^[#/]+/, '').replaceAll('/', '.'), name);
	const recognise = (value: unknown) => {
		if (isName(value)) return 'field';
		return isSentence(value) ? 'message' : 'code';
	};
	for (const [path, value] of listPlaces(body)) {
		const byField = isObject(value) ? Object.entries(value) : [];
		const areSentences = byField.every(([, one]) => [one].flat().every(isSentence));
		if (areSentences && byField.some(([field]) => isName(field))) {
			draft.see('errors.field', 'the name of each text or list');
			return draft.prove(['errors', 'details'], path);
		}
		const entries = Array.isArray(value) ? value.map(listPlaces) : [];
		const entry = entries.find((one) => one.some(([, text]) => isName(text)));
		if (!entry) continue;
		draft.prove(['errors', 'details'], path);
		for (const part of ['field', 'message', 'code']) {
			const [place, ...others] = entry.filter(
				([, text]) => typeof text === 'string' && recognise(text) === part,
			);
			if (place && !others.length) draft.prove(['errors', part], place[0]);
		}
		return;
	}
}
