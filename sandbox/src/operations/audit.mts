import { stringify } from 'csv-stringify/sync';
import type { Handler } from './call.mts';
import { isObject, readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import { toUtc } from '../platform/clock.mts';
import { listRecords } from './list-page.mts';

/** The operations on the audit log, by their name in the contract. */
export const auditOperations: Record<string, Handler> = {
	// Entries of one moment stay in the order in which they were made.
	'audit.list': listRecords('audit_entries', ({ audit }) => audit, { tie: 'n' }),

	'audit.export': {
		handle: ({ service: { audit, ids }, query, origin, context, isHead }) => {
			const [from, to] = [readText(query.from), readText(query.to)];
			const format = query.format === 'json' ? 'json' : 'csv';
			const name = `audit-log-${origin.time.slice(0, 10)}.${format}`;
			const batches = audit.span(context.dataset, from && toUtc(from), to && toUtc(to));
			const translate = (entry: JsonObject) => ids.translateOut(entry);
			if (!isHead) {
				audit.record(context, 'audit_log.exported', { type: 'audit_log', id: null, label: name });
			}
			return {
				status: 200,
				chunks: format === 'json' ? writeJson(batches, translate) : writeCsv(batches, translate),
				headers: {
					'Content-Type':
						format === 'json' ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8',
					'Content-Disposition': `attachment; filename="${name}"`,
					'X-Content-Type-Options': 'nosniff',
				},
			};
		},
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

/** Gives an entry with its identifiers as the service shows them. */
type Translate = (entry: JsonObject) => Json;

/** Writes entries as CSV (RFC 4180). No cell can be read as a formula by a spreadsheet. */
function* writeCsv(batches: Iterable<JsonObject[]>, translate: Translate): Iterable<string> {
	const options = { columns, escape_formulas: true, record_delimiter: 'windows' };
	yield stringify([], { ...options, header: true });
	for (const entries of batches) yield stringify(entries.map(translate).map(flatten), options);
}

function flatten(translated: Json): JsonObject {
	const { actor, target, changes, ...entry } = isObject(translated) ? translated : {};
	return {
		...entry,
		...prefixNames('actor', actor),
		...prefixNames('target', target),
		changes: JSON.stringify(changes),
	};
}

function prefixNames(prefix: string, value: Json | undefined): JsonObject {
	const entries = Object.entries(isObject(value) ? value : {});
	return Object.fromEntries(entries.map(([name, one]) => [`${prefix}_${name}`, one]));
}

function* writeJson(batches: Iterable<JsonObject[]>, translate: Translate): Iterable<string> {
	let before = '[';
	for (const entries of batches) {
		yield before + entries.map((entry) => JSON.stringify(translate(entry))).join(',\n');
		before = ',\n';
	}
	yield before === '[' ? '[]' : ']';
}
