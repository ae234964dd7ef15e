import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { isObject } from '../../dialect/paths';
import { ANY_EVENT, filterEvent } from '../event';
import type { Filter } from '../event';
import { WORST_SKEW } from './cursor';
import type { Entry, GrowingList } from './entries';
import { mapEach } from './feed';
import type { EventApi, Feed, Item, Warn } from './feed';
import { isGone } from './read';

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

const mapDocument =
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
		data: mapDocument('to', 'uploaded_by'),
	},
	{
		event: 'document.deleted',
		action: /^document\W*(delet|remov)(e|ed)?$/,
		data: mapDocument('from', 'deleted_by'),
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
const normalizeAction = (action: string) =>
	action
		.replace(/([a-z])([A-Z])/g, '$1.$2')
		.toLowerCase()
		.replace(/[^a-z]+/g, '.');

/** Actions of the audit log that are not events. */
const NO_EVENT =
	/^(dossier\.(updated|deleted)|document\.downloaded|task\.|webhook\.|audit\.log\.|feature\.flag\.|portal\.user\.removed)/;

/** Maps an audit entry to its event, if its action is one. n8n's log names an unknown action. */
export function mapEntry({ id, time, record }: Entry, warnOnce: Warn): PolledEvent | undefined {
	const given = toText(record.action) ?? '';
	const action = normalizeAction(given);
	// Some services name the thing beside the verb: as the type of the target.
	const thing = isObject(record.target) ? (toText(record.target.type) ?? '') : '';
	const actions = [action, normalizeAction(`${thing}.${given}`)];
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

/** The id of the document whose event lacks a dossier or a category; `undefined` if the event is complete. */
function findIncomplete({ event, data }: PolledEvent): string | undefined {
	const isComplete = data.dossier_id !== null && data.category !== null;
	return event === 'document.uploaded' && !isComplete ? toText(data.document_id) : undefined;
}

/** Adds the dossier and the category of an uploaded document; neither if it is gone. Returns the error if it cannot be read. */
async function completeUpload({ call }: EventApi, data: IDataObject, id: string): Promise<unknown> {
	try {
		const read = await call('documents.get', { id });
		data.dossier_id ??= read.dossier_id ?? null;
		data.category ??= read.category ?? null;
		return undefined;
	} catch (error) {
		return isGone(error) ? undefined : error;
	}
}

/** Whether the form asks for an event. */
export const isChosenEvent = ({ events }: Filter, event: string) =>
	events.includes(ANY_EVENT) || events.includes(event);

/** The items of the events that pass the filter, with the same envelope and `delivery` as those of the webhook trigger. */
export const toItems = ({ translator }: EventApi, events: PolledEvent[], filter: Filter): Item[] =>
	events
		.filter((event) => filterEvent({ ...event }, filter, translator) === undefined)
		.map(({ id, ...envelope }) => ({
			time: envelope.created_at ?? '',
			record: {
				...envelope,
				delivery: { id, key: id, received_at: new Date().toISOString(), attempt: null },
			},
		}));

const mapEvents = (filter: Filter): Feed['map'] =>
	mapEach(1, async (api, entry, { warnOnce }) => {
		const event = mapEntry(entry, warnOnce);
		if (!event || !isChosenEvent(filter, event.event)) return { items: [] };
		const document = findIncomplete(event);
		const error =
			document === undefined ? undefined : await completeUpload(api, event.data, document);
		return { items: toItems(api, [event], filter), error, document };
	});

/** The audit log as a trigger reads it. */
export const AUDIT_LOG: GrowingList = {
	endpoint: 'audit.list',
	time: 'created_at',
	after: 'from',
	query: {},
	chosen: '',
	depth: WORST_SKEW,
};

/** The audit log, whose entries tell the wanted events. */
export const watchAuditLog = (filter: Filter): Feed => ({
	key: 'list',
	list: AUDIT_LOG,
	map: mapEvents(filter),
});
