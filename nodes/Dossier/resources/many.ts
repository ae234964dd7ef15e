import type { INodeProperties } from 'n8n-workflow';
import type { EndpointName } from '../api/endpoints';
import type { Operation } from '../execution/operation';
import { asDate, asText } from '../execution/parameters';
import type { Parameters, FieldMapping } from '../execution/parameters';
import {
	amountFields,
	simplify,
	simplifyField,
	sortedCollection,
	titleCase,
} from '../execution/fields';
import { collectFiltered } from './filters';

/** A filter of a list: its field in the form, and the query parameter it becomes. */
interface Filter {
	field: INodeProperties;
	key: string;
	parse?: FieldMapping['parse'];
}

interface Listing {
	action: string;
	description: string;
	endpoint: EndpointName;
	/** Fields above the number of records. */
	before?: INodeProperties[];
	/** Reads the identifier in the path, if the list belongs to something. */
	readId?: (parameters: Parameters) => string;
	filters: Filter[];
	/** The fields to sort by, as the service names them. */
	sorts?: string[];
	/** The schema of the contract that each record follows. */
	output: string;
	/** The fields that Simplify keeps. */
	simple: readonly string[];
}

/** A filter on a moment: `created_after` and the like. */
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

function sortFields(sorts: string[]): INodeProperties[] {
	const [first = ''] = sorts;
	return [
		{
			displayName: 'Order',
			name: 'order',
			type: 'options',
			default: 'asc',
			options: [
				{ name: 'Ascending', value: 'asc' },
				{ name: 'Descending', value: 'desc' },
			],
			description: 'The direction to sort in',
		},
		{
			displayName: 'Sort By',
			name: 'sort',
			type: 'options',
			default: first,
			options: [...sorts].sort().map((value) => ({ name: titleCase(value), value })),
			description: 'The field to sort by',
		},
	];
}

/** The operation that lists records: with its limit, filters, order and Simplify. */
export function getMany(listing: Listing): Operation {
	const { filters, sorts = [], simple } = listing;
	const filterFields = filters.map(({ field }) => field);
	const query: Record<string, FieldMapping> = {
		order: { key: 'order', parse: asText },
		sort: { key: 'sort', parse: asText },
	};
	for (const { field, key, parse = asText } of filters) {
		query[field.name] = { key, parse };
	}
	const fields = [...(listing.before ?? []), ...amountFields];
	if (filterFields.length) {
		const about = 'Which records to return. All conditions must be met.';
		fields.push(sortedCollection('Filters', 'filters', about, filterFields));
	}
	fields.push(simplifyField);
	if (sorts.length) {
		fields.push(
			sortedCollection('Options', 'options', 'How to return the records', sortFields(sorts)),
		);
	}
	return {
		name: 'Get Many',
		value: 'getAll',
		action: listing.action,
		description: listing.description,
		output: listing.output,
		fields,
		async run({ parameters, api }) {
			const call = {
				id: listing.readId?.(parameters),
				query: parameters.body(query, 'filters', 'options'),
			};
			const records = await collectFiltered(api, listing.endpoint, call, parameters.limit());
			const isSimple = parameters.flag('simplify');
			return records.map((record) => (isSimple ? simplify(record, simple) : { json: record }));
		},
	};
}
