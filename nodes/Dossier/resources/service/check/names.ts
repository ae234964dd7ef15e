import { canonical, listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { applyNaming, serviceField } from '../../../dialect/names';
import { isTimeField } from '../../../dialect/times';
import { toText } from '../../../api/json';
import type { Check } from './notes';
import { isTime } from './places';
import type { Leaf, Placed } from './places';

const isBlank = (value: unknown) => value === null || value === undefined || value === '';

/** Whether a value can be that of a field, by its kind alone. */
function isPlausible(field: string, value: unknown): boolean {
	if (isBlank(value)) return field !== 'created_at';
	if (isTimeField(field)) return isTime(value);
	if (field === 'tags' || field.endsWith('_ids')) return Array.isArray(value);
	if (field === 'custom_fields' || field === 'changes') return isObject(value);
	if (field.endsWith('_count') || field === 'size_bytes') return Number.isInteger(Number(value));
	return (
		typeof value !== 'object' &&
		typeof value !== 'boolean' &&
		!(typeof value === 'string' && isTime(value))
	);
}

const describeValue = (value: unknown) => {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'list';
	if (isTime(value) && typeof value === 'string') return 'time';
	if (typeof value === 'boolean') return 'true or false';
	return typeof value === 'string' ? 'text' : typeof value;
};

/** Learns how names are written, if several names of the contract stand in a record in one other way, and none as the contract has it. */
export function learnNaming(
	{ draft, notes }: Check,
	kind: RecordKind,
	leaves: readonly Leaf[],
): void {
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
	notes.note('A-03', false, `${count(found)} names in ${found}`);
}

/** The numbers of the assumptions about the fields of each kind of record. */
const NUMBERS: Partial<Record<RecordKind, string>> = {
	dossier: 'A-04',
	document: 'A-06',
	portalUser: 'A-08',
	task: 'A-09',
	auditEntry: 'A-10',
};

/**
 * Compares the names of a record with those of the dialect. A field is proven by its value, and shown if its name is there
 * with a value that it can have. It asks for all others.
 *
 * @param proofs tell the values that only that field can have
 */
export function learnNames(
	check: Check,
	kind: RecordKind,
	leaves: readonly Leaf[],
	proofs: ReadonlyMap<string, (value: unknown) => boolean> = new Map(),
): void {
	learnNaming(check, kind, leaves);
	const { draft, notes } = check;
	const explained = [serviceField(draft.dialect, kind, 'id') ?? 'id'];
	const open: string[] = [];
	let proven = 0;
	for (const field of listLeaves(kind).filter((one) => one !== 'id')) {
		const name = serviceField(draft.dialect, kind, field);
		if (name === null) continue;
		const isOwn = proofs.get(field);
		const holding = isOwn ? leaves.filter(([, value]) => isOwn(value)).map(([path]) => path) : [];
		const shown = leaves.find(
			([path, value]) => path === name || (value === null && name.startsWith(`${path}.`)),
		);
		const [only] = holding.includes(name) ? [name] : holding;
		if (only !== undefined && (only === name || holding.length === 1)) {
			explained.push(only);
			proven++;
			if (only === name) continue;
			draft.learn([kind, 'fields', field], only);
			notes.note(NUMBERS[kind] ?? '', false, `${field} is called ${only}`);
		} else if (!holding.length && shown && isPlausible(field, shown[1])) explained.push(shown[0]);
		else open.push(field);
	}
	const free = leaves.filter(
		([path]) =>
			!explained.some((one) => path === one || path.startsWith(`${one}.`)) &&
			!leaves.some(([other]) => other.startsWith(`${path}.`)),
	);
	const unseen: string[] = [];
	for (const field of open) {
		const fitting = free.filter(([, value]) => isPlausible(field, value));
		if (!fitting.length || !isNeeded(kind, field)) unseen.push(field);
		else {
			const seen = fitting.map(([path, value]) => `${path} (${describeValue(value)})`);
			draft.ask([kind, 'fields', field], '', seen);
		}
	}
	const rest = unseen.length ? `; not shown: ${unseen.join(', ')}` : '';
	notes.note(NUMBERS[kind] ?? '', undefined, `${proven} names by their values${rest}`);
}

/** Whether the node itself reads or writes a field. */
const isNeeded = (kind: RecordKind, field: string) =>
	kind === 'auditEntry'
		? ['action', 'created_at', 'target.id'].includes(field)
		: !canonical[kind].readOnly.includes(field) || /^(created|updated)_at$/.test(field);

/** How long before or after this moment a time may be that the service has just written, in ms. */
const NOW = 10 * 60_000;

/** Whether a value is a time of about now, as a text or as a number. */
export const isNow = (value: unknown) =>
	[Number(value), Number(value) * 1000, Date.parse(String(value))].some(
		(time) => Math.abs(time - Date.now()) < NOW,
	);

/** Learns how a record that was just made writes its times. */
export function learnTimes(
	{ draft, notes }: Check,
	kind: RecordKind,
	{ id, leaves }: Placed,
): void {
	const name = serviceField(draft.dialect, kind, 'created_at');
	const text = toText(leaves.find(([path]) => path === name)?.[1]);
	if (text === undefined || text === id || !isNow(text)) return;
	if (Number.isFinite(Number(text))) {
		const isSeconds = isNow(Number(text) * 1000);
		draft.learn(['times'], isSeconds ? 'epochSeconds' : 'epochMilliseconds');
		return notes.note('A-03', false, 'times are numbers');
	}
	const isUtc = text.endsWith('Z');
	const isUsual = draft.dialect.naming === undefined && name === 'created_at';
	const seen = isUtc ? 'times in UTC' : 'times with another zone';
	notes.note('A-03', isUtc ? isUsual || undefined : false, seen);
}

/** Learns the word of a new record, and asks for the others if it is not that of the contract. */
export function learnWord(
	{ draft, notes }: Check,
	kind: 'dossier' | 'task',
	field: string,
	usual: string,
	leaves: readonly Leaf[],
): void {
	const name = serviceField(draft.dialect, kind, field);
	const word = leaves.find(([path]) => path === name)?.[1];
	if (toText(word) === undefined) return;
	const known = draft.translator.readRecord(kind, { [name ?? field]: word as string })[field];
	const number = kind === 'dossier' ? 'A-05' : 'A-09';
	const isKnown = known === usual || draft.dialect[kind]?.values?.[field] !== undefined;
	if (!isKnown)
		draft.ask(
			[kind, 'values', field, usual],
			'and the other words of the set, as in docs/contract.md',
			[`${String(word)} (of a new record)`],
		);
	notes.note(
		number,
		word === usual || isKnown ? undefined : false,
		`a new record has the ${field} ${String(word)}`,
	);
}
