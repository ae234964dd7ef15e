import { pages } from '../../api/pages';
import type { ListApi } from '../../api/pages';
import { byTime, findFresh, identify, moveBehind, overlapStart } from '../../execution/cursor';
import type { Cursor, ListEntry } from '../../execution/cursor';

const isDescending = (entries: ListEntry[]) =>
	entries.every(({ time }, at) => time <= (entries[at - 1]?.time ?? time));

/** Reads the newest entries, the newest first. */
export async function readNewest(api: ListApi, count: number): Promise<ListEntry[]> {
	const query = { sort: 'created_at', order: 'desc' };
	const read: ListEntry[] = [];
	for await (const page of pages(api, 'audit.list', { query }, count)) {
		read.push(...page.records.map((entry) => identify(entry, '')));
		if (read.length >= count && isDescending(read)) break;
	}
	return read.sort(byTime).reverse().slice(0, count);
}

/** How many entries the first poll reads: several, to see whether the service sorts them. */
const FIRST_LOOK = 10;

/** The cursor of the first poll, behind the newest entry. If the log is empty, every later entry counts as new. */
export async function beginFeed(api: ListApi): Promise<Cursor> {
	const [newest] = await readNewest(api, FIRST_LOOK);
	if (!newest) return { since: '', seen: {} };
	const start = { since: newest.time, seen: { [newest.id]: newest.reportedTime } };
	return (await readFeed(api, start, Infinity)).cursor;
}

interface Reading {
	/** Entries that were not read before, oldest first. */
	fresh: ListEntry[];
	cursor: Cursor;
}

/** Finds the new ones among the entries, sorted, and moves the cursor behind them. */
function advance(cursor: Cursor, read: ListEntry[]): Reading {
	const fresh = findFresh(cursor, read);
	return { fresh, cursor: moveBehind(cursor, fresh) };
}

/**
 * Reads the entries since the last poll, oldest first. If the deadline passes and the entries come in order, it gives
 * those that it has read, and the next poll continues from there.
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
		// The overlap may fill whole pages. A poll that stopped within it would begin there again and never get further.
		if (Date.now() > deadline && entries.some(({ id }) => !(id in cursor.seen))) break;
	}
	if (!isIgnored) return advance(cursor, read);
	return advance(cursor, await readBackwards(api, from, cursor.since));
}

/** Reads from the newest entry back to a time, for a service that ignores the filter or the ascending order. */
async function readBackwards(api: ListApi, from: string, fallback: string): Promise<ListEntry[]> {
	const read: ListEntry[] = [];
	let isBackwards = true;
	const descending = { sort: 'created_at', order: 'desc' };
	for await (const page of pages(api, 'audit.list', { query: descending })) {
		const entries = page.records.map((entry) => identify(entry, fallback));
		read.push(...entries.filter(({ time }) => time >= from));
		const [first, last] = [entries[0], entries.at(-1)];
		if (!first || !last) break;
		// If the service sorts in ascending order anyway, the new entries are on the last pages.
		isBackwards &&= last.time <= first.time;
		if (isBackwards && last.time < from) break;
	}
	return isBackwards ? read.reverse() : read;
}
