import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { parseSha256 } from '../../../api/transfer/fileFacts';
import { canonical, listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { applyNaming, serviceField } from '../../../dialect/names';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { isTimeField } from '../../../dialect/times';
import { isTime } from './places';
import type { Check, Leaf } from './places';

const describeValue = (value: unknown) => {
	if (value === null || value === undefined || value === '') return 'empty';
	if (Array.isArray(value)) return 'list';
	if (typeof value === 'boolean') return 'true or false';
	if (typeof value !== 'string') return typeof value;
	return isTime(value) ? 'time' : 'text';
};

/** Whether a value can be that of a field, by its kind alone. */
function isPlausible(field: string, value: unknown): boolean {
	const kind = describeValue(value);
	if (kind === 'empty') return field !== 'created_at';
	if (isTimeField(field)) return isTime(value);
	if (field === 'tags' || field.endsWith('_ids')) return kind === 'list';
	if (field === 'custom_fields' || field === 'changes') return kind === 'object';
	return kind === 'text' || kind === 'number';
}

/** A time as a text, or as a number of seconds or milliseconds, in ms. */
const readMoments = (value: unknown) => [
	Number(value),
	Number(value) * 1000,
	Date.parse(String(value)),
];

/** Whether what a service shows is what was written. */
export function isSame(written: unknown, shown: unknown): boolean {
	if (Array.isArray(written))
		return Array.isArray(shown) && written.every((one) => shown.includes(one));
	if (isObject(written))
		return isObject(shown) && Object.entries(written).every(([name, one]) => shown[name] === one);
	if (typeof written === 'string' && isTime(written))
		return readMoments(shown).includes(Date.parse(written));
	const text = toText(written);
	return text !== undefined && (toText(shown) === text || parseSha256(shown) === text);
}

/** Learns how names are written, if several names of the contract stand in a record in one other way, and none as the contract has it. */
function learnNaming({ draft }: Check, kind: RecordKind, leaves: readonly Leaf[]): void {
	if (draft.dialect.naming !== undefined) return;
	const names = listLeaves(kind).filter((field) => /^[^.]+_/.test(field));
	const count = (naming: Dialect['naming']) =>
		names.filter((name) => {
			const theirs = applyNaming(name, naming);
			return leaves.some(([path, value]) => path === theirs && isPlausible(name, value));
		}).length;
	const found = (['camelCase', 'PascalCase'] as const).find((naming) => count(naming) > 1);
	if (!found || count('snake_case') > 0) return;
	draft.learn(['naming'], found);
	draft.note('A-03', false, `${count(found)} names in ${found}`);
}

/** What to do about a field that the service does not take. */
export const READ_ONLY = 'if the service sets it itself, list it in readOnly';

/** The numbers of the assumptions about the fields of each kind of record. */
const NUMBERS: Partial<Record<RecordKind, string>> = {
	dossier: 'A-04',
	document: 'A-06',
	portalUser: 'A-08',
	task: 'A-09',
	auditEntry: 'A-10',
};

/** Whether the node itself reads or writes a field. */
const isNeeded = (kind: RecordKind, field: string) =>
	kind === 'auditEntry'
		? ['action', 'created_at', 'target.id'].includes(field)
		: !canonical[kind].readOnly.includes(field) || /^(created|updated)_at$/.test(field);

/**
 * Compares the names of a record with those of the dialect. A field is proven by its value, and shown if its name is there
 * with a value that it can have. It asks for all others.
 *
 * @param written values that only their own field can have
 */
export function learnNames(
	check: Check,
	kind: RecordKind,
	leaves: readonly Leaf[],
	written: IDataObject = {},
): void {
	learnNaming(check, kind, leaves);
	const { draft } = check;
	const number = NUMBERS[kind] ?? '';
	const explained = [serviceField(draft.dialect, kind, 'id') ?? 'id'];
	const open: string[] = [];
	let proven = 0;
	for (const field of listLeaves(kind).filter((one) => one !== 'id')) {
		const name = serviceField(draft.dialect, kind, field);
		if (name === null) continue;
		const isOwn = (value: unknown) => field in written && isSame(written[field], value);
		const holding = leaves.filter(([, value]) => isOwn(value)).map(([path]) => path);
		const only = holding.includes(name) || holding.length > 1 ? name : holding[0];
		const shown = leaves.find(
			([path, value]) => path === name || (value === null && name.startsWith(`${path}.`)),
		);
		if (only !== undefined && holding.includes(only)) {
			explained.push(only);
			proven++;
			if (only === name) continue;
			draft.learn([kind, 'fields', field], only);
			draft.note(number, false, `${field} is called ${only}`);
		} else if (!(field in written) && shown && isPlausible(field, shown[1]))
			explained.push(shown[0]);
		else open.push(field);
	}
	const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`);
	const free = leaves.filter(
		([path]) =>
			!explained.some((one) => isWithin(path, one)) &&
			!leaves.some(([other]) => other.startsWith(`${path}.`)),
	);
	for (const field of open.filter((one) => isNeeded(kind, one))) {
		const fitting = free.filter(([, value]) => isPlausible(field, value));
		const seen = fitting.map(([path, value]) => `${path} (${describeValue(value)})`);
		// Only what was written is open although its name is shown.
		const isShown = fitting.some(([path]) => path === serviceField(draft.dialect, kind, field));
		const about = isShown ? `without what was written: ${READ_ONLY}` : '';
		if (seen.length) draft.ask([kind, 'fields', field], about, seen);
	}
	draft.note(number, undefined, `${proven} names by their values`);
}

/** How long before or after this moment a time may be that the service has just written, in ms. */
const NOW = 10 * 60_000;

const isNow = (value: unknown) =>
	readMoments(value).some((time) => Math.abs(time - Date.now()) < NOW);

/** Learns how a record that was just made writes its times. */
export function learnTimes({ draft }: Check, kind: RecordKind, leaves: readonly Leaf[]): void {
	const name = serviceField(draft.dialect, kind, 'created_at');
	const text = toText(leaves.find(([path]) => path === name)?.[1]);
	if (text === undefined || !isNow(text)) return;
	if (Number.isFinite(Number(text))) {
		const isSeconds = isNow(Number(text) * 1000);
		draft.learn(['times'], isSeconds ? 'epochSeconds' : 'epochMilliseconds');
		return draft.note('A-03', false, 'times are numbers');
	}
	const isUtc = text.endsWith('Z');
	const isUsual = draft.dialect.naming === undefined && name === 'created_at';
	const seen = isUtc ? 'times in UTC' : 'times with another zone';
	draft.note('A-03', isUtc ? isUsual || undefined : false, seen);
}

/** Shows the word of a new record, and asks for those of the set if it is not that of the contract. */
export function learnWord(
	{ draft }: Check,
	kind: 'dossier' | 'task',
	field: string,
	usual: string,
	leaves: readonly Leaf[],
): void {
	const name = serviceField(draft.dialect, kind, field);
	const word = toText(leaves.find(([path]) => path === name)?.[1]);
	if (word === undefined) return;
	const about = 'and the other words of the set, as in docs/contract.md';
	if (draft.dialect[kind]?.values?.[field] === undefined && word !== usual)
		draft.ask([kind, 'values', field, usual], about, [`${word} (of a new record)`]);
	const number = kind === 'dossier' ? 'A-05' : 'A-09';
	draft.note(number, undefined, `a new record has the ${field} ${word}`);
}
