import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { formatName } from '../portal/portal-users.ts';
import { formatId, toWords } from './data.ts';
import type { Dataset, fetchRecords } from './data.ts';
import { badge, copyable, timestamp, userText, formatValue } from './elements.ts';
import type { Column } from './elements.ts';

/** A list of what is stored. */
export interface RecordList {
	name: string;
	/** The last part of its address. */
	path: string;
	/** What is said where nothing is there. */
	empty: string;
	searched: boolean;
	query: (service: Service) => Omit<Parameters<typeof fetchRecords>[2], 'search' | 'page'>;
	columns: (service: Service, dataset: Dataset) => Column<JsonObject>[];
}

const at = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => timestamp(readText(record[name])),
});
const plain = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => userText(readText(record[name])),
});
const word = (head: string, name: string): Column<JsonObject> => ({
	head,
	cell: (record) => badge(toWords(readText(record[name]) ?? '')),
});
const id = (service: Service): Column<JsonObject> => ({
	head: 'ID',
	cell: (record) => copyable(formatId(service, readText(record.id)), 'the ID'),
});

const dossiers: RecordList = {
	name: 'Dossiers',
	path: 'dossiers',
	empty: 'There are no dossiers yet. Create one here, or let a program do it.',
	searched: true,
	query: ({ dossiers: store }) => ({ table: 'dossiers', fieldsOf: (row) => store.readFields(row) }),
	columns: (service, { path }) => [
		{
			head: 'Title',
			cell: (record) =>
				html`<a href="${path}/dossiers/${encodeURIComponent(readText(record.id) ?? '')}"
					>${userText(readText(record.title))}</a
				>`,
		},
		plain('Reference', 'reference'),
		word('Status', 'status'),
		{ head: 'Documents', kind: 'number', cell: (record) => formatValue(record.document_count) },
		at('Created', 'created_at'),
		id(service),
	],
};

const portalUsers: RecordList = {
	name: 'Portal users',
	path: 'portal-users',
	empty: 'Nobody is invited yet. POST /v1/portal/invite invites somebody.',
	searched: true,
	query: ({ portalUsers: store }) => ({
		table: 'portal_users',
		sort: 'invited_at',
		fieldsOf: (row) => store.readFields(row),
	}),
	columns: (service) => [
		{ head: 'Name', cell: (record) => userText(formatName(record)) },
		plain('E-mail', 'email'),
		plain('Phone', 'phone'),
		word('Status', 'status'),
		{ head: 'Dossiers', kind: 'number', cell: ({ dossier_ids }) => lengthOf(dossier_ids) },
		at('Last access', 'last_access_at'),
		id(service),
	],
};

const tasks: RecordList = {
	name: 'Tasks',
	path: 'tasks',
	empty: 'There are no tasks yet. POST /v1/tasks creates one.',
	searched: true,
	query: ({ tasks: store }) => ({ table: 'tasks', fieldsOf: (row) => store.readFields(row) }),
	columns: (service) => [
		plain('Title', 'title'),
		word('Status', 'status'),
		word('Priority', 'priority'),
		at('Due', 'due_at'),
		{ head: 'Dossier', cell: (record) => userText(formatId(service, readText(record.dossier_id))) },
		id(service),
	],
};

const auditLog: RecordList = {
	name: 'Audit log',
	path: 'audit-log',
	empty: 'Nothing was done yet.',
	searched: false,
	query: ({ audit }) => ({
		table: 'audit_entries',
		tie: 'n',
		fieldsOf: (row) => audit.readFields(row),
	}),
	columns: (service) => [
		at('When', 'created_at'),
		{ head: 'Action', cell: ({ action }) => html`<span class="nowrap">${readText(action)}</span>` },
		{ head: 'On', cell: ({ target }) => userText(part(target, 'label') ?? part(target, 'id')) },
		{
			head: 'By',
			cell: ({ actor }) =>
				html`${userText(part(actor, 'name') ?? toWords(part(actor, 'type') ?? ''))}
					<span class="quiet small-print"
						><bdi>${formatId(service, part(actor, 'id'))}</bdi></span
					>`,
		},
		{
			head: 'From',
			cell: ({ ip_address }) => html`<span class="nowrap">${readText(ip_address) ?? '–'}</span>`,
		},
		{
			head: 'Changes',
			cell: ({ changes }) =>
				lengthOf(changes) === '0'
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

function part(value: Json | undefined, name: string): string | null {
	return isObject(value) ? readText(value[name]) : null;
}

function lengthOf(value: Json | undefined): string {
	return String(typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
}
