import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { formatName } from '../portal/portal-users.mts';
import { formatId } from './datasets.mts';
import type { Dataset, RecordQuery } from './datasets.mts';
import { readType } from './fields.mts';
import {
	badge,
	copyable,
	formatBytes,
	formatValue,
	timestamp,
	toWords,
	userText,
} from './elements.mts';
import type { Column, Html } from './elements.mts';

/** One of the lists of records. */
export interface RecordList {
	name: string;
	/** The last part of its address. */
	path: string;
	/** The sentence for an empty list. */
	empty: string;
	hasSearch: boolean;
	query: (service: Service) => RecordQuery;
	columns: (service: Service, dataset: Dataset) => Column<JsonObject>[];
}

const timeColumn = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => timestamp(readText(record[name])),
});
const textColumn = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => userText(readText(record[name])),
});
const badgeColumn = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => badge(toWords(readText(record[name]) ?? '')),
});
const linkDossier = (service: Service, { n, path }: Dataset, id: string | null) =>
	id === null
		? userText(null)
		: html`<a href="${path}/dossiers/${encodeURIComponent(id)}"
				>${userText(readText(service.dossiers.find(n, id).fields.title))}</a
			>`;
/** The title of a record, with its identifier below. */
const nameColumn = (
	service: Service,
	head: string,
	write: (record: JsonObject) => Html,
): Column<JsonObject> => ({
	head,
	cell: (record) =>
		html`${write(record)}
			<div class="record-id">${copyable(formatId(service, readText(record.id)), 'the ID')}</div>`,
});

const dossiers: RecordList = {
	name: 'Dossiers',
	path: 'dossiers',
	empty: 'There are no dossiers yet. Create one below, or with POST /v1/dossiers.',
	hasSearch: true,
	query: ({ dossiers: store }) => ({ table: 'dossiers', store }),
	columns: (service, { path }) => [
		nameColumn(
			service,
			'Title',
			(record) =>
				html`<a href="${path}/dossiers/${encodeURIComponent(readText(record.id) ?? '')}"
					>${userText(readText(record.title))}</a
				>`,
		),
		textColumn('Reference', 'reference'),
		badgeColumn('Status', 'status'),
		{ head: 'Documents', kind: 'number', cell: (record) => formatValue(record.document_count) },
		timeColumn('Created', 'created_at'),
	],
};

const portalUsers: RecordList = {
	name: 'Portal users',
	path: 'portal-users',
	empty: 'There are no portal users yet. Invite one in n8n, or with POST /v1/portal/invite.',
	hasSearch: true,
	query: ({ portalUsers: store }) => ({ table: 'portal_users', sort: 'invited_at', store }),
	columns: (service) => [
		nameColumn(service, 'Name', (record) => userText(formatName(record))),
		textColumn('Email', 'email'),
		textColumn('Phone', 'phone'),
		badgeColumn('Status', 'status'),
		{ head: 'Dossiers', kind: 'number', cell: ({ dossier_ids }) => formatLength(dossier_ids) },
		timeColumn('Last access', 'last_access_at'),
	],
};

/** The columns of the tasks of a dossier. */
export const taskColumns = (service: Service): Column<JsonObject>[] => [
	nameColumn(service, 'Title', ({ title }) => userText(readText(title))),
	badgeColumn('Status', 'status'),
	badgeColumn('Priority', 'priority'),
	timeColumn('Due', 'due_at'),
];

const tasks: RecordList = {
	name: 'Tasks',
	path: 'tasks',
	empty: 'There are no tasks yet. Create one in n8n, or with POST /v1/tasks.',
	hasSearch: true,
	query: ({ tasks: store }) => ({ table: 'tasks', store }),
	columns: (service, dataset) => [
		...taskColumns(service),
		{ head: 'Dossier', cell: ({ dossier_id: id }) => linkDossier(service, dataset, readText(id)) },
	],
};

function thumbnail(path: string, document: JsonObject): Html | string {
	if (!/^image\/(png|jpeg|gif|webp)$/.test(readType(document))) return '';
	const id = encodeURIComponent(readText(document.id) ?? '');
	return html`<img
		class="thumbnail"
		src="${path}/documents/${id}/content"
		alt=""
		width="40"
		height="40"
		loading="lazy"
	/>`;
}

/** The columns of the documents of a dossier. */
export const documentColumns = (service: Service, { path }: Dataset): Column<JsonObject>[] => [
	nameColumn(
		service,
		'File',
		(one) =>
			html`${thumbnail(path, one)}<a
					href="${path}/documents/${encodeURIComponent(readText(one.id) ?? '')}"
					>${userText(readText(one.file_name))}</a
				>`,
	),
	textColumn('Title', 'title'),
	badgeColumn('Category', 'category'),
	{ head: 'Size', kind: 'number', cell: (one) => formatBytes(Number(one.size_bytes)) },
	timeColumn('Added', 'created_at'),
];

const auditLog: RecordList = {
	name: 'Audit log',
	path: 'audit-log',
	empty: 'The audit log is empty.',
	hasSearch: false,
	query: ({ audit: store }) => ({ table: 'audit_entries', tie: 'n', store }),
	columns: (service) => [
		timeColumn('When', 'created_at'),
		{ head: 'Action', cell: ({ action }) => html`<span class="nowrap">${readText(action)}</span>` },
		{
			head: 'On',
			cell: ({ target }) => userText(readPart(target, 'label') ?? readPart(target, 'id')),
		},
		{
			head: 'By',
			cell: ({ actor }) =>
				html`${userText(readPart(actor, 'name') ?? toWords(readPart(actor, 'type') ?? ''))}
					<span class="quiet small-print"
						><bdi>${formatId(service, readPart(actor, 'id'))}</bdi></span
					>`,
		},
		{
			head: 'From',
			cell: ({ ip_address }) => html`<span class="nowrap">${readText(ip_address) ?? '–'}</span>`,
		},
		{
			head: 'Changes',
			cell: ({ changes }) =>
				formatLength(changes) === '0'
					? userText(null)
					: html`<details>
							<summary>${Object.keys(isObject(changes) ? changes : {}).join(', ')}</summary>
							<pre tabindex="0" aria-label="Changes"><bdi>${JSON.stringify(
								service.ids.translateOut(changes ?? null),
								null,
								2,
							)}</bdi></pre>
						</details>`,
		},
	],
};

export const lists: readonly [RecordList, ...RecordList[]] = [
	dossiers,
	portalUsers,
	tasks,
	auditLog,
];

function readPart(value: Json | undefined, name: string): string | null {
	return isObject(value) ? readText(value[name]) : null;
}

function formatLength(value: Json | undefined): string {
	return String(typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
}
