import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import type { ListApi } from '../../api/pages/pages';
import { isObject } from '../../dialect/paths';
import { ANY_EVENT, filterEvent } from '../event';
import type { Filter } from '../event';
import { explainError } from '../form';
import type { Budget } from './budget';
import { WORST_SKEW } from './cursor';
import type { Entry, GrowingList } from './entries';
import { isGone } from './read';

export type EventApi = ListApi & Pick<Api, 'call'>;

/** Writes a warning to n8n's log, once for each subject: the text itself, unless one is named. */
type Warn = (message: string, subject?: string) => void;

/** What a poll emits for a record. */
export type Item = Pick<Entry, 'record' | 'time'>;

/** What became of some records: how many of them have been dealt with, from the first on, and which could not be read. */
interface Mapped {
	count: number;
	items: Item[];
	/** By id, why: the first one, and those that were read at the same time. */
	failed?: Array<[id: string, error: unknown]>;
}

/** What mapping may cost, and what becomes of what cannot be read. */
export interface MapOptions {
	now: string;
	budget: Budget;
	warnOnce: Warn;
	/** Whether an entry is emitted although not all of it can be read. */
	isIncompleteTaken: (entry: Entry) => boolean;
}

/** A list that a trigger watches. */
export interface Feed {
	/** Under which name the state has its cursor. */
	key: 'list' | 'due';
	list: GrowingList;
	/** Makes items of those new records that are wanted, until one cannot be read or the calls are used up. */
	map: (api: EventApi, entries: Entry[], options: MapOptions) => Promise<Mapped>;
}

/** An event in the envelope of the webhooks, with an id. */
interface PolledEvent {
	/** The id of the audit entry, or of the task and its due date. */
	id: string;
	event: string;
	/** ISO 8601 in UTC; null if the service does not show it. */
	created_at: string | null;
	data: IDataObject;
}

/** The value of a field before or after a change, which an entry gives as `{from, to}` or as the value alone. */
function readChange({ changes }: IDataObject, field: string, side: 'from' | 'to' = 'to') {
	const change = isObject(changes) ? changes[field] : undefined;
	return (isObject(change) && side in change ? change[side] : change) ?? null;
}

const readPartyId = (party: unknown) => (isObject(party) ? (party.id ?? null) : null);

const describeDocument =
	(side: 'from' | 'to', role: string) =>
	(entry: IDataObject): IDataObject => ({
		document_id: readPartyId(entry.target),
		dossier_id: readChange(entry, 'dossier_id', side),
		[role]: readPartyId(entry.actor),
		category: readChange(entry, 'category', side),
	});

/**
 * Which actions of the audit log are events, and the payload of each, as far as an entry has it. An action is
 * the thing, any separator, then the verb, and nothing else: a failed upload is not an upload.
 */
const MAPPINGS: Array<{
	event: string;
	action: RegExp;
	data: (entry: IDataObject) => IDataObject;
}> = [
	{
		event: 'document.uploaded',
		action: /^document\W*(upload|add|creat)(e|ed)?$/,
		data: describeDocument('to', 'uploaded_by'),
	},
	{
		event: 'document.deleted',
		action: /^document\W*(delet|remov)(e|ed)?$/,
		data: describeDocument('from', 'deleted_by'),
	},
	{
		event: 'dossier.created',
		action: /^dossier\W*(creat|open|add)(e|ed)?$/,
		data: (entry) => ({
			dossier_id: readPartyId(entry.target),
			title: readChange(entry, 'title') ?? (isObject(entry.target) ? entry.target.label : null),
			status: readChange(entry, 'status'),
			created_by: readPartyId(entry.actor),
		}),
	},
	{
		event: 'portal.user_invited',
		action: /^(portal\W*)?(user\W*)?invit(e|ed|ation)$/,
		data: (entry) => ({
			portal_user_id: readChange(entry, 'portal_user_id') ?? readPartyId(entry.target),
			dossier_ids: readChange(entry, 'dossier_ids') ?? [],
			invited_by: readPartyId(entry.actor),
		}),
	},
	{
		event: 'portal.user_accessed',
		action: /^(portal\W*)?user\W*((sign|log)(ed|ged)?\W*in|access(ed)?)$/,
		data: (entry) => ({
			portal_user_id: readPartyId(entry.target) ?? readPartyId(entry.actor),
			method: readChange(entry, 'method'),
		}),
	},
];

/** The name of an action in lower case, with one dot between its words. */
const normalize = (action: string) =>
	action
		.replace(/([a-z])([A-Z])/g, '$1.$2')
		.toLowerCase()
		.replace(/[^a-z]+/g, '.');

/** Actions of the audit log that are not events. */
const NO_EVENT =
	/^(dossier\.(updated|deleted)|document\.downloaded|task\.|webhook\.|audit\.log\.|feature\.flag\.|portal\.user\.removed)/;

/** Maps an audit entry to its event, if its action is one. An unknown action is told to n8n's log. */
function mapEntry({ id, time, record }: Entry, warnOnce: Warn): PolledEvent | undefined {
	const given = toText(record.action) ?? '';
	const action = normalize(given);
	// Some services name the thing beside the verb: as the type of the target.
	const thing = isObject(record.target) ? (toText(record.target.type) ?? '') : '';
	const actions = [action, normalize(`${thing}.${given}`)];
	const mapping = MAPPINGS.find((one) => actions.some((name) => one.action.test(name)));
	if (mapping) {
		return { id, event: mapping.event, created_at: time || null, data: mapping.data(record) };
	}
	if (!action) warnOnce('found an entry of the audit log without an action');
	else if (!actions.some((name) => NO_EVENT.test(name))) {
		warnOnce(`found "${given}" in the audit log, an action that it does not know`);
	}
	return undefined;
}

/** The document that an event lacks something of; `undefined` if it is complete. */
function findLacking({ event, data }: PolledEvent): string | undefined {
	const isComplete = data.dossier_id !== null && data.category !== null;
	return event === 'document.uploaded' && !isComplete ? toText(data.document_id) : undefined;
}

/** Adds the dossier and the category of an uploaded document; neither if it is gone. Gives why it cannot be read. */
async function complete({ call }: EventApi, data: IDataObject, id: string): Promise<unknown> {
	try {
		const read = await call('documents.get', { id });
		data.dossier_id ??= read.dossier_id ?? null;
		data.category ??= read.category ?? null;
		return undefined;
	} catch (error) {
		return isGone(error) ? undefined : error;
	}
}

export const isNamed = ({ events }: Filter, event: string) =>
	events.includes(ANY_EVENT) || events.includes(event);

/** The items of events that pass: as the webhooks have them, with what tells one delivery from another. */
export const listItems = (
	{ translator }: EventApi,
	events: PolledEvent[],
	filter: Filter,
): Item[] =>
	events
		.filter((event) => filterEvent({ ...event }, filter, translator) === undefined)
		.map(({ id, ...envelope }) => ({
			time: envelope.created_at ?? '',
			record: {
				...envelope,
				delivery: { id, key: id, received_at: new Date().toISOString(), attempt: null },
			},
		}));

/** How many entries are dealt with at once. Each may need a call. */
const AT_ONCE = 8;

const mapEvents =
	(filter: Filter): Feed['map'] =>
	async (api, entries, { budget, warnOnce, isIncompleteTaken }) => {
		async function readEvent(entry: Entry) {
			const event = mapEntry(entry, warnOnce);
			if (!event || !isNamed(filter, event.event)) return { entry, made: [] };
			const lacking = findLacking(event);
			const error = lacking === undefined ? undefined : await complete(api, event.data, lacking);
			return { entry, made: listItems(api, [event], filter), error, lacking };
		}
		const items: Item[] = [];
		const failed: Mapped['failed'] = [];
		for (let count = 0; ; ) {
			const affordable = count && budget.isLate() ? 0 : Math.min(AT_ONCE, budget.left() - 1);
			const part = entries.slice(count, count + Math.max(0, affordable));
			if (!part.length || failed.length) return { count, items, failed };
			for (const { entry, made, error, lacking } of await Promise.all(part.map(readEvent))) {
				if (error && (failed.length || !isIncompleteTaken(entry))) failed.push([entry.id, error]);
				if (failed.length) continue;
				if (error) {
					const { message } = explainError(error);
					warnOnce(`reports the upload of ${lacking} without reading the document: ${message}`);
				}
				items.push(...made);
				count++;
			}
		}
	};

/** The audit log, whose entries tell the wanted events. */
export const watchAuditLog = (filter: Filter): Feed => ({
	key: 'list',
	list: {
		endpoint: 'audit.list',
		time: 'created_at',
		after: 'from',
		query: {},
		chosen: '',
		depth: WORST_SKEW,
	},
	map: mapEvents(filter),
});
