import { forgetOldest, isSeen, readOverlap } from './cursor';
import type { Cursor, Reading } from './cursor';
import { byTime, shift } from './entries';
import type { Entry, GrowingList } from './entries';

/** How many records must have come in order before the trigger relies on the order: fewer may be chance. */
const PROOF = 10;

/** After how many reads in a row without anything new the watermark moves, if the service does not sort. */
const UNSORTED_READS = 3;

/** How many polls a sweep waits for calls that other reads leave over. */
const MOST_POLLS_WAITED = 20;

/** After how many polls a list is swept at the latest, if it has no more pages. */
const SWEEP_POLLS = 60;

/** Whether a list with a schedule is not to be read yet. */
export function isEarly({ next, read }: Cursor, { schedule }: GrowingList): boolean {
	const wait = (next ?? 0) - Date.now();
	// It is longer than the interval if the clock of this machine was set back.
	return schedule !== undefined && !read && wait > 0 && wait <= schedule.interval;
}

const beginReading = (from: string, order: Reading['order'], isSweep: boolean): Reading => ({
	begun: '',
	from,
	order,
	isSweep,
	pages: 0,
	last: '',
	inOrder: 0,
	hasOlder: false,
	hasNew: false,
});

/** Begins a read of what is later than the watermark. */
export const beginRead = ({ watermark, order }: Cursor) => beginReading(watermark, order, false);

/** Begins a read of all records that can be compared by their ids. A list of one page comes in the order that the trigger knows. */
export function beginSweep({ depth }: GrowingList, cursor: Cursor): Reading {
	const { watermark, order, every } = cursor;
	const from = watermark && depth !== undefined ? shift(watermark, -depth) : '';
	return beginReading(from, every === 1 ? order : 'desc', true);
}

/** Whether a list is swept in this poll: until it has been read as a whole, and when its turn comes. */
export const isSweepDue = ({ begins, old, sweep, waited, every }: Cursor, list: GrowingList) =>
	!list.schedule &&
	begins !== undefined &&
	(old !== undefined || sweep !== undefined || waited >= every);

/** Whether a sweep comes first in this poll, because other reads have left it no calls for long. */
export const isStarved = ({ waited, every }: Cursor) =>
	waited > 2 * every + MOST_POLLS_WAITED && waited % 4 === 0;

/** Notes in which order the records of a page come. Records that are added or deleted meanwhile move others to another page. */
export function noteOrder(cursor: Cursor, read: Reading, page: Entry[]): void {
	let isSamePage = false;
	for (const entry of page.filter(({ time }) => time)) {
		const { time } = entry;
		const step = byTime(entry, { time: read.last || time }) * (read.order === 'asc' ? 1 : -1);
		const isMoved = !isSamePage && isSeen(cursor, entry);
		if (step < 0) read.inOrder = isMoved && read.inOrder >= 0 ? 0 : -1;
		else if (read.inOrder >= 0) read.inOrder += step;
		read.last = time;
		isSamePage = true;
	}
}

/** Whether all records that a read has not reached are known or forgotten, or too early to be emitted. */
export function isPast(
	{ schedule }: GrowingList,
	{ watermark, forgotten = -Infinity }: Cursor,
	{ order, last, inOrder, isSweep, from }: Reading,
	now: string,
): boolean {
	if (last === '' || inOrder < PROOF) return false;
	if (order === 'asc') return schedule !== undefined && last > now;
	return last < (isSweep ? from : watermark) || Date.parse(last) <= forgotten;
}

/**
 * Ends a read, and moves the watermark. A read may miss a record that the service shows late, by the overlap at most, or that
 * was on a page that moved; the next read finds it. So if a later read finds nothing new, everything from before the
 * beginning of the earlier one, less the overlap, has been emitted. If the service's clock is set back, the watermark follows.
 */
export function endRead(list: GrowingList, cursor: Cursor, read: Reading): void {
	const isFirst = !cursor.begins;
	const isQuiet = isFirst || !read.hasNew;
	const isSorted = read.inOrder >= (read.order === 'asc' ? 0 : PROOF);
	const begins = isQuiet || isSorted ? [...(cursor.begins ?? []), read.begun] : [];
	cursor.begins = begins.slice(-UNSORTED_READS);
	if (isFirst) cursor.order = 'asc';
	if (list.schedule) cursor.next = Date.now() + list.schedule.interval;
	// An empty list shows nothing of the times of its records.
	if (Object.values(cursor.seen).some(Boolean)) cursor.skew ??= 0;
	const count = isSorted ? 1 + Number(!isQuiet) : UNSORTED_READS;
	const begun = isFirst || list.schedule ? read.begun : begins.at(-count);
	if (cursor.skew === undefined || begun === undefined) return;
	const watermark = shift(begun, -cursor.skew - readOverlap(list, cursor));
	if (!list.schedule || watermark > cursor.watermark) cursor.watermark = watermark;
	forgetOldest(list, cursor);
}

/** Notes that a list was read as a whole, and plans the next sweep: a list of more pages is swept less often. */
export function endSweep(cursor: Cursor, { pages, hasNew }: Reading): void {
	delete cursor.old;
	const later = hasNew ? 0 : Math.min(2 * cursor.every, SWEEP_POLLS);
	cursor.every = pages > 1 ? Math.max(pages, later) : 1;
	cursor.waited = 0;
}
