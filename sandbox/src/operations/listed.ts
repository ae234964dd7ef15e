import type { Answer, Call } from '../http/call.ts';
import { textOf } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Row } from '../storage/database.ts';
import { searchable } from '../storage/listing.ts';
import type { Condition, ListQuery } from '../storage/listing.ts';

/** The condition of each filter that compares more than a column with the filter's value. */
const comparisons: Record<string, { sql: string; value: (given: string) => string }> = {
	q: { sql: 'instr(search, ?) > 0', value: searchable },
	created_after: { sql: 'created_at > ?', value: utc },
	created_before: { sql: 'created_at < ?', value: utc },
	updated_after: { sql: 'updated_at > ?', value: utc },
};

/** Parameters of a list that choose, order or cut nothing out of it by a column's value. */
const paging = new Set(['page', 'per_page', 'sort', 'order']);

/**
 * Answers one page of a table in the list envelope, filtered and sorted by the call's query. Every other query parameter of
 * the contract is the name of a column. `within` is what the list is limited to beforehand.
 */
export function listed(
	call: Call,
	table: ListQuery['table'],
	within: Condition,
	fieldsOf: (row: Row) => JsonObject,
): Answer {
	const query = call.query();
	const filters = Object.entries(query)
		.filter(([name]) => !paging.has(name))
		.map(([name, given]) => condition(name, textOf(given) ?? ''));
	const page = whole(query.page);
	const perPage = whole(query.per_page);
	const { rows, total } = call.service.listing.page({
		table,
		conditions: [within, ...filters],
		sort: textOf(query.sort) ?? 'created_at',
		order: query.order === 'asc' ? 'asc' : 'desc',
		page,
		perPage,
	});
	const totalPages = Math.ceil(total / perPage);
	return {
		status: 200,
		body: {
			data: rows.map(fieldsOf),
			pagination: {
				page,
				per_page: perPage,
				total,
				total_pages: totalPages,
				has_more: page < totalPages,
			},
		},
	};
}

function condition(name: string, given: string): Condition {
	const comparison = comparisons[name];
	if (!comparison) return { sql: `${name} = ?`, value: given };
	return { sql: comparison.sql, value: comparison.value(given) };
}

function utc(moment: string): string {
	return new Date(moment).toISOString();
}

function whole(value: Json | undefined): number {
	return typeof value === 'number' ? value : 1;
}
