import { pages } from '../../api/pages';
import type { ListApi } from '../../api/pages';
import { byTime, findFresh, identify, moveBehind, overlapStart } from '../../execution/cursor';
import type { Cursor, ListEntry } from '../../execution/cursor';

const isDescending = (entries: ListEntry[]) =>
	entries.every(({ time }, at) => time <= (entries[at - 1]?.time ?? time));

/** The newest entries, the newest first. */
export async function readNewest(api: ListApi, count: number): Promise<ListEntry[]> {
	const query = { sort: 'created_at', order: 'desc' };
	const read: ListEntry[] = [];
	for await (const page of pages(api, 'audit.list', { query }, count)) {
		read.push(...page.records.map((entry) => identify(entry, '')));
		if (isDescending(read)) break;
	}
	return read.sort(byTime).reverse().slice(0, count);
}

/** More than one entry shows whether a service keeps the order. */
const FIRST_LOOK = 10;

/** Where a first poll begins: everything up to now is known. In an empty log it begins with whatever comes. */
export async function beginFeed(api: ListApi): Promise<Cursor> {
	const [newest] = await readNewest(api, FIRST_LOOK);
	if (!newest) return { since: '', seen: {} };
	const start = { since: newest.time, seen: { [newest.id]: newest.toldTime } };
	return (await readFeed(api, start, Infinity)).cursor;
}

interface Reading {
	/** Entries that were not read before, oldest first. */
	fresh: ListEntry[];
	cursor: Cursor;
}

/** Sorts what was read, passes over what is known, and moves the cursor behind it. */
function advance(cursor: Cursor, read: ListEntry[]): Reading {
	const fresh = findFresh(cursor, read);
	return { fresh, cursor: moveBehind(cursor, fresh) };
}

/**
 * Reads the entries that came since the last poll, oldest first. If time runs out, it gives what it has, provided that
 * nothing older is missing; the next poll goes on from there.
 *
 * @param deadline when to stop, in ms since 1970
 */
export async function readFeed(api: ListApi, cursor: Cursor, deadline: number): Promise<Reading> {
	const from = overlapStart(cursor.since);
	const ascending = { sort: 'created_at', order: 'asc', ...(from && { from }) };
	const read: ListEntry[] = [];
	let isIgnored = false;
	for await (const page of pages(api, 'audit.list', { query: ascending })) {
		const entries = page.records.map((entry) => identify(entry, cursor.since));
		const [first, last] = [entries[0], entries.at(-1)];
		if (!first || !last) break;
		isIgnored = first.time < from || last.time < first.time;
		if (isIgnored) break;
		read.push(...entries);
		// The overlap may fill whole pages; a poll that stopped inside it would never get any further.
		if (Date.now() > deadline && entries.some(({ id }) => !(id in cursor.seen))) break;
	}
	if (!isIgnored) return advance(cursor, read);
	return advance(cursor, await readBackwards(api, from, cursor.since));
}

/** Reads from the newest entry back to a time, for a service that ignores the filter or the order. */
async function readBackwards(api: ListApi, from: string, fallback: string): Promise<ListEntry[]> {
	const read: ListEntry[] = [];
	let isBackwards = true;
	const descending = { sort: 'created_at', order: 'desc' };
	for await (const page of pages(api, 'audit.list', { query: descending })) {
		const entries = page.records.map((entry) => identify(entry, fallback));
		read.push(...entries.filter(({ time }) => time >= from));
		const [first, last] = [entries[0], entries.at(-1)];
		if (!first || !last) break;
		// Ascending in spite of the order asked for: the new entries are on the last pages.
		isBackwards &&= last.time <= first.time;
		if (isBackwards && last.time < from) break;
	}
	return isBackwards ? read.reverse() : read;
}
