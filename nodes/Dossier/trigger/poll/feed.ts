import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { pages } from '../../api/pages';
import type { ListApi } from '../../api/pages';
import { toText } from '../../api/values';

/** Where a feed has been read to, by the service's own times. Kept with the workflow between polls. */
export interface FeedCursor {
	/** Time of the newest entry read: ISO 8601 in UTC; empty if the log was empty. */
	since: string;
	/** The ids of the entries read whose time lies within the overlap before `since`, with their times; those without a time stay. */
	seen: Record<string, string>;
}

/** An entry of the audit log with its id and time, which a service may leave out. */
export interface FeedEntry {
	id: string;
	/** Where it stands in the log: ISO 8601 in UTC. */
	time: string;
	/** The same, but empty if the entry does not tell it. */
	toldTime: string;
	entry: IDataObject;
}

/** Entries are asked for again this far back, in ms, since a service may show them late or out of order. */
const OVERLAP = 5 * 60_000;

/** From which time entries are asked for again; empty before the first. */
const overlapStart = (since: string): string =>
	since ? new Date(Date.parse(since) - OVERLAP).toISOString() : '';

/** Reads the id and the time of an entry. One without an id is known again by its content, one without a time is as old as `fallback`. */
function identify(entry: IDataObject, fallback: string): FeedEntry {
	const told = Date.parse(toText(entry.created_at) ?? '');
	const toldTime = Number.isNaN(told) ? '' : new Date(told).toISOString();
	const hash = () => createHash('sha256').update(JSON.stringify(entry)).digest('base64url');
	return { id: toText(entry.id) ?? hash(), time: toldTime || fallback, toldTime, entry };
}

const isDescending = (entries: FeedEntry[]) =>
	entries.every(({ time }, at) => time <= (entries[at - 1]?.time ?? time));

/** The newest entries, the newest first. */
export async function readNewest(api: ListApi, count: number): Promise<FeedEntry[]> {
	const query = { sort: 'created_at', order: 'desc' };
	const read: FeedEntry[] = [];
	for await (const page of pages(api, 'audit.list', { query }, count)) {
		read.push(...page.records.map((entry) => identify(entry, '')));
		if (isDescending(read)) break;
	}
	return read.sort(byTime).reverse().slice(0, count);
}

/** More than one entry shows whether a service keeps the order. */
const FIRST_LOOK = 10;

/** Where a first poll begins: everything up to now is known. In an empty log it begins with whatever comes. */
export async function beginFeed(api: ListApi): Promise<FeedCursor> {
	const [newest] = await readNewest(api, FIRST_LOOK);
	if (!newest) return { since: '', seen: {} };
	const start = { since: newest.time, seen: { [newest.id]: newest.toldTime } };
	return (await readFeed(api, start, Infinity)).cursor;
}

function byTime(a: FeedEntry, b: FeedEntry): number {
	if (a.time === b.time) return 0;
	return a.time < b.time ? -1 : 1;
}

interface Reading {
	/** Entries that were not read before, oldest first. */
	fresh: FeedEntry[];
	cursor: FeedCursor;
}

/** The ids that a service may show again to who asks from a time on with the overlap. */
export function keepRecent(since: string, seen: FeedCursor['seen']): FeedCursor['seen'] {
	const start = overlapStart(since);
	return Object.fromEntries(Object.entries(seen).filter(([, time]) => !time || time >= start));
}

/** Sorts what was read, passes over what is known, and moves the cursor behind it. */
export function advance({ since, seen }: FeedCursor, read: FeedEntry[]): Reading {
	const oldest = overlapStart(since);
	const known = new Set(Object.keys(seen));
	const fresh = read
		.filter(({ id, time }) => time >= oldest && !known.has(id) && known.add(id))
		.sort(byTime);
	const newest = fresh.at(-1)?.time ?? since;
	const added = fresh.map(({ id, toldTime }) => [id, toldTime] as const);
	const latest = newest > since ? newest : since;
	return {
		fresh,
		cursor: { since: latest, seen: keepRecent(latest, { ...seen, ...Object.fromEntries(added) }) },
	};
}

/**
 * Reads the entries that came since the last poll, oldest first. If time runs out, it gives what it has, provided that
 * nothing older is missing; the next poll goes on from there.
 *
 * @param deadline when to stop, in ms since 1970
 */
export async function readFeed(
	api: ListApi,
	cursor: FeedCursor,
	deadline: number,
): Promise<Reading> {
	const from = overlapStart(cursor.since);
	const ascending = { sort: 'created_at', order: 'asc', ...(from && { from }) };
	const read: FeedEntry[] = [];
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
async function readBackwards(api: ListApi, from: string, fallback: string): Promise<FeedEntry[]> {
	const read: FeedEntry[] = [];
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
