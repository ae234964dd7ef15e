import { stringify } from 'csv-stringify/sync';
import type { Handler } from './call.ts';
import { isObject, readText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import { listPage } from './list-page.ts';

/** The operations on the audit log, by their name in the contract. */
export const auditOperations: Record<string, Handler> = {
	'audit.list': (call) =>
		listPage(
			call,
			'audit_entries',
			{ sql: 'dataset = ?', value: call.dataset },
			(row) => call.service.audit.readFields(row),
			// Entries of one moment stay in the order in which they were made.
			{ tie: 'n' },
		),

	'audit.export': (call) => {
		const { from, to, ...query } = call.query();
		const { audit, ids } = call.service;
		const format = query.format === 'json' ? 'json' : 'csv';
		const name = `audit-log-${call.origin.time.slice(0, 10)}.${format}`;
		const pieces = audit.span(call.dataset, utc(from), utc(to));
		const shown = (entry: JsonObject) => ids.translateOut(entry);
		audit.record(call.context, 'audit_log.exported', { type: 'audit_log', id: null, label: name });
		return {
			status: 200,
			content: format === 'json' ? json(pieces, shown) : csv(pieces, shown),
			headers: {
				'Content-Type':
					format === 'json' ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8',
				'Content-Disposition': `attachment; filename="${name}"`,
				'X-Content-Type-Options': 'nosniff',
			},
		};
	},
};

const columns = [
	'id',
	'action',
	'actor_type',
	'actor_id',
	'actor_name',
	'target_type',
	'target_id',
	'target_label',
	'ip_address',
	'user_agent',
	'request_id',
	'created_at',
	'changes',
];

/** An entry with its identifiers as the service shows them. */
type Shown = (entry: JsonObject) => Json;

/** Entries as CSV (RFC 4180), in which no cell is a formula to a spreadsheet. */
function* csv(pieces: Iterable<JsonObject[]>, shown: Shown): Iterable<string> {
	const options = { columns, escape_formulas: true, record_delimiter: 'windows' };
	yield stringify([], { ...options, header: true });
	for (const entries of pieces) yield stringify(entries.map(shown).map(recordOf), options);
}

function recordOf(shown: Json): JsonObject {
	const { actor, target, changes, ...entry } = isObject(shown) ? shown : {};
	return {
		...entry,
		...prefixed('actor', actor),
		...prefixed('target', target),
		changes: JSON.stringify(changes),
	};
}

function prefixed(prefix: string, value: Json | undefined): JsonObject {
	const entries = Object.entries(isObject(value) ? value : {});
	return Object.fromEntries(entries.map(([name, one]) => [`${prefix}_${name}`, one]));
}

function* json(pieces: Iterable<JsonObject[]>, shown: Shown): Iterable<string> {
	let before = '[';
	for (const entries of pieces) {
		yield before + entries.map((entry) => JSON.stringify(shown(entry))).join(',\n');
		before = ',\n';
	}
	yield before === '[' ? '[]' : ']';
}

function utc(moment: Json | undefined): string | null {
	const given = readText(moment);
	return given === null ? null : new Date(given).toISOString();
}
