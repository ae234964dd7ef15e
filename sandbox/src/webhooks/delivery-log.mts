import type { SQLInputValue } from 'node:sqlite';
import { parseObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import { Part } from '../platform/part.mts';

/** The column behind each filter. */
const columns = new Map<DeliveryFilterName, string>([
	['webhook_id', 'webhooks.id'],
	['organization_id', 'organization_id'],
	['event', 'events.kind'],
	['event_id', 'events.id'],
	['state', 'state'],
]);

type DeliveryFilterName = 'webhook_id' | 'organization_id' | 'event' | 'event_id' | 'state';

/** Which deliveries to list; all if it is empty. */
type DeliveryFilter = { [Name in DeliveryFilterName]?: string | undefined };

const joined = `deliveries JOIN events ON events.n = event JOIN webhooks ON webhooks.n = webhook
	JOIN datasets ON datasets.n = webhooks.dataset`;

/** Deliveries, finished and pending, for a person to see. */
export class DeliveryLog extends Part<{ database: Database }> {
	/** A page of deliveries with their attempts, the newest first, and how many there are. */
	page(filter: DeliveryFilter, page: number, perPage: number) {
		const { where, values } = toConditions(filter);
		const rows = this.parts.database.all(
			`SELECT ${described} FROM ${joined} WHERE ${where} ORDER BY deliveries.n DESC LIMIT ? OFFSET ?`,
			[...values, perPage, (page - 1) * perPage],
		);
		const count = `SELECT count(*) AS total FROM ${joined} WHERE ${where}`;
		return {
			data: rows.map((row) => this.#describe(row)),
			total: integer(this.parts.database.get(count, values)?.total),
		};
	}

	/** A delivery with its attempts and its envelope; nothing if there is none with this id. */
	find(id: string): JsonObject | undefined {
		const sql = `SELECT ${described}, body FROM ${joined} WHERE deliveries.id = ?`;
		const row = this.parts.database.get(sql, [id]);
		return row && { ...this.#describe(row), body: parseObject(text(row.body)) };
	}

	/** How many deliveries are in each state. */
	counts(): { pending: number; delivered: number; failed: number } {
		const sql = 'SELECT state, count(*) AS total FROM deliveries GROUP BY state';
		const rows = this.parts.database.all(sql, []);
		const of = (state: string) => integer(rows.find((row) => row.state === state)?.total ?? 0);
		return { pending: of('pending'), delivered: of('delivered'), failed: of('failed') };
	}

	#describe(row: Row): JsonObject {
		const attempts = this.parts.database
			.all('SELECT fields FROM attempts WHERE delivery = ? ORDER BY n', [integer(row.n)])
			.map(({ fields }, at) => ({ number: at + 1, ...parseObject(text(fields)) }));
		const state = text(row.state);
		return {
			id: text(row.id),
			event_id: text(row.event_id),
			event: text(row.kind),
			created_at: text(row.created_at),
			webhook_id: text(row.webhook_id),
			organization_id: text(row.organization_id),
			environment: text(row.environment),
			state,
			due_at: state === 'pending' ? new Date(integer(row.due_at)).toISOString() : null,
			attempts,
		};
	}
}

const described = `deliveries.n, deliveries.id, events.id AS event_id, events.kind, events.created_at, webhooks.id AS webhook_id,
	organization_id, datasets.kind AS environment, state, due_at`;

function toConditions(filter: DeliveryFilter): { where: string; values: SQLInputValue[] } {
	const conditions = ['1'];
	const values: SQLInputValue[] = [];
	for (const [name, column] of columns) {
		const value = filter[name];
		if (value === undefined) continue;
		conditions.push(`${column} = ?`);
		values.push(value);
	}
	return { where: conditions.join(' AND '), values };
}
