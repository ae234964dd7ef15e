import type { INodeProperties } from 'n8n-workflow';
import type { EndpointName } from '../api/endpoints';
import { collect } from '../api/pages';
import type { Operation } from '../execution/operation';
import { asDate, asText, bodyOf } from '../execution/parameters';
import type { Parameters, Written } from '../execution/parameters';
import { amountFields, simplified, simplifyField } from '../execution/fields';

/** A filter of a list: its field in the form, and the query parameter it becomes. */
export interface Filter {
	field: INodeProperties;
	as: string;
	read?: Written['read'];
}

interface Listing {
	action: string;
	description: string;
	endpoint: EndpointName;
	/** Fields above the number of records. */
	before?: INodeProperties[];
	/** The identifier in the path, where the list belongs to something. */
	idOf?: (parameters: Parameters) => string;
	filters: Filter[];
	/** What can be sorted by, as the service names it. */
	sorts?: string[];
	/** What Simplify keeps. */
	simple: readonly string[];
}

/** A filter on a moment: `created_after` and the like. */
export const momentFilter = (as: string, displayName: string, what: string): Filter => ({
	as,
	read: asDate,
	field: {
		displayName,
		name: as.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
		type: 'dateTime',
		default: '',
		description: `Only those ${what} this moment, in the workflow's timezone`,
	},
});

/** A filter that searches for words. */
export const searchFilter = (example: string): Filter => ({
	as: 'q',
	field: {
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: 'Only those that contain these words',
	},
});

const titleCase = (name: string) =>
	name
		.split('_')
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');

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
			description: 'Which way to sort',
		},
		{
			displayName: 'Sort By',
			name: 'sort',
			type: 'options',
			default: first,
			options: [...sorts].sort().map((value) => ({ name: titleCase(value), value })),
			description: 'What to sort by',
		},
	];
}

const collectionOf = (
	displayName: string,
	name: string,
	options: INodeProperties[],
	description: string,
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder: `Add ${displayName.replace(/s$/, '')}`,
	default: {},
	description,
	options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
});

/** The operation that lists records, with all that belongs to a list: amount, filters, order, Simplify. */
export function getMany(listing: Listing): Operation {
	const { filters, sorts = [], simple } = listing;
	const filterFields = filters.map(({ field }) => field);
	const query: Record<string, Written> = {
		order: { as: 'order', label: 'Order', read: asText },
		sort: { as: 'sort', label: 'Sort By', read: asText },
	};
	for (const { field, as, read = asText } of filters) {
		query[field.name] = { as, label: field.displayName, read };
	}
	const fields = [...(listing.before ?? []), ...amountFields];
	if (filterFields.length) {
		fields.push(
			collectionOf('Filters', 'filters', filterFields, 'Which to return; all conditions must hold'),
		);
	}
	fields.push(simplifyField);
	if (sorts.length) {
		fields.push(collectionOf('Options', 'options', sortFields(sorts), 'How to return them'));
	}
	return {
		name: 'Get Many',
		value: 'getAll',
		action: listing.action,
		description: listing.description,
		fields,
		async run({ parameters, api }) {
			const chosen = { ...parameters.collection('filters'), ...parameters.collection('options') };
			const call = {
				id: listing.idOf?.(parameters),
				query: bodyOf(chosen, query, parameters.timezone),
			};
			const records = await collect(api, listing.endpoint, call, parameters.limit());
			return records.map((record) =>
				parameters.flag('simplify') ? simplified(record, simple) : { json: record },
			);
		},
	};
}
