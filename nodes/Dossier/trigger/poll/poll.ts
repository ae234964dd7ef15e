import type { IDataObject } from 'n8n-workflow';
import { noteServiceTime } from '../../api/pages/collect';
import type { Filter } from '../event';
import { isWorthwhile } from './budget';
import type { Budget } from './budget';
import { DUE_EVENT, pollDue } from './due';
import type { DueCursor } from './due';
import { giveEvents, isNamed, listItems } from './events';
import type { EventApi, Warn } from './events';
import { byTime } from './place';
import type { Entry, Place } from './place';
import { openPlace, readOn } from './read';
import type { Gift, Growing, Item } from './read';
import type { RecordWatch } from './records';

/** How far a trigger has read. */
export type PollState = {
	/** Names the trigger, the service and the organization that it was read for. */
	source: string;
	/** How many polls have led to it: of two states, the one of more polls is the later one. */
	polls: number;
	/** Absent until the trigger has read a list. */
	place?: Place;
	/** Absent until tasks are wanted. */
	due?: DueCursor;
};

/** What a workflow runs for: events or new records. */
export type Watch = { filter: Filter } | RecordWatch;

interface WatchRequest {
	watch: Watch;
	budget: Budget;
	warnOnce: Warn;
}

interface PollRequest extends WatchRequest {
	/** Where to continue. Without it, the trigger begins now and gives out nothing. */
	state: PollState | undefined;
	source: string;
}

/** The list that events come from. */
const AUDIT_LOG: Growing = {
	endpoint: 'audit.list',
	time: 'created_at',
	after: 'from',
	query: {},
	chosen: '',
};

export const listOf = (watch: Watch): Growing => ('list' in watch ? watch.list : AUDIT_LOG);

/** Gives what of some entries is wanted. `now` is the service's time. */
export async function giveWanted(
	api: EventApi,
	request: WatchRequest,
	entries: Entry[],
	now: string,
): Promise<Gift> {
	const { watch } = request;
	if (!('list' in watch)) return await giveEvents(api, watch.filter, entries, request);
	const records = entries.map(({ record }) => record);
	const kept = new Set(await watch.keep(api, records, now));
	const items = entries.filter(({ record }) => kept.has(record));
	return {
		count: entries.length,
		items: items.map(({ record, time }) => ({ json: record, time })),
	};
}

const describeSize = (list: Growing, count: number) =>
	`reads all ${count} records of ${list.endpoint} with each poll, in pages, because the service neither keeps to a filter on their time nor sorts them. If it can do either under another name, a dialect in the credential tells the name`;

/** Gives what is new since the state, oldest first, and the state after it. Throws Problem if nothing could be read. */
export async function pollOnce(
	api: EventApi,
	request: PollRequest,
): Promise<{ items: IDataObject[]; state: PollState }> {
	const { state, source, watch, budget, warnOnce } = request;
	const { api: timed, readTime } = noteServiceTime(budget.count(api));
	const next: PollState = { source, polls: (state?.polls ?? 0) + 1 };
	const items: Item[] = [];
	const failures: unknown[] = [];
	const note = (error: unknown) => void failures.push(error);
	async function give(entries: Entry[]): Promise<number> {
		if (!entries.length) return 0;
		const gift = await giveWanted(timed, request, entries, readTime());
		items.push(...gift.items);
		if (gift.error !== undefined) note(gift.error);
		return gift.count;
	}
	let hasMoved = false;
	if ('list' in watch || watch.filter.events.some((event) => event !== DUE_EVENT)) {
		const list = listOf(watch);
		const place = openPlace(api, list, state?.place);
		const before = place.read?.resume?.read ?? 0;
		const isSpent = () => budget.isLate() || !isWorthwhile(budget);
		const noteSize = (count: number) => warnOnce(describeSize(list, count));
		if (isWorthwhile(budget)) {
			await readOn(timed, list, place, { give, isSpent, readTime, noteSize }).catch(note);
		}
		hasMoved = (place.read?.resume?.read ?? 0) > before;
		next.place = place;
	}
	if ('filter' in watch && isNamed(watch.filter, DUE_EVENT)) {
		next.due = state?.due;
		await pollDue(timed, next.due).then(({ fresh, cursor }) => {
			items.push(...listItems(fresh, watch.filter));
			next.due = cursor;
		}, note);
	}
	if (failures.length && !items.length && !hasMoved) throw failures[0];
	return { items: items.sort(byTime).map(({ json }) => json), state: next };
}
