import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { writeFilters } from '../../dialect/lists';
import { receiveFile } from '../../api/transfer/download';
import type { Arrival } from '../../api/transfer/download';
import { safeFileName } from '../../api/transfer/fileFacts';
import { createPageReader } from '../../api/pages/pageReader';
import { auditEntryList, fromFilter, toFilter } from '../../execution/lists/auditEntries';
import type { Operation, Resource } from '../../execution/operation';
import { asDate } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { outputField } from '../../execution/fields';
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

/** */
const query: Record<string, FieldMapping> = {
	from: { key: 'from', parse: asDate },
	to: { key: 'to', parse: asDate },
};

/** What a service may give as an export, whatever was asked for: its media type, and the ending of a file. */
const EXPORT_TYPES = [
	[/ndjson|json-?l|json-seq/i, 'ndjson'],
	[/json/i, 'json'],
	[/csv/i, 'csv'],
] as const;

/** The entries of an export, which some services give in pages. */
async function exportRecords(api: Api, bounds: IDataObject): Promise<IDataObject[]> {
	const { translator } = api;
	const readPage = createPageReader(translator, 'audit.export');
	const asked = new Set<string>();
	const records: IDataObject[] = [];
	let query: IDataObject | undefined = writeFilters(translator, 'auditEntry', bounds);
	while (query && !asked.has(JSON.stringify(query))) {
		asked.add(JSON.stringify(query));
		const answer = await api.answer('audit.export', { query, isWritten: true });
		const page = readPage(query, answer);
		records.push(...page.records);
		query = page.isNextNamed ? page.next : undefined;
	}
	return records;
}

const exportLog: Operation = {
	name: 'Export',
	value: 'export',
	action: 'Export audit log',
	description: 'Get the audit log as a file, or as items',
	output: { file_name: 'string', mime_type: 'string', size_bytes: 'number' },
	fields: [
		exportAs,
		{
			...fromFilter.field,
			description:
				"Only entries since this date and time, in the workflow's timezone. Without it, from the first one.",
		},
		{
			...toFilter.field,
			description:
				"Only entries until this date and time, in the workflow's timezone. Without it, up to the last one.",
		},
		{ ...outputField, displayOptions: { show: { exportAs: ['csv', 'json'] } } },
	],
	async run({ parameters, api, files, isTool, note }) {
		const chosen = isTool ? 'items' : parameters.choice(exportAs);
		const bounds = parameters.body(query);
		if (chosen === 'items') {
			const records = await exportRecords(api, { ...bounds, format: 'json' });
			note('exported');
			return records.map((json) => ({ json }));
		}
		const field = parameters.text('binaryPropertyName');
		const call = { query: { ...bounds, format: chosen } };
		const mimeType = chosen === 'csv' ? 'text/csv' : 'application/json';
		const expected = { fileName: `audit-log.${chosen}`, mimeType };
		const keep = async (file: Arrival) => {
			const { mimeType: type = mimeType } = file;
			const ending = EXPORT_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? chosen;
			const fileName = safeFileName(file.fileName) ?? `audit-log.${ending}`;
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
