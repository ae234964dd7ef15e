import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/values';
import { isObject } from '../dialect/paths';

/** How far a list has been read, by the service's times. */
export interface Cursor {
	/** Time of the newest entry read: ISO 8601 in UTC; empty if the list was empty. */
	since: string;
	/** Ids and times of the entries within the overlap before `since`; entries without a time stay for ever, with an empty one. */
	seen: Record<string, string>;
}

/** An entry of a list. The service may leave out its id and its time, which are made up then. */
export interface ListEntry {
	id: string;
	/** The time by which it is sorted: ISO 8601 in UTC. */
	time: string;
	/** The same; empty if the entry has no time. */
	reportedTime: string;
	entry: IDataObject;
}

/** How far before `since` entries are requested again, in ms: a service may show them late or out of order. */
const OVERLAP = 5 * 60_000;

/** The time from which entries are requested again; empty before the first entry. */
export const overlapStart = (since: string): string =>
	since ? new Date(Date.parse(since) - OVERLAP).toISOString() : '';

/** Reads the id and the time of an entry. An entry without an id gets a hash of its content, one without a time gets `fallback`. */
export function identify(entry: IDataObject, fallback: string, field = 'created_at'): ListEntry {
	const time = Date.parse(toText(entry[field]) ?? '');
	const reportedTime = Number.isNaN(time) ? '' : new Date(time).toISOString();
	const hash = () => createHash('sha256').update(JSON.stringify(entry)).digest('base64url');
	return { id: toText(entry.id) ?? hash(), time: reportedTime || fallback, reportedTime, entry };
}

export function byTime(a: ListEntry, b: ListEntry): number {
	if (a.time === b.time) return 0;
	return a.time < b.time ? -1 : 1;
}

/** The ids within the overlap before `since`, which the service may show again. */
export function keepRecent(since: string, seen: Cursor['seen']): Cursor['seen'] {
	const start = overlapStart(since);
	return Object.fromEntries(Object.entries(seen).filter(([, time]) => !time || time >= start));
}

/** Moves a cursor behind entries that were read. */
export function moveBehind({ since, seen }: Cursor, fresh: ListEntry[]): Cursor {
	const newest = fresh.at(-1)?.time ?? since;
	const added = fresh.map(({ id, reportedTime }) => [id, reportedTime] as const);
	const latest = newest > since ? newest : since;
	return { since: latest, seen: keepRecent(latest, { ...seen, ...Object.fromEntries(added) }) };
}

/** The entries that were not read before, each once, oldest first. */
export function findFresh({ since, seen }: Cursor, read: ListEntry[]): ListEntry[] {
	const oldest = overlapStart(since);
	const known = new Set(Object.keys(seen));
	return read
		.filter(({ id, time }) => time >= oldest && !known.has(id) && known.add(id))
		.sort(byTime);
}

/** Reads a cursor that n8n kept; `undefined` if there is none. */
export function readCursor(kept: unknown): Cursor | undefined {
	if (!isObject(kept) || !isObject(kept.seen)) return undefined;
	const seen = Object.entries(kept.seen).map(([id, time]) => [id, toText(time) ?? ''] as const);
	return { since: toText(kept.since) ?? '', seen: Object.fromEntries(seen) };
}
