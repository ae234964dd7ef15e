import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import type { ListApi } from '../../api/pages/pages';
import { isObject } from '../../dialect/paths';
import { ANY_EVENT, filterEvent } from '../event';
import type { Filter } from '../event';
import { explainError } from '../form';
import type { Budget } from './budget';
import type { Entry } from './place';
import { isGone } from './read';
import type { Gift, Item } from './read';

/** What reading events needs of the service. */
export type EventApi = ListApi & Pick<Api, 'call'>;

/** Writes a warning to n8n's log, each text once. */
export type Warn = (message: string) => void;

/** An event in the envelope of the webhooks, with an id. */
export interface PolledEvent {
	/** The id of the audit entry, or of the task and its due date. */
	id: string;
	event: string;
	/** ISO 8601 in UTC; null if the service does not show it. */
	created_at: string | null;
	data: IDataObject;
}

/** The value of a field before or after a change, which an entry gives as `{from, to}` or as the value alone. */
function readChange({ changes }: IDataObject, field: string, side: 'from' | 'to'): unknown {
	const change = isObject(changes) ? changes[field] : undefined;
	return isObject(change) && side in change ? change[side] : change;
}

const readActor = ({ actor }: IDataObject) => (isObject(actor) ? (actor.id ?? null) : null);
const readTarget = ({ target }: IDataObject) => (isObject(target) ? (target.id ?? null) : null);

interface Mapping {
	event: string;
	/** Matches the action: the thing, any separator, then the verb, and nothing else: a failed upload is not an upload. */
	action: RegExp;
	data: (entry: IDataObject) => IDataObject;
}

/** Which actions of the audit log are events, and the payload of each, as far as an entry has it. */
const MAPPINGS: Mapping[] = [
	{
		event: 'document.uploaded',
		action: /^document\W*(upload|add|creat)(e|ed)?$/,
		data: (entry) => ({
			document_id: readTarget(entry),
			dossier_id: readChange(entry, 'dossier_id', 'to') ?? null,
			uploaded_by: readActor(entry),
			category: readChange(entry, 'category', 'to') ?? null,
		}),
	},
	{
		event: 'document.deleted',
		action: /^document\W*(delet|remov)(e|ed)?$/,
		data: (entry) => ({
			document_id: readTarget(entry),
			dossier_id: readChange(entry, 'dossier_id', 'from') ?? null,
			deleted_by: readActor(entry),
			category: readChange(entry, 'category', 'from') ?? null,
		}),
	},
	{
		event: 'dossier.created',
		action: /^dossier\W*(creat|open|add)(e|ed)?$/,
		data: (entry) => ({
			dossier_id: readTarget(entry),
			title:
				readChange(entry, 'title', 'to') ?? (isObject(entry.target) ? entry.target.label : null),
			status: readChange(entry, 'status', 'to') ?? null,
			created_by: readActor(entry),
		}),
	},
	{
		event: 'portal.user_invited',
		action: /^(portal\W*)?(user\W*)?invit(e|ed|ation)$/,
		data: (entry) => ({
			portal_user_id: readChange(entry, 'portal_user_id', 'to') ?? readTarget(entry),
			dossier_ids: readChange(entry, 'dossier_ids', 'to') ?? [],
			invited_by: readActor(entry),
		}),
	},
	{
		event: 'portal.user_accessed',
		action: /^(portal\W*)?user\W*((sign|log)(ed|ged)?\W*in|access(ed)?)$/,
		data: (entry) => ({
			portal_user_id: readTarget(entry) ?? readActor(entry),
			method: readChange(entry, 'method', 'to') ?? null,
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
	const mapping = MAPPINGS.find((one) => one.action.test(action));
	if (mapping) {
		return { id, event: mapping.event, created_at: time || null, data: mapping.data(record) };
	}
	if (!action) warnOnce('found an entry of the audit log without an action');
	else if (!NO_EVENT.test(action)) {
		warnOnce(`found "${given}" in the audit log, an action that it does not know`);
	}
	return undefined;
}

/** The document that an event lacks something of; `undefined` if it is complete. */
function findLacking({ event, data }: PolledEvent): string | undefined {
	const isComplete = data.dossier_id !== null && data.category !== null;
	return event === 'document.uploaded' && !isComplete ? toText(data.document_id) : undefined;
}

/** Adds the dossier and the category of an uploaded document, unless the service no longer has it. */
async function complete(
	{ call }: EventApi,
	event: PolledEvent,
	onGivenUp?: (id: string, error: unknown) => void,
): Promise<PolledEvent> {
	const { data } = event;
	const id = findLacking(event);
	if (id === undefined) return event;
	const document: IDataObject = await call('documents.get', { id }).catch((error: unknown) => {
		if (isGone(error)) return {};
		if (!onGivenUp) throw error;
		onGivenUp(id, error);
		return {};
	});
	const { dossier_id: dossier = null, category = null } = document;
	return {
		...event,
		data: { ...data, dossier_id: data.dossier_id ?? dossier, category: data.category ?? category },
	};
}

export const isNamed = ({ events }: Filter, event: string) =>
	events.includes(ANY_EVENT) || events.includes(event);

/** The items of events that pass: as the webhooks have them, with what tells one delivery from another. */
export const listItems = (events: PolledEvent[], filter: Filter): Item[] =>
	events
		.filter((event) => filterEvent({ ...event }, filter) === undefined)
		.map(({ id, ...envelope }) => ({
			time: envelope.created_at ?? '',
			json: {
				...envelope,
				delivery: { id, key: id, received_at: new Date().toISOString(), attempt: null },
			},
		}));

/** How many documents are read at once. */
const AT_ONCE = 8;

/** Gives the wanted events among entries, until one cannot be read or the calls are used up. */
export async function giveEvents(
	api: EventApi,
	filter: Filter,
	entries: Entry[],
	{
		budget,
		warnOnce,
		isGivenUp,
	}: { budget: Budget; warnOnce: Warn; isGivenUp: (entry: Entry) => boolean },
): Promise<Gift> {
	const mapped = entries.map((entry) => {
		const event = mapEntry(entry, warnOnce);
		return event && isNamed(filter, event.event) ? event : undefined;
	});
	const warnGivenUp = (id: string, error: unknown) =>
		warnOnce(
			`gives the upload of ${id} out without what could not be read of the document: ${explainError(error).message}`,
		);
	const events: PolledEvent[] = [];
	for (let count = 0; ; ) {
		const affordable = budget.isLate() && count ? 0 : Math.min(AT_ONCE, budget.left() - 1);
		let calls = 0;
		const rest = mapped.slice(count);
		const end = rest.findIndex((one) => one && findLacking(one) && ++calls > affordable);
		const part = end < 0 ? rest : rest.slice(0, end);
		if (!part.length) return { count, items: listItems(events, filter) };
		const read = await Promise.allSettled(
			part.map(async (one, at) => {
				const entry = entries[count + at];
				const onGivenUp = entry && isGivenUp(entry) ? warnGivenUp : undefined;
				return one && (await complete(api, one, onGivenUp));
			}),
		);
		for (const one of read) {
			if (one.status === 'rejected') {
				return { count, items: listItems(events, filter), error: one.reason };
			}
			if (one.value) events.push(one.value);
			count++;
		}
	}
}
