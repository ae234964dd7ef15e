import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import type { ListApi } from '../../api/pages';
import { readRefusal } from '../../api/problem';
import { toText } from '../../api/values';
import { moveBehind } from '../../execution/cursor';
import type { Cursor, ListEntry } from '../../execution/cursor';
import { ANY_EVENT, filterEvent } from '../event';
import type { Filter } from '../event';
import { readDue } from './due';
import { mapEntry } from './events';
import type { PolledEvent } from './events';
import { beginFeed, readFeed } from './feed';
import type { PollState } from './state';

/** How often tasks are read, in ms. Each time costs a request, and minutes do not matter a day ahead. */
const DUE_INTERVAL = 10 * 60_000;

/** How many entries are mapped before the deadline is checked again. */
const PORTION = 20;

export const DUE_EVENT = 'task.due_soon';

/** What reading events needs of the service. */
type EventApi = ListApi & Pick<Api, 'call'>;

interface PollRequest {
	/** Where to continue. Without it, the trigger begins now and gives out nothing. */
	state: PollState | undefined;
	source: string;
	filter: Filter;
	now: number;
	/** When to stop and leave the rest to the next poll, in ms since 1970. */
	deadline: number;
	/** Writes a warning to n8n's log, each text once. */
	warnOnce: (message: string) => void;
}

/** Statuses of 4xx that do not mean that a record is missing: access is refused, or requests come too often. */
const NOT_MISSING = [401, 403, 408, 429];

/** The document that an entry names; `{}` if the service no longer has it. */
async function readDocument(api: EventApi, id: string): Promise<IDataObject> {
	return await api.call('documents.get', { id }).catch((error: unknown) => {
		const status = readRefusal(error)?.status ?? 0;
		if (status < 400 || status >= 500 || NOT_MISSING.includes(status)) throw error;
		return {};
	});
}

/** Adds the dossier and the category of an uploaded document if the audit log does not have them. */
async function complete(api: EventApi, event: PolledEvent): Promise<PolledEvent> {
	const { data } = event;
	const id = toText(data.document_id);
	const isComplete = data.dossier_id !== null && data.category !== null;
	if (event.event !== 'document.uploaded' || isComplete || id === undefined) return event;
	const document = await readDocument(api, id);
	const { dossier_id: dossier = null, category = null } = document;
	return {
		...event,
		data: { ...data, dossier_id: data.dossier_id ?? dossier, category: data.category ?? category },
	};
}

const isNamed = ({ events }: Filter, event: string) =>
	events.includes(ANY_EVENT) || events.includes(event);

/** Gives the wanted events among the entries, and warns of entries with an unknown action. */
export async function mapEntries(
	api: EventApi,
	entries: ListEntry[],
	{ filter, warnOnce }: Pick<PollRequest, 'filter' | 'warnOnce'>,
): Promise<PolledEvent[]> {
	const named: PolledEvent[] = [];
	for (const { id, reportedTime, entry } of entries) {
		const { event, problem } = mapEntry(entry, id, reportedTime);
		if (problem !== undefined) warnOnce(problem);
		if (event && isNamed(filter, event.event)) named.push(event);
	}
	const completed = await Promise.all(named.map(async (event) => await complete(api, event)));
	return completed.filter((event) => filterEvent({ ...event }, filter) === undefined);
}

async function pollFeed(
	api: EventApi,
	cursor: Cursor,
	request: PollRequest,
): Promise<{ events: PolledEvent[]; cursor: Cursor }> {
	const { now, deadline } = request;
	const reading = await readFeed(api, cursor, now + (deadline - now) / 2);
	const events: PolledEvent[] = [];
	for (let done = 0; done < reading.fresh.length; done += PORTION) {
		// The next poll finds the rest.
		if (done && Date.now() > deadline)
			return { events, cursor: moveBehind(cursor, reading.fresh.slice(0, done)) };
		events.push(...(await mapEntries(api, reading.fresh.slice(done, done + PORTION), request)));
	}
	return { events, cursor: reading.cursor };
}

/** Gives the events since the state, and the state after them. Each source is sorted, oldest first. Throws Problem. */
export async function pollEvents(
	api: EventApi,
	request: PollRequest,
): Promise<{ events: PolledEvent[]; state: PollState }> {
	const { state, source, filter, now } = request;
	const next: PollState = { source, nextDueCheck: state?.nextDueCheck ?? 0 };
	const events: PolledEvent[] = [];
	if (filter.events.some((event) => event !== DUE_EVENT)) {
		if (state?.feed) {
			const polled = await pollFeed(api, state.feed, request);
			events.push(...polled.events);
			next.feed = polled.cursor;
		} else {
			next.feed = await beginFeed(api);
		}
	}
	if (isNamed(filter, DUE_EVENT)) {
		next.due = state?.due;
		const wait = (state?.nextDueCheck ?? 0) - now;
		// It is longer than the interval if the clock of this machine was set back.
		if (!state?.due || wait <= 0 || wait > DUE_INTERVAL) {
			const { fresh, cursor } = await readDue(api, state?.due);
			events.push(...fresh.filter((event) => filterEvent({ ...event }, filter) === undefined));
			next.due = cursor;
			next.nextDueCheck = now + DUE_INTERVAL;
		}
	}
	return { events, state: next };
}
