import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { writeFilters } from '../../dialect/lists';
import { receiveFile } from '../../api/download';
import type { Arrival } from '../../api/download';
import { safeFileName } from '../../api/fileName';
import { readPage } from '../../api/readPage';
import type { Operation, Resource } from '../../execution/operation';
import { asDate } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { outputField } from '../../execution/fields';
import { getMany, momentFilter } from '../many';

const text = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	placeholder,
	description,
});

const from = momentFilter('from', 'From', 'since');
const to = momentFilter('to', 'To', 'until');

const getManyEntries = getMany({
	action: 'Get many audit log entries',
	description: 'List who did what and when, newest first',
	endpoint: 'audit.list',
	born: { time: 'created_at', after: 'from' },
	output: 'AuditEntry',
	filters: [
		{
			key: 'action',
			field: text('Action', 'action', 'e.g. document.uploaded', 'Only entries of this action'),
		},
		{
			key: 'actor_id',
			field: text(
				'Actor ID',
				'actorId',
				'e.g. usr_2b7d9e4f',
				'Only entries of what this user or key did',
			),
		},
		from,
		{
			key: 'target_id',
			field: text(
				'Target ID',
				'targetId',
				'e.g. dos_8f3k2m1q',
				'Only entries about the record with this ID',
			),
		},
		{
			key: 'target_type',
			field: text(
				'Target Type',
				'targetType',
				'e.g. document',
				'Only entries about records of this type',
			),
		},
		to,
	],
	simple: [
		'id',
		'action',
		'actor.type',
		'actor.id',
		'actor.name',
		'target.type',
		'target.id',
		'target.label',
		'created_at',
	],
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

/** The entries of an export, which some services give in pages. */
async function exportRecords(api: Api, bounds: IDataObject): Promise<IDataObject[]> {
	const { translator } = api;
	const asked = new Set<string>();
	const records: IDataObject[] = [];
	let query: IDataObject | undefined = writeFilters(translator, 'auditEntry', bounds);
	while (query && !asked.has(JSON.stringify(query))) {
		asked.add(JSON.stringify(query));
		const answer = await api.answer('audit.export', { query, isWritten: true });
		const page = readPage({ translator, name: 'audit.export', query }, answer);
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
		from.field,
		to.field,
		{ ...outputField, displayOptions: { show: { exportAs: ['csv', 'json'] } } },
	],
	async run({ parameters, api, files, isTool }) {
		const chosen = isTool ? 'items' : parameters.text('exportAs');
		const bounds = parameters.body(query);
		if (chosen === 'items') {
			const records = await exportRecords(api, { ...bounds, format: 'json' });
			return records.map((json) => ({ json }));
		}
		const field = parameters.text('binaryPropertyName');
		const call = { query: { ...bounds, format: chosen } };
		const mimeType = chosen === 'csv' ? 'text/csv' : 'application/json';
		const expected = { fileName: `audit-log.${chosen}`, mimeType };
		const keep = async (file: Arrival) => {
			const fileName = safeFileName(file.fileName) ?? expected.fileName;
			return await files.store(file.content, fileName, file.mimeType ?? mimeType);
		};
		const binary = await receiveFile(api, 'audit.export', call, keep, expected);
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
