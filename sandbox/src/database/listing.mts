import type { SQLInputValue } from 'node:sqlite';
import type { JsonObject } from '../platform/json.mts';
import { integer, text } from './database.mts';
import type { Database, Row } from './database.mts';
import { Part } from '../platform/part.mts';

export interface Condition {
	sql: string;
	value: SQLInputValue;
}

/** One page of a table. `sort` and the SQL of the conditions come from the program, never from a caller. */
export interface ListQuery {
	table:
		| 'dossiers'
		| 'documents'
		| 'tasks'
		| 'portal_users'
		| 'audit_entries'
		| 'tenants'
		| 'webhooks';
	conditions: Condition[];
	sort: string;
	/** The column that breaks ties; default `id`. */
	tie?: 'id' | 'n';
	order: 'asc' | 'desc';
	/** How many rows are in front of the page. */
	skip: number;
	perPage: number;
}

interface ListPage {
	rows: Row[];
	/** How many rows meet the conditions, on all pages. */
	total: number;
}

/** A store that gives a row as the contract describes it. */
export interface RecordReader {
	readFields(row: Row): JsonObject;
}

const countsKept = 500;

/**
 * Pages through tables in a stable order: ties are broken by id, in the same direction.
 * A count is kept until the next change of any row, so walking through pages counts once.
 */
export class Listing extends Part<{ database: Database }> {
	readonly #counts = new Map<string, number>();
	#countedAt = -1;
	readonly #columns = new Map<string, Set<string>>();

	/** The SQL for a field of a table's records: its column or, for a field without one, its value in the JSON of the record. */
	findField(table: ListQuery['table'], name: string): string {
		let columns = this.#columns.get(table);
		if (!columns) {
			const rows = this.parts.database.all('SELECT name FROM pragma_table_xinfo(?)', [table]);
			columns = new Set(rows.map((row) => text(row.name)));
			this.#columns.set(table, columns);
		}
		return columns.has(name) ? name : `CAST(fields ->> '${name}' AS TEXT)`;
	}

	page(query: ListQuery): ListPage {
		const { table, conditions, skip, perPage } = query;
		const where = conditions.map(({ sql }) => sql).join(' AND ');
		const values = conditions.map(({ value }) => value);
		if (skip === 0) {
			const rows = this.#rows(query, where, values, perPage, 0, false);
			// A page that is not full shows the total.
			const total = rows.length < perPage ? rows.length : this.#count(table, where, values);
			return { rows, total };
		}
		const total = this.#count(table, where, values);
		const size = Math.min(perPage, total - skip);
		if (size <= 0) return { rows: [], total };
		// SQLite reads all rows in front of a page, so pages beyond the middle are read from the end.
		const fromEnd = skip > total / 2;
		const skipped = fromEnd ? total - skip - size : skip;
		return { rows: this.#rows(query, where, values, size, skipped, fromEnd), total };
	}

	#rows(
		{ table, sort, tie = 'id', order, conditions }: ListQuery,
		where: string,
		values: SQLInputValue[],
		size: number,
		skipped: number,
		fromEnd: boolean,
	): Row[] {
		const by = (direction: string) => `ORDER BY ${sort} ${direction}, ${tie} ${direction}`;
		const walked = fromEnd === (order === 'asc') ? 'desc' : 'asc';
		// Without a hint, SQLite searches by a filter and then sorts. A reference finds at most one dossier.
		const sorted =
			table === 'dossiers' && !conditions.some(({ sql }) => sql.startsWith('reference'));
		const index = sorted ? `INDEXED BY dossiers_by_${sort}` : '';
		return this.parts.database.all(
			// The inner query only reads an index; the outer one fetches the rows of the page.
			`SELECT ${table}.* FROM (SELECT n FROM ${table} ${index} WHERE ${where} ${by(walked)} LIMIT ? OFFSET ?)
			CROSS JOIN ${table} USING (n) ${by(order)}`,
			[...values, size, skipped],
		);
	}

	#count(table: string, where: string, values: SQLInputValue[]): number {
		const changes = this.parts.database.changes();
		if (changes !== this.#countedAt || this.#counts.size >= countsKept) {
			this.#counts.clear();
			this.#countedAt = changes;
		}
		const key = JSON.stringify([table, where, values]);
		const known = this.#counts.get(key);
		if (known !== undefined) return known;
		const row = this.parts.database.get(
			`SELECT count(*) AS total FROM ${table} WHERE ${where}`,
			values,
		);
		const total = integer(row?.total);
		this.#counts.set(key, total);
		return total;
	}
}

/** The text that `q` is compared with: the given texts in lower case, with composed letters in one form (NFKC). */
export function toSearchText(...texts: (string | null)[]): string {
	return texts
		.filter((one) => one !== null)
		.join('\n')
		.normalize('NFKC')
		.toLowerCase();
}
