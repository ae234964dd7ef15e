import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord, toText } from '../api/values';

/** Where a list has been read to, by the service's own times. */
export interface Cursor {
	/** Time of the newest entry read: ISO 8601 in UTC; empty if the list was empty. */
	since: string;
	/** The ids of the entries read whose time lies within the overlap before `since`, with their times; those without a time stay. */
	seen: Record<string, string>;
}

/** An entry of a list with its id and time, which a service may leave out. */
export interface ListEntry {
	id: string;
	/** Where it stands in the list: ISO 8601 in UTC. */
	time: string;
	/** The same, but empty if the entry does not tell it. */
	toldTime: string;
	entry: IDataObject;
}

/** Entries are asked for again this far back, in ms, since a service may show them late or out of order. */
const OVERLAP = 5 * 60_000;

/** From which time entries are asked for again; empty before the first. */
export const overlapStart = (since: string): string =>
	since ? new Date(Date.parse(since) - OVERLAP).toISOString() : '';

/** Reads the id and the time of an entry. One without an id is known again by its content, one without a time is as old as `fallback`. */
export function identify(entry: IDataObject, fallback: string, field = 'created_at'): ListEntry {
	const told = Date.parse(toText(entry[field]) ?? '');
	const toldTime = Number.isNaN(told) ? '' : new Date(told).toISOString();
	const hash = () => createHash('sha256').update(JSON.stringify(entry)).digest('base64url');
	return { id: toText(entry.id) ?? hash(), time: toldTime || fallback, toldTime, entry };
}

export function byTime(a: ListEntry, b: ListEntry): number {
	if (a.time === b.time) return 0;
	return a.time < b.time ? -1 : 1;
}

/** The ids that a service may show again to who asks from a time on with the overlap. */
export function keepRecent(since: string, seen: Cursor['seen']): Cursor['seen'] {
	const start = overlapStart(since);
	return Object.fromEntries(Object.entries(seen).filter(([, time]) => !time || time >= start));
}

/** Moves a cursor behind entries that were read. */
export function moveBehind({ since, seen }: Cursor, fresh: ListEntry[]): Cursor {
	const newest = fresh.at(-1)?.time ?? since;
	const added = fresh.map(({ id, toldTime }) => [id, toldTime] as const);
	const latest = newest > since ? newest : since;
	return { since: latest, seen: keepRecent(latest, { ...seen, ...Object.fromEntries(added) }) };
}

/** Entries that were not read before, each once, oldest first. */
export function findFresh({ since, seen }: Cursor, read: ListEntry[]): ListEntry[] {
	const oldest = overlapStart(since);
	const known = new Set(Object.keys(seen));
	return read
		.filter(({ id, time }) => time >= oldest && !known.has(id) && known.add(id))
		.sort(byTime);
}

/** Reads a cursor that n8n kept; `undefined` if there is none. */
export function readCursor(kept: unknown): Cursor | undefined {
	if (!isRecord(kept) || !isRecord(kept.seen)) return undefined;
	const seen = Object.entries(kept.seen).map(([id, time]) => [id, toText(time) ?? ''] as const);
	return { since: toText(kept.since) ?? '', seen: Object.fromEntries(seen) };
}
