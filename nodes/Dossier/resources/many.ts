import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { kindsByEndpoint } from '../api/endpoints';
import { toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { amountFields, optionsField, sortedCollection, toChoices } from '../execution/fields';
import { collectMatching } from '../execution/lists/collect';
import type { WantedRecords } from '../execution/lists/collect';
import { listEmptyFilters, readConditions } from '../execution/lists/filter';
import type { ListFilter, RecordList } from '../execution/lists/filter';
import type { ItemRun, Operation } from '../execution/operation';
import { listAbsent, outputFields, readShape } from '../execution/output';
import { asChoice, asOpenChoice } from '../execution/parameters';
import type { FieldMapping } from '../execution/parameters';
import { addPeople, peopleField, wantsPeople } from '../execution/people';
import { describeFilters, requireChoices, suggestWords } from '../execution/tool/choices';
import { findChoice, OWN_WORD } from '../execution/words';

interface Listing {
	action: string;
	description: string;
	list: RecordList;
	/** Fields above the limit. */
	before?: INodeProperties[];
	/** Reads the records, if the list belongs to a record. */
	read?: (run: ItemRun, wanted: WantedRecords) => Promise<IDataObject[]>;
	/** The schema of the contract that each record follows. */
	output: string;
}

function sortedBy(sorts: string[]): INodeProperties {
	const [first = ''] = sorts;
	return {
		displayName: 'Field',
		name: 'field',
		type: 'options',
		default: first,
		options: toChoices([...sorts].sort()),
		description: 'The field to sort by',
	};
}

const directionField: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	default: 'asc',
	options: [
		{ name: 'Ascending', value: 'asc' },
		{ name: 'Descending', value: 'desc' },
	],
	description: 'The direction to sort in',
};

/** The order of a list: a field and a direction. */
function sortField(sorts: string[]): INodeProperties {
	return {
		displayName: 'Sort',
		name: 'sort',
		type: 'fixedCollection',
		placeholder: 'Add Sort Rule',
		default: {},
		options: [
			{
				displayName: 'Sort Rule',
				name: 'rule',
				values: [sortedBy(sorts), directionField],
			},
		],
		description: 'The order of the records. Without it, the service chooses one.',
	};
}

/** How the order is sent. The service may sort by other fields than those of the form. */
const orderFields = (sorts: string[]): Record<string, FieldMapping> => ({
	field: { key: 'sort', parse: asOpenChoice(sortedBy(sorts)) },
	direction: { key: 'order', parse: (value) => asChoice(value, directionField) },
});

/** Words whose order only the service knows. */
const RANKED = ['category', 'priority', 'status'];

/** Both ways in which services order texts: by their letters in any case, and by their codes. */
const COMPARISONS = [
	(a: string, b: string) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' }),
	(a: string, b: string) => Number(a > b) - Number(a < b),
] as const;

/** The records in the order that was asked for, if the service has ignored it; those without a value come last. */
function putInOrder(records: IDataObject[], { sort, order }: IDataObject): IDataObject[] {
	const field = toText(sort) ?? '';
	if (RANKED.includes(field)) return records;
	const read = (record: IDataObject) => {
		const text = toText(record[field]) ?? '';
		const time = field.endsWith('_at') ? Date.parse(text) : NaN;
		return Number.isNaN(time) ? text : String(time);
	};
	const sign = order === 'desc' ? -1 : 1;
	const values = records.map(read).filter(Boolean);
	const isInOrder = COMPARISONS.some((compare) =>
		values.every((value, at) => sign * compare(values[at - 1] ?? value, value) <= 0),
	);
	if (isInOrder) return records;
	return [...records].sort((first, second) => {
		const [a, b] = [read(first), read(second)];
		return a && b ? sign * COMPARISONS[0](a, b) : Number(!a) - Number(!b);
	});
}

/** Whether a filter that has a list of words is given another one. */
function hasOwnWord({ field, own }: ListFilter, given: IDataObject): boolean {
	if (field.type !== 'options') return false;
	const word = toText(given[own && given[field.name] === OWN_WORD ? own.name : field.name])?.trim();
	return !!word && findChoice(field, word) === undefined;
}

/** Makes the operation that lists records, with a limit, filters, output and order. */
export function getMany(listing: Listing): Operation {
	const { endpoint, filters, sorts = [], simple } = listing.list;
	const fields = [...(listing.before ?? []), ...amountFields];
	if (filters.length) {
		const about = 'Which records to return. All conditions must be met.';
		const shown = filters.flatMap(({ field, own }) => (own ? [field, own] : [field]));
		fields.push(sortedCollection('Filters', 'filters', about, shown));
	}
	const kind = kindsByEndpoint[endpoint];
	if (kind) fields.push(...outputFields(kind, simple, 'simplified'));
	if (sorts.length) fields.push(sortField(sorts));
	const hasPeople = listing.list.hasPeople === true;
	if (hasPeople) fields.push(optionsField([peopleField]));
	return {
		name: 'Get Many',
		value: 'getAll',
		action: listing.action,
		description: listing.description,
		output: listing.output,
		fields,
		async run(run) {
			const { parameters, api, note, isTool } = run;
			const given = parameters.collection('filters');
			const conditions = readConditions(filters, given, parameters.timezone());
			const query = parameters.body(orderFields(sorts), 'sort.rule');
			const shape = readShape(parameters, simple);
			const limit = parameters.limit();
			const onCut = () => note('cut');
			const wanted = { endpoint, query, conditions, limit, onCut };
			const records = await (listing.read?.(run, wanted) ?? collectMatching(api, wanted));
			for (const label of listEmptyFilters(filters, given)) note(`empty filter: ${label}`);
			for (const field of listAbsent(parameters, records)) note(`absent: ${field}`);
			// An organization has words of its own; one that no record has is mistaken.
			if (isTool && !records.length) {
				requireChoices(filters, given);
				const entered = parameters.raw('filters');
				const notice =
					suggestWords(filters, given) ??
					describeFilters(filters, given, isObject(entered) ? entered : {});
				if (notice) return [{ json: { notice } }];
			}
			if (!records.length && filters.some((one) => hasOwnWord(one, given))) note('own word');
			const ordered = putInOrder(records, query);
			// Records that were not read may come before these.
			const cannotSort = query.sort !== undefined && api.translator.dialect.list?.sort === null;
			const isUnsorted = (cannotSort || ordered !== records) && records.length === limit;
			if (isUnsorted) note('unsorted');
			const listed = isUnsorted ? records : ordered;
			// n8n takes longer to read a field of the form than the node takes for a record.
			if (!hasPeople || !wantsPeople(run)) return listed.map(shape);
			return await Promise.all(listed.map(async (record) => await addPeople(run, record, shape)));
		},
	};
}
