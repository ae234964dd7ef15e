import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { parseSha256 } from '../../../api/transfer/fileFacts';
import { canonical, listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { applyNaming, nameField, serviceField } from '../../../dialect/names';
import { addZone, isTimeField, parseTime } from '../../../dialect/formats';
import { isWithin, outermost } from '../../../dialect/paths';
import { openAttributes } from '../../../dialect/translate';
import type { Check } from './draft';
import { isTime, listPlaces, readMoments } from './places';
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

/** Whether what a service shows is what was written, perhaps the day alone of a time. */
function isSame(written: unknown, shown: unknown): boolean {
	if (typeof written === 'string' && isTime(written))
		return shown === written.slice(0, 10) || readMoments(shown).includes(Date.parse(written));
	const text = toText(written);
	if (text === undefined) return JSON.stringify(shown) === JSON.stringify(written);
	return toText(shown) === text || parseSha256(shown) === text;
}

/**
 * Learns how names are written, if several names of the contract stand in a record in one way, and no name in another. The names
 * that the dialect gives are left aside, because two fields may have swapped theirs.
 */
function learnNaming({ draft }: Check, kind: RecordKind, places: readonly Place[]): void {
	const { naming: known, [kind]: { fields: given = {} } = {} } = draft.dialect;
	if (known !== undefined) return;
	const names = listLeaves(kind).filter((field) => /^[^.]+_/.test(field) && !(field in given));
	const left = new Set(Object.values(given).map((name) => outermost(name ?? '')));
	const free = places.filter(([path]) => !left.has(outermost(path)));
	const ways = (['snake_case', 'camelCase', 'PascalCase'] as const).map((naming) => {
		const isShown = (field: string) =>
			free.some(
				([path, value]) => path === applyNaming(field, naming) && isPlausible(field, value),
			);
		return { naming, shown: names.filter(isShown).map((field) => applyNaming(field, naming)) };
	});
	const [found, ...others] = ways.filter(({ shown }) => shown.length > 0);
	if (others.length) {
		const seen = ways.flatMap(({ shown }) => shown);
		draft.ask(['naming'], 'some names are written in another way than others', seen);
	} else if (found && found.shown.length > 1) {
		const other = found.naming === 'snake_case' ? /[a-z][A-Z]/ : /[a-z]_[a-z]/;
		if (!free.some(([path]) => other.test(outermost(path)))) draft.prove(['naming'], found.naming);
	}
}

/** Whether the node itself reads or writes a field. */
const isNeeded = (kind: RecordKind, field: string) =>
	kind === 'auditEntry'
		? ['action', 'created_at', 'target.id'].includes(field)
		: !canonical[kind].readOnly.includes(field) || /^(created|updated)_at$/.test(field);

/**
 * Compares the names of a record with those of the dialect. A field is proven by its value, and shown if its name is there
 * with a value that it can have. It asks for all others.
 *
 * @param written values that only their own field can have, if the check has just made the record
 */
export function learnNames(
	check: Check,
	kind: RecordKind,
	raw: IDataObject,
	written?: IDataObject,
): void {
	const { draft } = check;
	const places = listPlaces(openAttributes(draft.dialect, raw));
	learnNaming(check, kind, places);
	if (written) learnTimes(check, kind, places);
	const explained = [nameField(draft.dialect, kind, 'id')];
	const open: Array<{ field: string; name: string }> = [];
	for (const field of listLeaves(kind).filter((one) => one !== 'id')) {
		const name = serviceField(draft.dialect, kind, field);
		if (name === null) continue;
		const isWritten = written !== undefined && field in written;
		const fits = ([path, value]: Place) =>
			isWritten
				? isSame(written[field], value)
				: isWithin(name, path) && (path === name ? isPlausible(field, value) : value === null);
		const [found, ...others] = places.filter(fits).map(([path]) => path);
		if (found === name || others.includes(name) || (found !== undefined && !isWritten)) {
			explained.push(name);
			draft.settle([kind, 'fields', field]);
		} else if (found !== undefined && !others.length) {
			explained.push(found);
			draft.prove([kind, 'fields', field], found);
		} else if (isNeeded(kind, field)) open.push({ field, name });
	}
	const free = places.filter(
		([path]) => !explained.some((one) => isWithin(path, one) || isWithin(one, path)),
	);
	for (const { field, name } of open) {
		const fitting = free.filter(([, value]) => isPlausible(field, value));
		const seen = fitting.map(([path, value]) => `${path} (${describeValue(value)})`);
		// Only what was written is open although its name is shown.
		const isLost = fitting.some(([path]) => path === name);
		const advice = 'without what was written: if the service sets it itself, list it in readOnly';
		if (seen.length) draft.ask([kind, 'fields', field], isLost ? advice : '', seen);
	}
}

/** The end of a time in UTC. */
const UTC = /(Z|[+-]00:?00)$/i;

/** How long before or after this moment a time may be that the service has just written, in ms. */
const NOW = 10 * 60_000;

const isNow = (time = NaN) => Math.abs(time - Date.now()) < NOW;

/** Learns how a record that was just made writes its times. */
function learnTimes({ draft }: Check, kind: RecordKind, places: readonly Place[]): void {
	const name = serviceField(draft.dialect, kind, 'created_at');
	const text = toText(places.find(([path]) => path === name)?.[1]);
	const [ms, seconds] = readMoments(text);
	if (isNow(ms)) draft.prove(['times'], 'epochMilliseconds');
	else if (isNow(seconds)) draft.prove(['times'], 'epochSeconds');
	else if (text !== undefined && isNow(parseTime(text))) {
		draft.prove(['times'], 'iso');
		draft.see('zone of times', UTC.test(addZone(text)) ? 'UTC' : 'not UTC');
	}
}
