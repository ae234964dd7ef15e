import type { IDataObject } from 'n8n-workflow';
import { kindsByEndpoint } from '../../api/endpoints';
import type { EndpointName } from '../../api/endpoints';
import { collect, noteServiceTime } from '../../api/pages/collect';
import type { ListApi } from '../../api/pages/pages';
import { Problem, readRefusal } from '../../problems/problem';
import type { Condition } from './filter';

/** Why some records cannot be compared by a condition: they lack its field, or its value is unreadable. */
type Gap = 'field' | 'value';

/** What to read of a list. */
export interface WantedRecords {
	endpoint: EndpointName;
	/** The identifier in the path. */
	id?: string;
	/** Further query parameters that are not compared, such as the order. A filter of the form goes before these. */
	query?: IDataObject;
	conditions: Condition[];
	/** How many records to give; all of them without it. */
	limit?: number;
	/** Called if there are more records than the limit allows. */
	onCut?: () => void;
	/** Which conditions the service ignores, as far as it was asked; several lists of one kind may share it. */
	ignored?: Map<Condition, Promise<boolean>>;
}

/** Whether the service is sent a condition: a dialect may say that it has no such filter. */
function isSent({ translator }: ListApi, endpoint: EndpointName, { query }: Condition): boolean {
	const kind = kindsByEndpoint[endpoint];
	return !!query && (!kind || translator.nameFilter(kind, query.parameter) !== null);
}

/** The query with the parameters of the conditions. If two have one name, the first counts. */
export function buildQuery({
	query = {},
	conditions,
}: Pick<WantedRecords, 'query' | 'conditions'>): IDataObject {
	const own = conditions.flatMap((one) =>
		one.query ? [[one.query.parameter, one.query.value]] : [],
	);
	return { ...query, ...(Object.fromEntries(own.reverse()) as IDataObject) };
}

/** Asks for a value that no record has. A service that answers with records ignores the filter. */
async function askIgnored(
	api: ListApi,
	wanted: WantedRecords,
	{ query }: Condition,
): Promise<boolean> {
	const changed = query && { [query.parameter]: query.impossible };
	const call = { id: wanted.id, query: { ...buildQuery(wanted), ...changed } };
	const found = collect(api, wanted.endpoint, call, 1).then(({ length }) => length > 0);
	return await found.catch((error: unknown) => {
		// A service that refuses the value has read the filter.
		if (readRefusal(error)) return false;
		throw error;
	});
}

/** Whether the service ignores a condition. Lists that share `ignored` ask once. */
async function isIgnored(
	api: ListApi,
	wanted: WantedRecords,
	condition: Condition,
): Promise<boolean> {
	const known = wanted.ignored?.get(condition);
	if (known) return await known;
	const asking = askIgnored(api, wanted, condition);
	wanted.ignored?.set(condition, asking);
	return await asking;
}

/**
 * Whether to keep a record that seems not to pass a condition: if the service applies the condition, it may know other spellings
 * of a word. A time has only one, so the service is asked about a time only if records do not show it.
 *
 * @param gap what some records do not show
 * @throws Problem if the service ignores the filter, and there is such a gap
 */
async function isBelieved(
	api: ListApi,
	wanted: WantedRecords,
	condition: Condition,
	gap?: Gap,
): Promise<boolean> {
	if (condition.decidedBy === 'node' && !gap) return false;
	const isApplied =
		isSent(api, wanted.endpoint, condition) && !(await isIgnored(api, wanted, condition));
	if (isApplied || !gap) return isApplied && condition.decidedBy !== 'node';
	const { filter: field, compares: lacks } = condition;
	throw new Problem('FILTER_IGNORED', { field, lacks, gap });
}

/** What some records do not show, by the results of a condition. */
function findGap(results: Array<ReturnType<Condition['passes']>>): Gap | undefined {
	if (results.includes('unreadable')) return 'value';
	return results.includes(undefined) ? 'field' : undefined;
}

/**
 * Lists the records that pass the conditions. Each record is checked, because a service may ignore a filter, and the
 * next step may delete the records.
 *
 * @throws Problem if the service ignores a filter and the records lack its field
 */
export async function collectMatching(api: ListApi, wanted: WantedRecords): Promise<IDataObject[]> {
	const { endpoint, id, conditions, limit, onCut } = wanted;
	const { api: timed, readTime } = noteServiceTime(api);
	const checked = conditions.filter(
		(one) => one.decidedBy !== 'service' || !isSent(api, endpoint, one),
	);
	const gaps = new Map<Condition, Gap>();
	/** Conditions whose field at least one record shows. */
	const shown = new Set<Condition>();
	/** Conditions by which a record without the field does not pass. */
	const emptyFails = new Set<Condition>();
	/** Conditions that some record seems not to meet. */
	const unmet = new Set<Condition>();
	/** Conditions that the service applies itself, so that its choice counts. */
	const believed = new Set<Condition>();
	const keep = (record: IDataObject) => {
		const now = Date.parse(readTime());
		return checked.reduce((isKept, condition) => {
			const isPassing = believed.has(condition) || condition.passes(record, now);
			const gap = findGap([isPassing]);
			if (!gap) shown.add(condition);
			else if (gap === 'value' || !gaps.has(condition)) gaps.set(condition, gap);
			if (isPassing === undefined && emptyFails.has(condition)) return false;
			if (isPassing === false) unmet.add(condition);
			return isKept && isPassing !== false;
		}, true);
	};
	const call = { id, query: buildQuery(wanted) };
	const records = await collect(
		timed,
		endpoint,
		call,
		limit,
		checked.length ? keep : undefined,
		onCut,
	);
	// A service that shows the field for others leaves it out for a record that has no value.
	for (const [condition, gap] of gaps)
		if (gap === 'field' && condition.isOptional && shown.has(condition)) emptyFails.add(condition);
	for (const condition of emptyFails) gaps.delete(condition);
	for (const condition of new Set([...gaps.keys(), ...unmet])) {
		if (await isBelieved(api, wanted, condition, gaps.get(condition))) believed.add(condition);
	}
	// If the service applies a filter, a record that seems not to pass only has another spelling.
	const isWrong = emptyFails.size > 0 || [...unmet].some((condition) => believed.has(condition));
	return isWrong ? await collect(timed, endpoint, call, limit, keep) : records;
}

/**
 * Keeps the records that pass the conditions, by the same rules as `collectMatching`.
 *
 * @param now the service's time
 * @throws Problem if the service ignores a filter and the records lack its field
 */
export async function keepMatching(
	api: ListApi,
	wanted: WantedRecords,
	records: IDataObject[],
	now: string,
): Promise<IDataObject[]> {
	const dropped = new Set<IDataObject>();
	for (const condition of wanted.conditions) {
		if (condition.decidedBy === 'service' && isSent(api, wanted.endpoint, condition)) continue;
		const results = records.map((record) => condition.passes(record, Date.parse(now)));
		const isShown = results.some((one) => typeof one === 'boolean');
		const passing = results.map((one) => one ?? (condition.isOptional && isShown ? false : one));
		if (passing.every((one) => one === true)) continue;
		if (await isBelieved(api, wanted, condition, findGap(passing))) continue;
		for (const [at, record] of records.entries()) if (passing[at] === false) dropped.add(record);
	}
	return records.filter((record) => !dropped.has(record));
}
