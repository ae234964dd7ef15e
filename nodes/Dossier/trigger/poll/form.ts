import { updateDisplayOptions } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optionsField, sortedCollection } from '../../execution/fields';
import { auditEntryList } from '../../execution/lists/auditEntries';
import { buildQuery, keepMatching } from '../../execution/lists/collect';
import { documentList } from '../../execution/lists/documents';
import { dossierList } from '../../execution/lists/dossiers';
import { readConditions } from '../../execution/lists/filter';
import type { Condition, ListFilter, RecordList } from '../../execution/lists/filter';
import { portalUserList } from '../../execution/lists/portalUsers';
import { taskList } from '../../execution/lists/tasks';
import { dossierLocator } from '../../execution/locators';
import { asChoice, asId } from '../../execution/parameters';
import { Problem } from '../../problems/problem';
import { checkFilter } from '../event';
import {
	addDetailsField,
	downloadFields,
	eventsField,
	filtersField,
	readCollection,
	readFilter,
} from '../form';
import type { ReadField } from '../form';
import { WORST_SKEW } from './cursor';
import type { Feed } from './feed';
import { watchEvents } from './poll';
import { watchUploads } from './uploads';

interface Watched {
	name: string;
	list: RecordList;
	/** The field with the time when a record was created, and the filter on it, if the list has one. */
	time: string;
	after?: string;
	/** How far before the newest records the time of a new one can be, in ms; absent if people can set that time. */
	depth?: number;
}

const createdTime = { time: 'created_at', after: 'created_after' };

const RECORDS: Record<string, Watched> = {
	auditEntry: {
		name: 'Audit Log Entry',
		list: auditEntryList,
		time: 'created_at',
		after: 'from',
		depth: WORST_SKEW,
	},
	document: { name: 'Document', list: documentList, ...createdTime },
	dossier: { name: 'Dossier', list: dossierList, ...createdTime },
	portalUser: { name: 'Portal User', list: portalUserList, time: 'invited_at' },
	task: { name: 'Task', list: taskList, ...createdTime },
};

/** Filters that no new record needs: on times, and on tasks that are overdue. */
const LEFT_OUT = ['createdAfter', 'createdBefore', 'from', 'overdue', 'to', 'updatedAfter'];

/** A field without the mode for a reference: a poll makes no call to look one up. */
const withoutLookup = (field: INodeProperties): INodeProperties => ({
	...field,
	...(field.modes && { modes: field.modes.filter(({ name }) => name !== 'reference') }),
});

/** The filters of a list but those that are left out, without a lookup. */
const listFilters = ({ filters }: RecordList, leftOut: string[]): ListFilter[] =>
	filters
		.filter(({ field }) => !leftOut.includes(field.name))
		.map((filter) => ({ ...filter, field: withoutLookup(filter.field) }));

export const recordField: INodeProperties = {
	displayName: 'Record',
	name: 'record',
	type: 'options',
	default: 'document',
	options: Object.entries(RECORDS).map(([value, { name }]) => ({ name, value })),
	description: 'The kind of record whose new ones start the workflow',
};

const searchInField: INodeProperties = {
	displayName: 'Search In',
	name: 'searchIn',
	type: 'options',
	default: 'one',
	options: [
		{
			name: 'All Dossiers',
			value: 'all',
			description: 'New documents of every dossier, as the audit log tells them',
		},
		{
			name: 'One Dossier',
			value: 'one',
			description: 'The new documents of a dossier that you choose',
		},
	],
	description: 'The dossiers whose new documents start the workflow',
};

/** A dossier that has a new document is not without documents. */
const uploadDossierFilters = listFilters(dossierList, ['withoutDocuments']);

const listFilterFields = (filters: ListFilter[]) =>
	filters.flatMap(({ field, own }) => (own ? [field, own] : [field]));

const documentFields: INodeProperties[] = [
	searchInField,
	...updateDisplayOptions({ show: { searchIn: ['all'] } }, [
		{
			displayName:
				"A poll costs one request if nothing is new, and one more for each uploaded document; with 'Dossier Filters', also one for its dossier. The API key has to be allowed to read the audit log.",
			name: 'documentCostNotice',
			type: 'notice',
			default: '',
		},
		sortedCollection(
			'Dossier Filters',
			'dossierFilters',
			'Which dossiers to look in. All conditions must be met.',
			listFilterFields(uploadDossierFilters),
		),
	]),
	{
		...withoutLookup(dossierLocator),
		description: 'The dossier whose new documents start the workflow',
		displayOptions: { show: { searchIn: ['one'] } },
	},
];

const recordFields: INodeProperties[] = [
	recordField,
	...updateDisplayOptions({ show: { record: ['document'] } }, documentFields),
	...Object.entries(RECORDS).map(([value, watched]) => ({
		...sortedCollection(
			'Filters',
			'recordFilters',
			'Which new records start the workflow. All conditions must be met.',
			listFilterFields(listFilters(watched.list, LEFT_OUT)),
		),
		displayOptions: { show: { record: [value] } },
	})),
];

const watchField: INodeProperties = {
	displayName: 'Watch',
	name: 'watch',
	type: 'options',
	default: 'events',
	options: [
		{
			name: 'Events',
			value: 'events',
			description: 'What happens, such as an uploaded document or a task that is due soon',
		},
		{
			name: 'New Records',
			value: 'records',
			description: 'New dossiers, documents, tasks, portal users or audit log entries',
		},
	],
	description: 'What starts the workflow',
};

/** The form of the poll trigger. n8n puts the poll times before it. */
export const pollForm: INodeProperties[] = [
	watchField,
	...updateDisplayOptions({ show: { watch: ['events'] } }, [
		{
			displayName:
				"A poll costs one request if nothing is new, and one more for each uploaded document. 'Task Due Soon' costs one more request every ten minutes. If the service can reach your n8n, take the Dossier Trigger: it starts at once and costs none.",
			name: 'costNotice',
			type: 'notice',
			default: '',
		},
		eventsField,
		filtersField,
		...downloadFields,
		optionsField([addDetailsField]),
	]),
	...updateDisplayOptions({ show: { watch: ['records'] } }, recordFields),
];

/** Whether the trigger watches events, and not the new records of a list. Throws Problem. */
export const isWatchingEvents = (read: ReadField): boolean =>
	asChoice(read('watch', 'events'), watchField) === 'events';

/** Watches a list for new records that pass the conditions. */
function watchList(
	{ list: { endpoint }, time, after, depth }: Watched,
	conditions: Condition[],
	given: IDataObject,
	id?: string,
): Feed {
	const wanted = { endpoint, ...(id !== undefined && { id }), conditions };
	const query = buildQuery(wanted);
	return {
		key: 'list',
		list: { endpoint, id, time, after, depth, query, chosen: JSON.stringify(given) },
		map: async (api, entries, { now }) => {
			const records = entries.map(({ record }) => record);
			const kept = new Set(await keepMatching(api, wanted, records, now));
			return {
				count: entries.length,
				items: entries.filter(({ record }) => kept.has(record)),
			};
		},
	};
}

/** Reads from the form which lists the trigger watches. Throws Problem. */
export function readFeeds(read: ReadField, timezone: string): Feed[] {
	if (isWatchingEvents(read)) return watchEvents(checkFilter(readFilter(read)));
	const chosen = asChoice(read('record', null), recordField);
	const watched = RECORDS[chosen];
	if (!watched) throw new Problem('FIELD_EMPTY', { field: 'record' });
	const given = read('recordFilters', {}) as IDataObject;
	const conditions = readConditions(listFilters(watched.list, LEFT_OUT), given, timezone);
	if (chosen !== 'document') return [watchList(watched, conditions, given)];
	if (asChoice(read('searchIn', null), searchInField) === 'all') {
		const about = read('dossierFilters', {}) as IDataObject;
		const dossier = readConditions(uploadDossierFilters, about, timezone);
		const all = JSON.stringify(['documents', given, about]);
		return [watchUploads({ document: conditions, dossier, chosen: all })];
	}
	const id = asId(read('dossierId', null), 'dossierId');
	if (id === undefined) throw new Problem('FIELD_EMPTY', { field: 'dossierId' });
	return [watchList(watched, conditions, given, id)];
}

/** The dossiers that a filter of the form names, and the field of that filter. Throws Problem. */
export function readDossiers(read: ReadField): { ids: string[]; field: string } {
	if (isWatchingEvents(read)) return { ids: readFilter(read).dossiers, field: 'dossiers' };
	const { dossierId } = readCollection(read, 'recordFilters');
	const id = asId(dossierId, 'dossierId');
	return { ids: id === undefined ? [] : [id], field: 'dossierId' };
}
