import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { JSON_LINES } from '../../api/json';
import { collect } from '../../api/pages/collect';
import { receiveFile } from '../../api/transfer/download';
import type { Arrival } from '../../api/transfer/download';
import { safeFileName } from '../../api/transfer/fileFacts';
import { auditEntryList, fromFilter, toFilter } from '../../execution/lists/auditEntries';
import { findPeriod } from '../../execution/dates';
import { outputField } from '../../execution/fields';
import { buildQuery } from '../../execution/lists/collect';
import { readConditions } from '../../execution/lists/filter';
import type { Condition } from '../../execution/lists/filter';
import type { Operation, Resource } from '../../execution/operation';
import { asDate, isEmpty } from '../../execution/parameters';
import type { Parameters } from '../../execution/parameters';
import { getMany } from '../many';

const getManyEntries = getMany({
	action: 'Get many audit log entries',
	description: 'List who did what and when, newest first',
	list: auditEntryList,
	output: 'AuditEntry',
});

const exportAs: INodeProperties = {
	displayName: 'Export As',
	name: 'exportAs',
	type: 'options',
	default: 'csv',
	options: [
		{ name: 'CSV File', value: 'csv', description: 'For spreadsheets' },
		{ name: 'Items', value: 'items', description: 'One output item for each entry' },
		{ name: 'JSON File', value: 'json', description: 'For other programs' },
	],
	description: 'The format of the entries',
};

const BOUNDS = 'bounds';

const periodField: INodeProperties = {
	displayName: 'Period',
	name: 'period',
	type: 'options',
	default: BOUNDS,
	options: [
		{ name: 'From and To', value: BOUNDS, description: 'Without either, the whole log' },
		{ name: 'Last Month', value: 'lastMonth' },
		{ name: 'This Month', value: 'thisMonth' },
		{ name: 'Yesterday', value: 'yesterday' },
	],
	description: "Which part of the log to export, in the workflow's timezone",
};

const boundFilters = [fromFilter, toFilter];

const boundFields = boundFilters.map(({ field }) => ({
	...field,
	displayOptions: { show: { [periodField.name]: [BOUNDS] } },
}));

/**
 * Reads which part of the log to export.
 *
 * @returns its bounds, as the service takes them, and what an entry has to pass: a service may include either bound; the
 * month or the day, if one was chosen
 * @throws Problem
 */
function readPeriod(parameters: Parameters): {
	bounds: IDataObject;
	conditions: Condition[];
	label?: string;
} {
	const timezone = parameters.timezone();
	const period = findPeriod(parameters.choice(periodField), timezone);
	const given = period?.bounds ?? {
		from: parameters.raw('from'),
		to: parameters.raw('to'),
	};
	const conditions = readConditions(boundFilters, given, timezone);
	const entered = Object.entries(given).filter(([, value]) => !isEmpty(value));
	const bounds = entered.map(([name, value]) => [name, asDate(value, name, timezone)]);
	return { bounds: Object.fromEntries(bounds) as IDataObject, conditions, label: period?.label };
}

/** What a service may give as an export, whatever was asked for: its media type, and the ending of a file. */
const EXPORT_TYPES = [
	[JSON_LINES, 'ndjson'],
	[/json/i, 'json'],
	[/csv/i, 'csv'],
] as const;

/** The entries of an export, which some services give in pages. */
async function exportRecords(api: Api, conditions: Condition[]): Promise<IDataObject[]> {
	const query = { ...buildQuery({ conditions }), format: 'json' };
	return await collect(api, 'audit.export', { query, isWhole: true }, undefined, (record) =>
		conditions.every(({ passes }) => passes(record, Date.now()) !== false),
	);
}

const exportLog: Operation = {
	name: 'Export',
	value: 'export',
	action: 'Export audit log',
	description: 'Get the audit log as a file, or as items',
	output: { file_name: 'string', mime_type: 'string', size_bytes: 'number' },
	fields: [
		exportAs,
		periodField,
		...boundFields,
		{ ...outputField, displayOptions: { show: { exportAs: ['csv', 'json'] } } },
	],
	async run({ parameters, api, files, isTool, note }) {
		const chosen = isTool ? 'items' : parameters.choice(exportAs);
		const { bounds, conditions, label } = readPeriod(parameters);
		if (label) note(`period: ${label}`);
		if (chosen === 'items') {
			const records = await exportRecords(api, conditions);
			note('exported');
			return records.map((json) => ({ json }));
		}
		const field = parameters.text('binaryPropertyName');
		const call = { query: { ...bounds, format: chosen } };
		const mimeType = chosen === 'csv' ? 'text/csv' : 'application/json';
		const name = label ? `audit-log-${label}` : 'audit-log';
		const expected = { fileName: `${name}.${chosen}`, mimeType };
		const keep = async (file: Arrival) => {
			const { mimeType: type = mimeType } = file;
			const ending = EXPORT_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? chosen;
			// The service names all exports alike, whatever part of the log they hold.
			const given = label ? undefined : safeFileName(file.fileName);
			const fileName = given ?? `${name}.${ending}`;
			return await files.store(file.content, fileName, type);
		};
		const binary = await receiveFile(api, 'audit.export', call, keep, expected);
		note('exported');
		const { fileName, bytes } = binary;
		return {
			json: { file_name: fileName, mime_type: binary.mimeType, size_bytes: bytes },
			binary: { [field]: binary },
		};
	},
};

export const auditLog: Resource = {
	name: 'Audit Log',
	value: 'auditLog',
	description: 'Who did what and when',
	access: 'key',
	operations: [getManyEntries, exportLog],
};
