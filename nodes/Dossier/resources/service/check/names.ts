import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { parseSha256 } from '../../../api/transfer/fileFacts';
import { canonical, listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { applyNaming, serviceField } from '../../../dialect/names';
import { addZone, isTimeField, parseTime } from '../../../dialect/formats';
import type { Check } from './made';
import { isTime, readMoments } from './places';
import type { Place } from './places';

function describeValue(value: unknown): string {
	if (value === null || value === undefined || value === '') return 'empty';
	if (Array.isArray(value)) return 'list';
	if (typeof value === 'boolean') return 'true or false';
	if (typeof value !== 'string') return typeof value;
	return isTime(value) ? 'time' : 'text';
}

/** Whether a value can be that of a field, by its kind alone. */
function isPlausible(field: string, value: unknown): boolean {
	const kind = describeValue(value);
	if (kind === 'empty') return field !== 'created_at';
	if (isTimeField(field)) return isTime(value);
	if (field === 'tags' || field.endsWith('_ids')) return kind === 'list';
	if (field === 'custom_fields' || field === 'changes') return kind === 'object';
	return kind === 'text' || kind === 'number';
}

/** Whether what a service shows is what was written. */
function isSame(written: unknown, shown: unknown): boolean {
	if (typeof written === 'string' && isTime(written))
		return readMoments(shown).includes(Date.parse(written));
	const text = toText(written);
	if (text === undefined) return JSON.stringify(shown) === JSON.stringify(written);
	return toText(shown) === text || parseSha256(shown) === text;
}

const NAMINGS = ['snake_case', 'camelCase', 'PascalCase'] as const;

/**
 * Learns how names are written, if several names of the contract stand in a record in one way, and none in another. The names
 * that the dialect gives are left aside, because two fields may have swapped theirs.
 */
function learnNaming({ draft }: Check, kind: RecordKind, places: readonly Place[]): void {
	const { naming: known, [kind]: { fields: given = {} } = {} } = draft.dialect;
	if (known !== undefined) return;
	const names = listLeaves(kind).filter((field) => /^[^.]+_/.test(field) && !(field in given));
	const free = places.filter(([path]) => !Object.values(given).includes(path));
	const ways = NAMINGS.map((naming) => {
		const shown = names.filter((name) => {
			const theirs = applyNaming(name, naming);
			return free.some(([path, value]) => path === theirs && isPlausible(name, value));
		});
		return { naming, shown: shown.map((name) => applyNaming(name, naming)) };
	});
	const [found, ...others] = ways.filter(({ shown }) => shown.length > 0);
	if (others.length) {
		const seen = ways.flatMap(({ shown }) => shown);
		draft.ask(['naming'], 'some names are written in another way than others', seen);
	} else if (found && found.shown.length > 1) draft.prove(['naming'], found.naming);
}

/** What to do about a field that the service does not keep. */
const READ_ONLY = 'without what was written: if the service sets it itself, list it in readOnly';

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
	places: readonly Place[],
	written: IDataObject = {},
): void {
	learnNaming(check, kind, places);
	const { draft } = check;
	const explained = [serviceField(draft.dialect, kind, 'id') ?? 'id'];
	const open: Array<{ field: string; name: string }> = [];
	for (const field of listLeaves(kind).filter((one) => one !== 'id')) {
		const name = serviceField(draft.dialect, kind, field);
		if (name === null) continue;
		const isWritten = field in written;
		const [holding, ...others] = places
			.filter(([, value]) => isWritten && isSame(written[field], value))
			.map(([path]) => path);
		const shown = places.find(
			([path, value]) => path === name || (value === null && name.startsWith(`${path}.`)),
		);
		if (holding === name || others.includes(name)) explained.push(name);
		else if (holding !== undefined && !others.length) {
			explained.push(holding);
			draft.prove([kind, 'fields', field], holding);
		} else if (!isWritten && shown && isPlausible(field, shown[1])) explained.push(shown[0]);
		else if (isNeeded(kind, field)) open.push({ field, name });
	}
	const isWithin = (path: string, outer: string) => `${path}.`.startsWith(`${outer}.`);
	const free = places.filter(
		([path]) => !explained.some((one) => isWithin(path, one) || isWithin(one, path)),
	);
	for (const { field, name } of open) {
		const fitting = free.filter(([, value]) => isPlausible(field, value));
		const seen = fitting.map(([path, value]) => `${path} (${describeValue(value)})`);
		// Only what was written is open although its name is shown.
		const about = fitting.some(([path]) => path === name) ? READ_ONLY : '';
		if (seen.length) draft.ask([kind, 'fields', field], about, seen);
	}
}

/** How long before or after this moment a time may be that the service has just written, in ms. */
const NOW = 10 * 60_000;

const isNow = (time: number) => Math.abs(time - Date.now()) < NOW;

/** Learns how a record that was just made writes its times. */
export function learnTimes({ draft }: Check, kind: RecordKind, places: readonly Place[]): void {
	const name = serviceField(draft.dialect, kind, 'created_at');
	const text = toText(places.find(([path]) => path === name)?.[1]);
	const [ms = NaN, seconds = NaN] = readMoments(text);
	if (isNow(ms) || isNow(seconds))
		draft.prove(['times'], isNow(ms) ? 'epochMilliseconds' : 'epochSeconds');
	else if (text !== undefined && isNow(parseTime(text))) {
		draft.prove(['times'], 'iso');
		draft.see('zone of times', addZone(text).endsWith('Z') ? 'UTC' : 'another');
	}
}
