import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { findRecordKind } from '../api/endpoints';
import type { EndpointName } from '../api/endpoints';
import { Problem } from '../api/problem';
import { toText } from '../api/values';
import { isObject } from '../dialect/paths';
import type { Operation } from '../execution/operation';
import { asDate, asText, isLocator } from '../execution/parameters';
import type { Parameters, FieldMapping } from '../execution/parameters';
import { amountFields, sortedCollection, toTitle } from '../execution/fields';
import { outputFields, readShape } from '../execution/output';
import { collectFiltered } from './filters';

/** A filter of a list: its field in the form, and the query parameter that is sent. */
interface Filter {
	field: INodeProperties;
	key: string;
	parse?: FieldMapping['parse'];
}

interface Listing {
	action: string;
	description: string;
	endpoint: EndpointName;
	/** Fields above the limit. */
	before?: INodeProperties[];
	/** Reads the identifier in the path, if the list belongs to a record. */
	readId?: (parameters: Parameters) => string;
	filters: Filter[];
	/** The field with the time of creation, and the filter on it, if the list has one. */
	born?: { time: string; after?: string };
	/** The fields to sort by, as the service names them. */
	sorts?: string[];
	/** The schema of the contract that each record follows. */
	output: string;
	/** The fields of a simplified record: ten at most, a dot leads into a nested object. */
	simple: readonly string[];
}

/** A filter on a time, such as `created_after`. */
export const momentFilter = (key: string, displayName: string, what: string): Filter => ({
	key,
	parse: asDate,
	field: {
		displayName,
		name: key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
		type: 'dateTime',
		default: '',
		description: `Only records ${what} this date and time, in the workflow's timezone`,
	},
});

/** A filter that searches for words. */
export const searchFilter = (example: string): Filter => ({
	key: 'q',
	field: {
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: 'Only records that contain these words',
	},
});

/** The order of a list: a field and a direction. */
function sortField(sorts: string[]): INodeProperties {
	const [first = ''] = sorts;
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
				values: [
					{
						displayName: 'Field',
						name: 'field',
						type: 'options',
						default: first,
						options: [...sorts].sort().map((value) => ({ name: toTitle(value), value })),
						description: 'The field to sort by',
					},
					{
						displayName: 'Direction',
						name: 'direction',
						type: 'options',
						default: 'asc',
						options: [
							{ name: 'Ascending', value: 'asc' },
							{ name: 'Descending', value: 'desc' },
						],
						description: 'The direction to sort in',
					},
				],
			},
		],
		description: 'The order of the records. Without it, the service chooses one.',
	};
}

/** The query parameters for the chosen order. */
function readOrder(parameters: Parameters): IDataObject {
	const { rule } = parameters.collection('sort');
	if (!isObject(rule)) return {};
	return { sort: toText(rule.field), order: toText(rule.direction) };
}

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

const hasValue = (held: unknown) => ((isLocator(held) ? held.value : held) ?? null) !== null;

/** Replaces query parameters; a time only by a later one. */
const narrow = (query: IDataObject, more: IDataObject): IDataObject => {
	const later = Object.entries(more).filter(([key, value]) => {
		const chosen = Date.parse(toText(query[key]) ?? '');
		return !(chosen > Date.parse(toText(value) ?? ''));
	});
	return { ...query, ...Object.fromEntries(later) };
};

const newOnlyFields: INodeProperties[] = [
	{
		displayName: 'Only What Is New',
		name: 'onlyNew',
		type: 'boolean',
		default: false,
		description:
			'Whether to return only records that came since the last successful execution of this workflow, oldest first',
	},
	{
		displayName:
			'The first execution returns nothing: it begins now. What an execution returned that failed or still waits comes again. n8n has to keep the last successful execution, so let the workflow save it. Executions that overlap may return the same records. A manual execution shows what is new and takes nothing; before the first one, it shows the newest.',
		name: 'onlyNewNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { onlyNew: [true] } },
	},
];

/** Makes the operation that lists records, with a limit, filters, output and order. */
export function getMany(listing: Listing): Operation {
	const { filters, sorts = [], simple } = listing;
	const filterFields = filters.map(({ field }) => field);
	const query: Record<string, FieldMapping> = {};
	for (const { field, key, parse = asText } of filters) {
		query[field.name] = { key, parse };
	}
	const { born } = listing;
	const fields = [...(listing.before ?? []), ...amountFields, ...(born ? newOnlyFields : [])];
	if (filterFields.length) {
		const about = 'Which records to return. All conditions must be met.';
		fields.push(sortedCollection('Filters', 'filters', about, filterFields));
	}
	const kind = findRecordKind(listing.endpoint);
	if (kind) fields.push(...outputFields(kind, simple, 'simplified'));
	if (sorts.length) fields.push(sortField(sorts));
	return {
		name: 'Get Many',
		value: 'getAll',
		action: listing.action,
		description: listing.description,
		output: listing.output,
		fields,
		async run({ parameters, api, note, takeNew }) {
			const given = parameters.collection('filters');
			// Empty text means no filter. An expression that finds no value is mistyped, and would return every record.
			const missing = filters.find(
				({ field: { name } }) => name in given && !hasValue(given[name]),
			);
			if (missing) throw new Problem('FIELD_EMPTY', { field: missing.field.name });
			const order = readOrder(parameters);
			const call = {
				id: listing.readId?.(parameters),
				query: { ...parameters.body(query, 'filters'), ...order },
			};
			const shape = readShape(parameters, simple);
			const limit = parameters.limit();
			const { endpoint } = listing;
			const read = async (more: IDataObject, most?: number) => {
				const narrowed = { ...call, query: narrow(call.query, more) };
				const own = Object.keys(more);
				return await collectFiltered(api, endpoint, narrowed, most, () => note('cut'), own);
			};
			const isNew = born && parameters.flag('onlyNew');
			if (isNew) {
				const records = await takeNew({ api, endpoint, id: call.id, ...born, limit, read });
				return records.map(shape);
			}
			const records = await read({}, limit);
			const ordered = putInOrder(records, order);
			// Records that were not read may come before these.
			const isUnsorted = ordered !== records && records.length === limit;
			if (isUnsorted) note('unsorted');
			return (isUnsorted ? records : ordered).map(shape);
		},
	};
}
