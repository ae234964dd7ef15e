import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { EndpointName } from '../../api/endpoints';
import type { Resume } from '../../api/pages/progress';
import { toText } from '../../api/json';
import { parseTime } from '../../dialect/formats';

/** A list that gets new records, as a trigger reads it. */
export interface GrowingList {
	endpoint: EndpointName;
	/** The identifier in the path. */
	id?: string;
	/** The field with the time of a record. */
	time: string;
	/** The filter on that time; absent if the list has none. */
	after?: string;
	query: IDataObject;
	/** The part of the query that comes from the form. If it changes, the trigger begins anew. */
	chosen: string;
	/** Absent if the time of a record is when it was created. */
	schedule?: Schedule;
}

/** A list whose records are given out before their time comes, and again if that time changes. */
interface Schedule {
	/** The filter that leaves out what is later than a time. */
	before: string;
	/** How long before its time a record is given out, in ms. */
	ahead: number;
	/** How often the list is read, in ms. */
	interval: number;
	isLeftOut: (record: IDataObject) => boolean;
}

/** A read of a list from the floor on, page by page, over as many polls as it takes. */
export type Reading = {
	/** When it began, by the service's clock. */
	begun: string;
	/** Only records since then are asked for; empty for all. */
	from: string;
	/** Where the last poll stopped; absent at the first page. */
	resume?: Resume;
	/** The time of the last record that had one. */
	last: string;
	/** How many records have followed in the order; -1 once one has not. */
	inOrder: number;
	/** Whether the service has shown records from before `from`: it ignores the filter. */
	hasOlder: boolean;
	/** Whether it has found a record that no earlier read had. */
	hasNew: boolean;
};

/** How far a list has been read. Times are those of the service: ISO 8601 in UTC. */
export type Bookmark = {
	/** Every record before this time has been given out; empty at first. */
	floor: string;
	/** The time of each later record that has been given out, by its id; empty for a record without a time, which stays for ever. */
	seen: Record<string, string>;
	/** How far, at most, the times of new records are behind the service's clock, in ms. */
	lag?: number;
	/** When the last reads began that may move the floor; absent before the trigger has read the list once. */
	begins?: string[];
	order: 'asc' | 'desc';
	/** The query that all this is about. */
	about: string;
	read?: Reading;
	/** By id, in how many polls in a row a record could not be read. */
	unread?: Array<[id: string, polls: number]>;
	/** When a list with a schedule is read again, by the clock of this n8n: ms since 1970. */
	next?: number;
};

/** A record of a list. The service may leave out its id and its time. */
export interface Entry {
	id: string;
	/** ISO 8601 in UTC; empty if the service does not show it. */
	time: string;
	record: IDataObject;
}

/** How late a service may show a record, in ms. */
const OVERLAP = 5 * 60_000;

/** The header `Date` has whole seconds. */
const TIME_ROUNDING = 1_000;

/** How many records of a read must have come in order before the trigger relies on it: less may be chance. */
const PROOF = 10;

/** After how many reads in a row without anything new the floor moves, if the service does not sort. */
const UNSORTED_READS = 3;

/** A time so many ms later. */
export const shift = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

/** Reads the id and the time of a record. One without an id gets a hash of its content. */
export function readEntry(record: IDataObject, { time: field, schedule }: GrowingList): Entry {
	const parsed = parseTime(record[field]);
	const time = Number.isNaN(parsed) ? '' : new Date(parsed).toISOString();
	const hash = () => createHash('sha256').update(JSON.stringify(record)).digest('base64url');
	const id = toText(record.id) ?? hash();
	return { id: schedule ? `${id} ${time}` : id, time, record };
}

export function byTime({ time: a }: { time: string }, { time: b }: { time: string }): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

/** The time of a page to a fraction of a second: the header `Date` has whole seconds, and what is on the page was there by then. */
export function findLatest(page: Entry[], now: string): string {
	const end = shift(now, TIME_ROUNDING);
	return page.reduce((latest, { time }) => (time > latest && time < end ? time : latest), now);
}

/** The bookmark of a trigger that has read nothing. */
export const makeBookmark = (about: string, { schedule }: GrowingList): Bookmark => ({
	floor: '',
	seen: {},
	order: 'desc',
	about,
	...(schedule && { lag: 0 }),
});

export function isEarly({ next, read }: Bookmark, { schedule }: GrowingList): boolean {
	const wait = (next ?? 0) - Date.now();
	// It is longer than the interval if the clock of this machine was set back.
	return schedule !== undefined && !read && wait > 0 && wait <= schedule.interval;
}

/** How late the service may show a record after it should be given out, in ms: a task may be made shortly before it is due. */
const readLateness = ({ schedule }: GrowingList) => schedule?.ahead ?? OVERLAP;

export const beginRead = ({ floor }: Bookmark): Reading => ({
	begun: '',
	from: floor,
	last: '',
	inOrder: 0,
	hasOlder: false,
	hasNew: false,
});

/** The name of a record in `seen`. What is assigned under `__proto__` is not stored. */
const nameSeen = (id: string) => (id.endsWith('__proto__') ? `#${id}` : id);

export const isSeen = ({ seen }: Bookmark, { id }: Entry) => Object.hasOwn(seen, nameSeen(id));

/** Moves the floor up to a time, and forgets what was given out before. */
function raiseFloor(bookmark: Bookmark, time: string): void {
	if (time <= bookmark.floor) return;
	bookmark.floor = time;
	const kept = Object.entries(bookmark.seen).filter(([, own]) => !own || own >= time);
	bookmark.seen = Object.fromEntries(kept);
}

/** Takes note that a record was given out. `now` is the time of its answer, by the service's clock. */
export function noteGiven(bookmark: Bookmark, { id, time }: Entry, now: string): void {
	bookmark.seen[nameSeen(id)] = time;
	// A record that is dated in the future says nothing about the service's clock.
	if (!time || time > now) return;
	const lag = Date.parse(now) - Date.parse(time) + TIME_ROUNDING;
	bookmark.lag = Math.min(bookmark.lag ?? Infinity, lag);
}

/** Takes note of a record from before the trigger began. The newest one tells from when on records are new. */
export function noteOld(list: GrowingList, bookmark: Bookmark, entry: Entry, now: string): void {
	noteGiven(bookmark, entry, now);
	if (entry.time && entry.time <= now) raiseFloor(bookmark, shift(entry.time, -readLateness(list)));
}

/** Takes note of the order in which a page has come. Records that are added or deleted meanwhile move the pages. */
export function noteOrder(bookmark: Bookmark, read: Reading, page: Entry[]): void {
	let isSamePage = false;
	for (const entry of page.filter(({ time }) => time)) {
		const { time } = entry;
		const step = byTime(entry, { time: read.last || time }) * (bookmark.order === 'asc' ? 1 : -1);
		const isMoved = !isSamePage && isSeen(bookmark, entry);
		if (step < 0) read.inOrder = isMoved && read.inOrder >= 0 ? 0 : -1;
		else if (read.inOrder >= 0) read.inOrder += step;
		read.last = time;
		isSamePage = true;
	}
}

/** Whether all records that a read has not reached are older than the floor, or too early to be given out. */
export function isPast(
	{ schedule }: GrowingList,
	{ floor, order }: Bookmark,
	{ last, inOrder }: Reading,
	now: string,
): boolean {
	const isBeyond = order === 'desc' ? last < floor : schedule !== undefined && last > now;
	return last !== '' && isBeyond && inOrder >= PROOF;
}

/**
 * Ends a read that has come to the end of the list, and moves the floor. A read may miss a record that the service shows late, by
 * the overlap at most, or that was on a page that moved; the next read finds it. So if a later read finds nothing new, everything
 * from before the beginning of the earlier one, less the overlap, has been given out.
 */
export function endRead(list: GrowingList, bookmark: Bookmark, read: Reading): void {
	const isFirst = !bookmark.begins;
	const isQuiet = isFirst || !read.hasNew;
	const isSorted = read.inOrder >= (bookmark.order === 'asc' ? 0 : PROOF);
	const begins = isQuiet || isSorted ? [...(bookmark.begins ?? []), read.begun] : [];
	bookmark.begins = begins.slice(-UNSORTED_READS);
	if (isFirst) bookmark.order = 'asc';
	delete bookmark.read;
	if (list.schedule) bookmark.next = Date.now() + list.schedule.interval;
	// An empty list shows nothing of the times of its records.
	if (bookmark.lag === undefined && Object.values(bookmark.seen).some(Boolean)) bookmark.lag = 0;
	const count = isSorted ? 1 + Number(!isQuiet) : UNSORTED_READS;
	const begun = isFirst || list.schedule ? read.begun : begins.at(-count);
	if (bookmark.lag === undefined || begun === undefined) return;
	raiseFloor(bookmark, shift(begun, -bookmark.lag - readLateness(list)));
}
