import type { IDataObject } from 'n8n-workflow';
import type { Api, Call } from '../api/client';
import { findRecordKind } from '../api/endpoints';
import type { EndpointName } from '../api/endpoints';
import { collect } from '../api/pages';
import { Problem, readRefusal } from '../api/problem';
import { isRecord, toText } from '../api/values';

/** Reads what a filter compares out of a record; `undefined` if the record does not tell. */
type Reader = (record: IDataObject) => unknown[] | undefined;

const readField =
	(...path: string[]): Reader =>
	(record) => {
		const value = path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), record);
		return value === undefined ? undefined : [value].flat();
	};

/** Filters that compare another field than the one they are named after. */
const READERS: Record<string, Reader> = {
	dossier_id: (record) => readField('dossier_id')(record) ?? readField('dossier_ids')(record),
	actor_id: readField('actor', 'id'),
	target_id: readField('target', 'id'),
	target_type: readField('target', 'type'),
};

/** Filters on a moment: the field, and which way it must lie from the moment. A bound itself may belong to either side. */
const MOMENTS: Record<string, { field: string; sign: 1 | -1 }> = {
	created_after: { field: 'created_at', sign: 1 },
	created_before: { field: 'created_at', sign: -1 },
	updated_after: { field: 'updated_at', sign: 1 },
	from: { field: 'created_at', sign: 1 },
	to: { field: 'created_at', sign: -1 },
};

/** A search for words matches whatever the service looks through. */
const UNCHECKED = ['q', 'sort', 'order'];

/** Filters whose values are words of a set. */
const WORDS = ['status', 'priority', 'category', 'type', 'action', 'target_type'];

/** A word without regard to how a service spells it. */
const spell = (value: unknown) =>
	toText(value)
		?.toLowerCase()
		.replace(/[^\p{L}\p{N}@.]+/gu, '');

/** Whether a record passes one filter; `undefined` if the record does not tell. */
function passes(record: IDataObject, key: string, wanted: unknown): boolean | undefined {
	const moment = MOMENTS[key];
	if (moment) {
		const time = Date.parse(toText(record[moment.field]) ?? '');
		const bound = Date.parse(String(wanted));
		return Number.isNaN(time) ? undefined : (time - bound) * moment.sign >= 0;
	}
	const values = (READERS[key] ?? readField(key))(record);
	const read = WORDS.includes(key) ? spell : toText;
	return values?.some((value) => read(value) === read(wanted));
}

/** Whether the service gets a filter at all: a dialect may say that it has none of this name. */
function isSent({ translator }: Api, name: EndpointName, key: string): boolean {
	const kind = findRecordKind(name);
	return !kind || translator.filterName(kind, key) !== null;
}

/** Text that no record holds. */
const IMPOSSIBLE = 'no-record-has-this-value';

/** Asks for what no record can match; a service that answers with records ignores the filter. */
async function isIgnored(api: Api, name: EndpointName, call: Call, key: string): Promise<boolean> {
	const query = { ...call.query, [key]: IMPOSSIBLE };
	const found = collect(api, name, { ...call, query }, 1).then(({ length }) => length > 0);
	return await found.catch((error: unknown) => {
		// A service that refuses the value, or that knows no such dossier, has read it.
		if (readRefusal(error)) return false;
		throw error;
	});
}

/**
 * Lists records that pass the filters. Each record is checked, because a service may ignore a filter and a step
 * that deletes what it gets may follow.
 *
 * @param onCut is called if there are more records than the limit allows
 * @throws Problem if the service ignores a filter that the records themselves do not answer
 */
export async function collectFiltered(
	api: Api,
	name: EndpointName,
	call: Call,
	limit: number | undefined,
	onCut: () => void,
): Promise<IDataObject[]> {
	const filters = Object.entries(call.query ?? {}).filter(([key]) => !UNCHECKED.includes(key));
	const untold = new Set<string>();
	const broken = new Set<string>();
	const believed = new Set<string>();
	const keep = (record: IDataObject) =>
		filters.reduce((isKept, [key, wanted]) => {
			const verdict = believed.has(key) || passes(record, key, wanted);
			if (verdict === undefined && !MOMENTS[key]) untold.add(key);
			if (verdict === false) broken.add(key);
			return isKept && verdict !== false;
		}, true);
	const records = await collect(api, name, call, limit, keep, onCut);
	for (const key of new Set([...untold, ...broken])) {
		if (MOMENTS[key]) continue;
		const isBelieved = !isSent(api, name, key) ? false : !(await isIgnored(api, name, call, key));
		if (isBelieved) believed.add(key);
		else if (untold.has(key)) throw new Problem('FILTER_IGNORED', { filter: key });
	}
	// A service that honours a filter may spell its words in its own way.
	const isWrong = [...broken].some((key) => believed.has(key));
	return isWrong ? await collect(api, name, call, limit, keep) : records;
}
