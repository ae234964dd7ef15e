import type { IDataObject } from 'n8n-workflow';
import { kindsByEndpoint } from '../../api/endpoints';
import { collect } from '../../api/pages/collect';
import { pages } from '../../api/pages/pages';
import type { ListApi } from '../../api/pages/pages';
import { writeFilters } from '../../dialect/lists';
import { isProblem, readRefusal } from '../../problems/problem';
import {
	makeBookmark,
	beginRead,
	byTime,
	endRead,
	findLatest,
	readEntry,
	isEarly,
	isPast,
	isSeen,
	noteGiven,
	noteOld,
	noteOrder,
	shift,
} from './bookmark';
import type { Bookmark, Entry, GrowingList, Reading } from './bookmark';

/** What a poll does with what it reads. */
interface Work {
	/** Gives out new records, the oldest first, and tells how many it could: fewer if its calls or its time are used up. */
	give: (entries: Entry[]) => Promise<number>;
	/** Whether the rest is left to the next poll. */
	isSpent: () => boolean;
	/** The time of the last answer by the service's clock. */
	readTime: () => string;
	/** Is told how many records were read of a service that neither filters nor sorts. */
	noteSize: (count: number) => void;
}

function writeFeedQuery(
	{ query, time, after, schedule }: GrowingList,
	order: Bookmark['order'],
	{ from }: Reading,
): IDataObject {
	// The service's time is known only after its first answer, so the range is wider than needed.
	const latest = (ahead: number) =>
		new Date(Math.max(Date.now(), Date.parse(from) || 0) + 2 * ahead).toISOString();
	return {
		...query,
		sort: time,
		order,
		...(after && from && { [after]: from }),
		...(schedule && { [schedule.before]: latest(schedule.ahead) }),
	};
}

/** Where a poll begins to read a list; a new bookmark if the list, its filters or its dialect have changed. */
export function openBookmark(api: ListApi, list: GrowingList, kept?: Bookmark): Bookmark {
	const { endpoint, id = '', chosen, time, after } = list;
	const query = { sort: time, order: 'desc', ...(after && { [after]: 'time' }) };
	const kind = kindsByEndpoint[endpoint];
	const written = kind ? writeFilters(api.translator, kind, query) : query;
	const about = JSON.stringify([endpoint, id, chosen, written]);
	return kept?.about === about ? structuredClone(kept) : makeBookmark(about, list);
}

/** Reads some of the newest records, the newest first. */
export async function readNewest(api: ListApi, list: GrowingList, count: number): Promise<Entry[]> {
	const { endpoint, id, query, time } = list;
	const call = { id, query: { ...query, sort: time, order: 'desc' } };
	const records = await collect(api, endpoint, call, count);
	return records.map((record) => readEntry(record, list)).sort((a, b) => byTime(b, a));
}

/** Statuses of 4xx that do not mean that something is gone: access is refused, or requests come too often. */
const NOT_GONE = [401, 403, 408, 429];

/** Whether the service no longer has a record or a page. */
export function isGone(error: unknown): boolean {
	const status = readRefusal(error)?.status ?? 0;
	return status >= 400 && status < 500 && !NOT_GONE.includes(status);
}

/** Begins a read again, because its next page is gone: behind the records that it has read if their order is ascending. */
function goBack({ order }: Bookmark, read: Reading): void {
	delete read.resume;
	if (order === 'asc' && read.inOrder >= 0 && read.last > read.from) read.from = read.last;
	read.last = '';
}

/** What follows a page: the next page, the end of the read, the next poll, or the whole read in the other order. */
type Next = 'on' | 'end' | 'later' | 'turn';

async function takePage(
	list: GrowingList,
	bookmark: Bookmark,
	read: Reading,
	page: Entry[],
	{ give, readTime }: Work,
): Promise<Next> {
	const { schedule } = list;
	const now = shift(readTime(), schedule?.ahead ?? 0);
	const isBeginning = !bookmark.begins && !read.begun;
	read.begun ||= isBeginning ? findLatest(page, now) : now;
	const before = { ...read };
	noteOrder(bookmark, read, page);
	read.hasOlder ||= page.some(({ time }) => time && time < read.from);
	if (bookmark.order === 'asc' && (read.hasOlder || read.inOrder < 0)) return 'turn';
	const isReady = ({ time, record }: Entry) =>
		!schedule || (time && time <= now && !schedule.isLeftOut(record));
	const fresh = page
		.filter((entry) => !isSeen(bookmark, entry) && (!entry.time || entry.time >= bookmark.floor))
		.filter(isReady)
		.sort(byTime);
	const isOld = ({ time }: Entry) => !bookmark.begins && (isBeginning || time <= read.begun);
	for (const entry of fresh.filter(isOld)) noteOld(list, bookmark, entry, now);
	const wanted = fresh.filter((entry) => !isOld(entry));
	const given = wanted.length ? await give(wanted) : 0;
	for (const entry of wanted.slice(0, given)) noteGiven(bookmark, entry, now);
	read.hasNew ||= given > 0;
	if (given < wanted.length) {
		// The next poll reads this page again.
		Object.assign(read, { ...before, hasNew: read.hasNew });
		return 'later';
	}
	return isPast(list, bookmark, read, now) ? 'end' : 'on';
}

/**
 * Reads on in a list, from where the last poll stopped or from the floor, and gives out what is new. It moves the bookmark as it
 * goes, so that after an error the bookmark shows what was done before. The first read gives out nothing, because what it finds
 * is from before the trigger began.
 *
 * @throws Problem
 */
export async function readOn(
	api: ListApi,
	list: GrowingList,
	bookmark: Bookmark,
	work: Work,
): Promise<void> {
	if (isEarly(bookmark, list)) return;
	const read = (bookmark.read ??= beginRead(bookmark));
	let count = 0;
	async function follow(): Promise<Next> {
		const call = { id: list.id, query: writeFeedQuery(list, bookmark.order, read) };
		const going = { resume: read.resume, repeats: 1 };
		const walk = pages({ ...api, concurrency: 1 }, list.endpoint, call, Infinity, going);
		for await (const { records, next, reached } of walk) {
			const entries = records.map((record) => readEntry(record, list));
			const page = new Map(entries.map((entry) => [entry.id, entry]));
			const then = await takePage(list, bookmark, read, [...page.values()], work);
			if (then !== 'on') return then;
			count = reached.read;
			if (next) read.resume = { ...reached, next };
			if (next && work.isSpent()) return 'later';
		}
		return 'end';
	}
	const next = await follow().catch((error: unknown): Next => {
		// The next page is gone.
		if (read.resume && isGone(error)) return 'on';
		// The next poll begins again, because what is new may be at the beginning.
		if (isProblem(error, 'LIST_ENDLESS')) goBack(bookmark, read);
		throw error;
	});
	if (next === 'on') goBack(bookmark, read);
	if (next === 'turn') {
		bookmark.order = 'desc';
		delete bookmark.read;
	}
	if (next === 'end') {
		if (read.resume && read.hasOlder && read.inOrder < 0) work.noteSize(count);
		read.begun ||= shift(work.readTime(), list.schedule?.ahead ?? 0);
		endRead(list, bookmark, read);
	}
	if ((next === 'turn' || next === 'on') && !work.isSpent())
		await readOn(api, list, bookmark, work);
}
