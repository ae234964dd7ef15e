import { forgetOldest, isComparable, isSeen, noteEmitted, noteGrain, noteOld } from './cursor';
import type { Cursor, Reading } from './cursor';
import { byTime, findLatest, shift } from './entries';
import type { Entry, GrowingList } from './entries';
import { isPast, noteOrder } from './reading';

/** How a poll uses the records that it reads. */
export interface Work {
	/** Emits new records, the oldest first, and tells how many it could: fewer if its calls or its time are used up. */
	emit: (entries: Entry[]) => Promise<number>;
	/** Whether the rest is left to the next poll. */
	isSpent: () => boolean;
	/** The time of the last answer by the service's clock. */
	readTime: () => string;
	/** Is told how many records were read of a service that neither filters nor sorts. */
	noteSize: (count: number) => void;
}

/** The step after a page: the next page, the end of the read, a pause until the next poll, or the whole read in the other order. */
export type Next = 'continue' | 'end' | 'pause' | 'reverse';

/** Emits what is new on a page, and takes note of what it shows. */
export async function takePage(
	list: GrowingList,
	cursor: Cursor,
	read: Reading,
	page: Entry[],
	{ emit, readTime }: Work,
): Promise<Next> {
	const { schedule } = list;
	const now = shift(readTime(), schedule?.ahead ?? 0);
	const isBeginning = !cursor.begins && !read.begun;
	read.begun ||= isBeginning ? findLatest(page, now) : now;
	const before = { ...read };
	noteGrain(cursor, page);
	noteOrder(cursor, read, page);
	const isEarlier = ({ time }: Entry) =>
		time !== '' && read.from !== '' && time < shift(read.from, -(cursor.grain ?? 0));
	read.hasOlder ||= page.some(isEarlier);
	if (read.order === 'asc' && !read.isSweep && (read.hasOlder || read.inOrder < 0))
		return 'reverse';
	const isReady = ({ time, record }: Entry) =>
		!schedule || (time && time <= now && !schedule.isLeftOut(record));
	const fresh = page
		.filter((entry) => !isSeen(cursor, entry) && isComparable(cursor, entry, read))
		.filter(isReady)
		.sort(byTime);
	/** The time before a record that shows none, if the page is in order. */
	const place = before.last;
	const isBehind = (time: string) => read.inOrder >= 0 && time <= place;
	const isOld = ({ time }: Entry) =>
		cursor.begins
			? read.isSweep && cursor.old !== undefined && (time || place || cursor.old) < cursor.old
			: isBeginning || time <= read.begun || isBehind(time);
	for (const entry of fresh.filter(isOld)) noteOld(list, cursor, entry, now);
	const wanted = fresh.filter((entry) => !isOld(entry));
	const count = wanted.length ? await emit(wanted) : 0;
	for (const entry of wanted.slice(0, count)) noteEmitted(cursor, entry, now);
	read.hasNew ||= count > 0;
	if (count < wanted.length) {
		// The next poll reads this page again.
		Object.assign(read, { ...before, hasNew: read.hasNew });
		return 'pause';
	}
	read.pages++;
	forgetOldest(list, cursor);
	return isPast(list, cursor, read, now) ? 'end' : 'continue';
}
