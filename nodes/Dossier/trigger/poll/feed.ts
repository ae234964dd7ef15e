import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { pages } from '../../api/pages';
import { toText } from '../../api/values';

/** Where a feed has been read to, by the service's own times. Kept with the workflow between polls. */
export interface FeedCursor {
	/** Time of the newest entry read: ISO 8601 in UTC; empty if the log was empty. */
	since: string;
	/** The ids of the entries read whose time lies within the overlap before `since`, with their times. */
	seen: Record<string, string>;
}

/** An entry of the audit log with its id and time, which a service may leave out. */
export interface FeedEntry {
	id: string;
	/** ISO 8601 in UTC. */
	time: string;
	entry: IDataObject;
}

/** Entries are asked for again this far back, in ms, since a service may show them late or out of order. */
const OVERLAP = 5 * 60_000;

type Lists = Parameters<typeof pages>[0];

const shift = (time: string, ms: number) =>
	time ? new Date(Date.parse(time) + ms).toISOString() : '';

/** Reads the id and the time of an entry. One without an id is known again by its content, one without a time is as old as `fallback`. */
function identify(entry: IDataObject, fallback: string): FeedEntry {
	const told = Date.parse(toText(entry.created_at) ?? '');
	const time = Number.isNaN(told) ? fallback : new Date(told).toISOString();
	const hash = () => createHash('sha256').update(JSON.stringify(entry)).digest('base64url');
	return { id: toText(entry.id) ?? hash(), time, entry };
}

/** Reads the newest entry, where a first poll begins; in an empty log it begins with whatever comes. */
export async function findNewest(api: Lists): Promise<FeedEntry | undefined> {
	const query = { sort: 'created_at', order: 'desc' };
	let newest: FeedEntry | undefined;
	for await (const page of pages(api, 'audit.list', { query }, 1)) {
		for (const entry of page.records) {
			const found = identify(entry, '');
			if (!newest || found.time > newest.time) newest = found;
		}
		// A service that ignores the order shows its newest entry somewhere else.
		if (page.records.length <= 1) break;
	}
	return newest;
}

interface Reading {
	/** Entries that were not read before, oldest first. */
	fresh: FeedEntry[];
	cursor: FeedCursor;
}

/** Sorts what was read, passes over what is known, and moves the cursor behind it. */
function advance({ since, seen }: FeedCursor, read: FeedEntry[]): Reading {
	const oldest = shift(since, -OVERLAP);
	const known = new Set(Object.keys(seen));
	const fresh = read
		.filter(({ id, time }) => time >= oldest && !known.has(id) && known.add(id))
		.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? -1 : 1));
	const newest = fresh.at(-1)?.time ?? since;
	const times = { ...seen, ...Object.fromEntries(fresh.map(({ id, time }) => [id, time])) };
	const latest = newest > since ? newest : since;
	const kept = Object.entries(times).filter(([, time]) => time >= shift(latest, -OVERLAP));
	return { fresh, cursor: { since: latest, seen: Object.fromEntries(kept) } };
}

/**
 * Reads the entries that came since the last poll, oldest first. If time runs out, it gives what it has, provided that
 * nothing older is missing; the next poll goes on from there.
 *
 * @param deadline when to stop, in ms since 1970
 */
export async function readFeed(api: Lists, cursor: FeedCursor, deadline: number): Promise<Reading> {
	const from = shift(cursor.since, -OVERLAP);
	const ascending = { sort: 'created_at', order: 'asc', ...(from ? { created_after: from } : {}) };
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
async function readBackwards(api: Lists, from: string, fallback: string): Promise<FeedEntry[]> {
	const read: FeedEntry[] = [];
	let isDescending = true;
	const descending = { sort: 'created_at', order: 'desc' };
	for await (const page of pages(api, 'audit.list', { query: descending })) {
		const entries = page.records.map((entry) => identify(entry, fallback));
		read.push(...entries.filter(({ time }) => time >= from));
		const [first, last] = [entries[0], entries.at(-1)];
		if (!first || !last) break;
		// Ascending in spite of the order asked for: the new entries are on the last pages.
		isDescending &&= last.time <= first.time;
		if (isDescending && last.time < from) break;
	}
	return isDescending ? read.reverse() : read;
}
