import type { IDataObject } from 'n8n-workflow';
import type { Api, Call } from '../api/client';
import { findRecordKind } from '../api/endpoints';
import type { EndpointName } from '../api/endpoints';
import { collect } from '../api/pages';
import { Problem, readRefusal } from '../api/problem';
import { toText } from '../api/values';
import { isObject } from '../dialect/paths';

/** Reads the values that a filter compares from a record; `undefined` if the record lacks the field. */
type Reader = (record: IDataObject) => unknown[] | undefined;

const readField =
	(...path: string[]): Reader =>
	(record) => {
		const value = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), record);
		return value === undefined ? undefined : [value].flat();
	};

/** The filters that compare another field than the one they are named after. */
const READERS: Record<string, Reader> = {
	dossier_id: (record) => readField('dossier_id')(record) ?? readField('dossier_ids')(record),
	actor_id: readField('actor', 'id'),
	target_id: readField('target', 'id'),
	target_type: readField('target', 'type'),
};

/** A filter on a time. A service may include the bound or not. */
interface Moment {
	field: string;
	/** Whether the time must be after (1) or before (-1) the bound. */
	sign: 1 | -1;
	/** Whether a record can be without the time, which then does not match: a task need not be due. */
	isOptional?: true;
}

const MOMENTS: Record<string, Moment> = {
	created_after: { field: 'created_at', sign: 1 },
	created_before: { field: 'created_at', sign: -1 },
	updated_after: { field: 'updated_at', sign: 1 },
	from: { field: 'created_at', sign: 1 },
	to: { field: 'created_at', sign: -1 },
	due_after: { field: 'due_at', sign: 1, isOptional: true },
	due_before: { field: 'due_at', sign: -1, isOptional: true },
};

/** Whether a value, or one inside it, contains a text in lower case. */
const contains = (value: unknown, text: string): boolean =>
	typeof value === 'object' && value !== null
		? Object.values(value).some((inner) => contains(inner, text))
		: toText(value)?.toLowerCase().includes(text) === true;

/** Filters whose values are words of a set. */
const WORDS = ['status', 'priority', 'category', 'type', 'action', 'target_type'];

/** A word in lower case without separators, since services spell words differently. */
const spell = (value: unknown) =>
	toText(value)
		?.toLowerCase()
		.replace(/[^\p{L}\p{N}@.]+/gu, '');

/** Whether a record passes one filter; `undefined` if the record lacks the field. */
function passes(record: IDataObject, key: string, wanted: unknown): boolean | undefined {
	const moment = MOMENTS[key];
	if (moment) {
		const value = record[moment.field];
		if (value === null && moment.isOptional) return false;
		const time = Date.parse(toText(value) ?? '');
		const bound = Date.parse(String(wanted));
		return Number.isNaN(time) ? undefined : (time - bound) * moment.sign >= 0;
	}
	if (key === 'q') return contains(record, String(wanted).toLowerCase());
	const values = (READERS[key] ?? readField(key))(record);
	const read = WORDS.includes(key) ? spell : toText;
	return values?.some((value) => read(value) === read(wanted));
}

/** Whether the service is sent a filter: a dialect may say that it has no such filter. */
function isSent({ translator }: Api, name: EndpointName, key: string): boolean {
	const kind = findRecordKind(name);
	return !kind || translator.filterName(kind, key) !== null;
}

/** A value that no record has. */
const IMPOSSIBLE = 'no-record-has-this-value';

/** Times that no record is after (1) and before (-1). */
const IMPOSSIBLE_TIMES = { [1]: '9999-12-31T00:00:00.000Z', [-1]: '1900-01-01T00:00:00.000Z' };

/** Asks for a value that no record has. A service that answers with records ignores the filter. */
async function isIgnored(api: Api, name: EndpointName, call: Call, key: string): Promise<boolean> {
	const moment = MOMENTS[key];
	const query = { ...call.query, [key]: moment ? IMPOSSIBLE_TIMES[moment.sign] : IMPOSSIBLE };
	const found = collect(api, name, { ...call, query }, 1).then(({ length }) => length > 0);
	return await found.catch((error: unknown) => {
		// A service that refuses the value has read the filter.
		if (readRefusal(error)) return false;
		throw error;
	});
}

/**
 * Lists the records that pass the filters. Each record is checked, because a service may ignore a filter, and the
 * next step may delete the records.
 *
 * @param onCut is called if there are more records than the limit allows
 * @param own the filters for which the caller compares the records that lack the field
 * @throws Problem if the service ignores a filter and the records lack its field
 */
export async function collectFiltered(
	api: Api,
	name: EndpointName,
	call: Call,
	limit: number | undefined,
	onCut: () => void,
	own: readonly string[],
): Promise<IDataObject[]> {
	// Only a service that searches knows which fields it looks at.
	const isChecked = (key: string) =>
		key === 'q' ? !isSent(api, name, key) : !/^(sort|order)$/.test(key);
	const filters = Object.entries(call.query ?? {}).filter(([key]) => isChecked(key));
	const unchecked = new Set<string>();
	const broken = new Set<string>();
	const believed = new Set<string>();
	const keep = (record: IDataObject) =>
		filters.reduce((isKept, [key, wanted]) => {
			const verdict = believed.has(key) || passes(record, key, wanted);
			if (verdict === undefined && !own.includes(key)) unchecked.add(key);
			if (verdict === false) broken.add(key);
			return isKept && verdict !== false;
		}, true);
	const records = await collect(api, name, call, limit, keep, onCut);
	for (const key of new Set([...unchecked, ...broken])) {
		const isTime = MOMENTS[key] !== undefined;
		// Words have several spellings, but a time that can be read has one meaning.
		if (isTime && !unchecked.has(key)) continue;
		const isBelieved = isSent(api, name, key) && !(await isIgnored(api, name, call, key));
		if (!isBelieved && unchecked.has(key)) throw new Problem('FILTER_IGNORED', { filter: key });
		if (isBelieved && !isTime) believed.add(key);
	}
	// If the service applies a filter, a record that seems not to pass only has another spelling.
	const isWrong = [...broken].some((key) => believed.has(key));
	return isWrong ? await collect(api, name, call, limit, keep) : records;
}
