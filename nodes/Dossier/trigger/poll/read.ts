import type { IDataObject } from 'n8n-workflow';
import type { EndpointName } from '../../api/endpoints';
import { findRecordKind } from '../../api/endpoints';
import { pages } from '../../api/pages/pages';
import type { ListApi } from '../../api/pages/pages';
import { writeFilters } from '../../dialect/lists';
import { readRefusal } from '../../problems/problem';
import {
	beginPlace,
	beginRead,
	byTime,
	endRead,
	findLatest,
	identify,
	isBelowFloor,
	noteGiven,
	noteOld,
	noteOrder,
} from './place';
import type { Entry, Place, Reading } from './place';

/** A list that grows. */
export interface Growing {
	endpoint: EndpointName;
	/** The identifier in the path. */
	id?: string;
	/** The field with the time when a record was created. */
	time: string;
	/** The filter on that time; absent if the list has none. */
	after?: string;
	/** Further filters. */
	query: IDataObject;
	/** What of them the form says. If it changes, the trigger begins anew. */
	chosen: string;
}

/** What a poll gives out for a record. */
export interface Item {
	json: IDataObject;
	/** ISO 8601 in UTC; empty if the service does not show it. */
	time: string;
}

/** What became of some records: how many of them have been dealt with, from the first on, and why no more. */
export interface Gift {
	count: number;
	items: Item[];
	error?: unknown;
}

/** What a poll does with what it reads. */
export interface Work {
	/** Gives out new records, the oldest first, and tells how many it could: fewer if its calls or its time are used up. */
	give: (entries: Entry[]) => Promise<number>;
	/** Whether the rest is left to the next poll. */
	isSpent: () => boolean;
	/** The time of the last answer by the service's clock. */
	readTime: () => string;
	/** Is told how many records were read of a service that neither filters nor sorts. */
	noteSize: (count: number) => void;
}

const writeFeedQuery = (
	{ query, time, after }: Growing,
	{ order, from }: Reading,
): IDataObject => ({
	...query,
	sort: time,
	order,
	...(after && from && { [after]: from }),
});

/** The place in a list where a poll begins; a new one if the list, its filters or its dialect have changed. */
export function openPlace(api: ListApi, list: Growing, kept: Place | undefined): Place {
	const { endpoint, id = '', chosen } = list;
	const asked = { ...beginRead(beginPlace('')), from: 'time' };
	const query = writeFeedQuery({ ...list, query: {} }, asked);
	const kind = findRecordKind(endpoint);
	const written = kind ? writeFilters(api.translator, kind, query) : query;
	const about = JSON.stringify([endpoint, id, chosen, written]);
	return kept?.about === about ? structuredClone(kept) : beginPlace(about);
}

/** Reads the newest records, the newest first. */
export async function readNewest(api: ListApi, list: Growing, count: number): Promise<Entry[]> {
	const { endpoint, id, query, time } = list;
	const call = { id, query: { ...query, sort: time, order: 'desc' } };
	const read: Entry[] = [];
	for await (const { records } of pages(api, endpoint, call, count)) {
		read.push(...records.map((record) => identify(record, time)));
		const isDescending = read.every((one, at) => byTime(read[at - 1] ?? one, one) >= 0);
		if (read.length >= count && isDescending) break;
	}
	return read.sort(byTime).reverse().slice(0, count);
}

/** Statuses of 4xx that do not mean that something is gone: access is refused, or requests come too often. */
const NOT_GONE = [401, 403, 408, 429];

/** Whether the service no longer has a record or a page. */
export function isGone(error: unknown): boolean {
	const status = readRefusal(error)?.status ?? 0;
	return status >= 400 && status < 500 && !NOT_GONE.includes(status);
}

/** Begins a read again whose next page is gone: after the records that it has read, if they came in ascending order. */
function goBack(read: Reading): void {
	delete read.resume;
	if (read.order === 'asc' && read.inOrder >= 0 && read.last > read.from) read.from = read.last;
	read.last = '';
}

/** What follows a page: the next one, the end of the read, the next poll, or the read again in the other order. */
type Next = 'on' | 'end' | 'later' | 'turn';

/** Gives out what is new on a page. */
async function takePage(place: Place, read: Reading, page: Entry[], work: Work): Promise<Next> {
	const now = work.readTime();
	const isBeginning = !place.begins && !read.begun;
	read.begun ||= isBeginning ? findLatest(page, now) : now;
	const before = { ...read };
	noteOrder(place, read, page);
	read.hasOlder ||= page.some(({ time }) => time && time < read.from);
	if (read.order === 'asc' && (read.hasOlder || read.inOrder < 0)) return 'turn';
	const fresh = page
		.filter(({ id, time }) => !(id in place.seen) && (!time || time >= place.floor))
		.sort(byTime);
	const isOld = ({ time }: Entry) => !place.begins && (isBeginning || time <= read.begun);
	for (const entry of fresh.filter(isOld)) noteOld(place, entry, now);
	const wanted = fresh.filter((entry) => !isOld(entry));
	const given = await work.give(wanted);
	for (const entry of wanted.slice(0, given)) noteGiven(place, entry, now);
	const hasNew = read.hasNew || given > 0;
	if (given < wanted.length) {
		// The next poll reads this page again.
		Object.assign(read, { ...before, hasNew });
		return 'later';
	}
	read.hasNew = hasNew;
	return isBelowFloor(place, read) ? 'end' : 'on';
}

/**
 * Follows the pages of a list from where the last poll stopped: until one of them ends it, until the poll has spent its
 * share, or until the next page is gone, which is `on`. Throws Problem.
 */
export async function followPages(
	api: ListApi,
	{ endpoint, id, query }: Pick<Growing, 'endpoint' | 'id' | 'query'>,
	read: Reading,
	isSpent: () => boolean,
	take: (records: IDataObject[]) => Next | Promise<Next>,
): Promise<Next> {
	let count = read.resume?.read ?? 0;
	async function follow(): Promise<Next> {
		const going = { resume: read.resume, repeats: 1 };
		const walk = pages({ ...api, concurrency: 1 }, endpoint, { id, query }, Infinity, going);
		for await (const { records, next } of walk) {
			const then = await take(records);
			if (then !== 'on') return then;
			count += records.length;
			if (next) read.resume = { next, read: count };
			if (next && isSpent()) return 'later';
		}
		return 'end';
	}
	return await follow().catch((error: unknown): Next => {
		if (!read.resume || !isGone(error)) throw error;
		return 'on';
	});
}

/**
 * Reads on in a list and gives out what is new: from where the last poll stopped, or from the floor. It changes the place as it
 * goes, so that after an error the place tells what was done before. The first read gives out nothing, because what it finds
 * is from before the trigger began.
 *
 * @throws Problem
 */
export async function readOn(api: ListApi, list: Growing, place: Place, work: Work): Promise<void> {
	const read = (place.read ??= beginRead(place));
	let count = read.resume?.read ?? 0;
	const asked = { ...list, query: writeFeedQuery(list, read) };
	const next = await followPages(api, asked, read, work.isSpent, async (records) => {
		count += records.length;
		const entries = records.map((record) => identify(record, list.time));
		const page = new Map(entries.map((entry) => [entry.id, entry]));
		return await takePage(place, read, [...page.values()], work);
	});
	if (next === 'on') goBack(read);
	if (next === 'turn') {
		place.order = 'desc';
		delete place.read;
	}
	if (next === 'end') {
		if (read.resume && read.hasOlder && read.inOrder < 0) work.noteSize(count);
		read.begun ||= work.readTime();
		endRead(place, read);
	}
	if ((next === 'turn' || next === 'on') && !work.isSpent()) await readOn(api, list, place, work);
}
