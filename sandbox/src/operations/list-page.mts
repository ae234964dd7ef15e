import { toSearchText } from '../database/listing.mts';
import type { Condition, ListQuery, RecordReader } from '../database/listing.mts';
import { readText, toText } from '../platform/json.mts';
import { toUtc } from '../platform/clock.mts';
import type { Service } from '../service.mts';
import type { Answer, Call, Handler } from './call.mts';

/** A condition, and the value in it for what a filter was given. */
interface Comparison {
	sql: string;
	toValue: (given: string) => string;
}

/** The condition of each filter that compares more than a field with the filter's value. */
const comparisons: Record<string, Comparison> = {
	q: { sql: 'instr(search, ?) > 0', toValue: toSearchText },
	created_after: { sql: 'created_at > ?', toValue: toUtc },
	created_before: { sql: 'created_at < ?', toValue: toUtc },
	updated_after: { sql: 'updated_at > ?', toValue: toUtc },
	due_after: { sql: 'due_at > ?', toValue: toUtc },
	due_before: { sql: 'due_at < ?', toValue: toUtc },
	from: { sql: 'created_at >= ?', toValue: toUtc },
	to: { sql: 'created_at < ?', toValue: toUtc },
};

interface ListOptions {
	/** The column that breaks ties. */
	tie?: 'id' | 'n';
	comparisons?: Record<string, Comparison>;
}

/** The column to sort by, for fields whose texts do not sort in a useful order. */
const sortColumns: Record<string, string> = { priority: 'urgency' };

/** Parameters of a list that do not filter by a field's value. */
const paging = new Set(['page', 'per_page', 'sort', 'order']);

/**
 * Answers one page of a table in the list envelope, filtered and sorted by the call's query. Every other query parameter of
 * the contract is the name of a field. `within` limits the list before any filter.
 */
export function listPage(
	{ service, query, window: { skip, size } }: Call,
	table: ListQuery['table'],
	within: Condition,
	store: RecordReader,
	{ tie, ...more }: ListOptions = {},
): Answer {
	const compare = { ...comparisons, ...more.comparisons };
	const sort = readText(query.sort) ?? 'created_at';
	const filters = Object.entries(query)
		.filter(([name]) => !paging.has(name))
		.map(([name, given]): Condition => {
			const { sql, toValue } = compare[name] ?? {
				sql: `${service.listing.findField(table, name)} = ?`,
				toValue: (value: string) => value,
			};
			return { sql, value: toValue(toText(given)) };
		});
	const { rows, total } = service.listing.page({
		table,
		conditions: [within, ...filters],
		sort: sortColumns[sort] ?? sort,
		tie,
		order: query.order === 'asc' ? 'asc' : 'desc',
		skip,
		perPage: size,
	});
	const page = Math.floor(skip / size) + 1;
	return {
		status: 200,
		body: {
			data: rows.map((row) => store.readFields(row)),
			pagination: {
				page,
				per_page: size,
				total,
				total_pages: Math.ceil(total / size),
				has_more: skip + size < total,
			},
		},
	};
}

/** Lists the records of the caller's data. */
export function listRecords(
	table: ListQuery['table'],
	select: (service: Service) => RecordReader,
	options?: ListOptions,
): Handler {
	return {
		handle: (call) => {
			const within = { sql: 'dataset = ?', value: call.dataset };
			return listPage(call, table, within, select(call.service), options);
		},
	};
}
