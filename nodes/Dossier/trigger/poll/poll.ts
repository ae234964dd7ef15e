import type { IDataObject } from 'n8n-workflow';
import { noteServiceTime } from '../../api/pages/collect';
import type { ListApi } from '../../api/pages/pages';
import type { Filter } from '../event';
import { explainError } from '../form';
import { Memory } from '../../api/memory';
import { beginDue, DUE_EVENT, readDue } from './due';
import type { DueCursor } from './due';
import { giveEvents, isNamed, listItems } from './events';
import type { EventApi, Giving, PolledEvent } from './events';
import { byTime } from './place';
import type { Entry, Place } from './place';
import { openPlace, readOn } from './read';
import type { Gift, Growing, Item } from './read';

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

/** New records that a workflow runs for. */
interface RecordWatch {
	list: Growing;
	/** Gives those of some records that pass the filters. `now` is the service's time. */
	keep: (api: ListApi, records: IDataObject[], now: string) => Promise<IDataObject[]>;
}

/** What a workflow runs for. */
export type Watch = { filter: Filter } | RecordWatch;

interface WatchRequest extends Giving {
	watch: Watch;
}

interface PollRequest extends Omit<WatchRequest, 'isGivenUp'> {
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

/** In how many polls in a row an entry could not be given out, by source and id. n8n stores nothing of a poll that fails. */
const failed = new Memory<number>(1_000);

/** After so many polls, an entry is given out with what is known of it. */
const MOST_FAILED = 10;

/** How many records the reads that are under way have come to. */
const countRead = ({ place, due }: Partial<PollState>) =>
	[place?.read, due?.read].map((read) => read?.resume?.read ?? 0);

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
	const isSpent = () => budget.isLate() || budget.isUsedUp();
	const nameEntry = ({ id }: Entry) => `${source} ${id}`;
	const countFailed = (entry: Entry) => failed.get(nameEntry(entry)) ?? 0;
	const isGivenUp = (entry: Entry) => countFailed(entry) >= MOST_FAILED;
	async function give(entries: Entry[]): Promise<number> {
		if (!entries.length) return 0;
		const gift = await giveWanted(timed, { ...request, isGivenUp }, entries, readTime());
		const { count, error } = gift;
		items.push(...gift.items);
		for (const entry of entries.slice(0, count)) failed.delete(nameEntry(entry));
		const stuck = entries[count];
		if (error !== undefined) failures.push(error);
		// Too many requests say nothing about the entry.
		if (error !== undefined && stuck && explainError(error).status !== 429) {
			failed.set(nameEntry(stuck), countFailed(stuck) + 1);
		}
		return count;
	}
	const reads: Array<() => Promise<void>> = [];
	if ('list' in watch || watch.filter.events.some((event) => event !== DUE_EVENT)) {
		const list = listOf(watch);
		const place = (next.place = openPlace(api, list, state?.place));
		const noteSize = (count: number) => warnOnce(describeSize(list, count), 'reads all records');
		reads.push(async () => await readOn(timed, list, place, { give, isSpent, readTime, noteSize }));
	}
	if ('filter' in watch && isNamed(watch.filter, DUE_EVENT)) {
		const due = (next.due = structuredClone(state?.due) ?? beginDue());
		const announce = (events: PolledEvent[]) => void items.push(...listItems(events, watch.filter));
		reads.push(async () => await readDue(timed, due, { isSpent, readTime }, announce));
	}
	const before = countRead(next);
	// If the share is not enough for both, each is the first one in turn.
	if (next.polls % 2 === 0) reads.reverse();
	for (const read of reads) {
		if (!budget.isUsedUp()) await read().catch((error: unknown) => failures.push(error));
	}
	const hasMoved = countRead(next).some((count, at) => count > (before[at] ?? 0));
	if (failures.length && !items.length && !hasMoved) throw failures[0];
	return { items: items.sort(byTime).map(({ json }) => json), state: next };
}
