import type { Answer, Call } from './call.ts';
import { readText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Row } from '../database/database.ts';
import { toSearchText } from '../database/listing.ts';
import type { Condition, ListQuery } from '../database/listing.ts';

/** A condition, and the value in it for what a filter was given. */
interface Comparison {
	sql: string;
	value: (given: string) => string;
}

/** The condition of each filter that compares more than a column with the filter's value. */
const comparisons: Record<string, Comparison> = {
	q: { sql: 'instr(search, ?) > 0', value: toSearchText },
	created_after: { sql: 'created_at > ?', value: utc },
	created_before: { sql: 'created_at < ?', value: utc },
	updated_after: { sql: 'updated_at > ?', value: utc },
	due_after: { sql: 'due_at > ?', value: utc },
	due_before: { sql: 'due_at < ?', value: utc },
	from: { sql: 'created_at >= ?', value: utc },
	to: { sql: 'created_at < ?', value: utc },
};

/** What a field is sorted by where its own texts have no useful order. */
const ranks: Record<string, string> = { priority: 'urgency' };

/** Parameters of a list that choose, order or cut nothing out of it by a column's value. */
const paging = new Set(['page', 'per_page', 'sort', 'order']);

/**
 * Answers one page of a table in the list envelope, filtered and sorted by the call's query. Every other query parameter of
 * the contract is the name of a column. `within` is what the list is limited to beforehand.
 */
export function listPage(
	call: Call,
	table: ListQuery['table'],
	within: Condition,
	fieldsOf: (row: Row) => JsonObject,
	{ tie, ...more }: { tie?: 'id' | 'n'; comparisons?: Record<string, Comparison> } = {},
): Answer {
	const query = call.query();
	const compare = { ...comparisons, ...more.comparisons };
	const sort = readText(query.sort) ?? 'created_at';
	const filters = Object.entries(query)
		.filter(([name]) => !paging.has(name))
		.map(([name, given]) => condition(compare[name], name, readText(given) ?? ''));
	const page = whole(query.page);
	const perPage = whole(query.per_page);
	const { rows, total } = call.service.listing.page({
		table,
		conditions: [within, ...filters],
		sort: ranks[sort] ?? sort,
		tie,
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

function condition(comparison: Comparison | undefined, name: string, given: string): Condition {
	if (!comparison) return { sql: `${name} = ?`, value: given };
	return { sql: comparison.sql, value: comparison.value(given) };
}

function utc(moment: string): string {
	return new Date(moment).toISOString();
}

function whole(value: Json | undefined): number {
	return typeof value === 'number' ? value : 1;
}
