import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { EndpointName } from '../../api/endpoints';
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
	/** How far before the watermark a sweep goes, in ms; absent if the time of a record may be any time. */
	depth?: number;
	/** Absent if the time of a record is when it was created. */
	schedule?: Schedule;
}

/** A list whose records are emitted before their time comes, and again if that time changes. */
interface Schedule {
	/** The filter that leaves out what is later than a time. */
	before: string;
	/** How long before its time a record is emitted, in ms. */
	ahead: number;
	/** How often the list is read, in ms. */
	interval: number;
	isLeftOut: (record: IDataObject) => boolean;
}

/** A record of a list. The service may leave out its id and its time. */
export interface Entry {
	id: string;
	/** ISO 8601 in UTC; empty if the service does not show it. */
	time: string;
	record: IDataObject;
}

/** The header `Date` has whole seconds. */
export const TIME_ROUNDING = 1_000;

/** Moves a time by some ms. */
export const shift = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

/** What services show for a time that was never set: the beginnings of two clocks, in ms since 1970. */
const UNSET_TIMES = [0, Date.parse('0001-01-01T00:00:00Z')];

/** Reads the id and the time of a record. One without an id gets a hash of its content. */
export function readEntry(record: IDataObject, { time: field, schedule }: GrowingList): Entry {
	const parsed = parseTime(record[field]);
	const isShown = !Number.isNaN(parsed) && !UNSET_TIMES.includes(parsed);
	const time = isShown ? new Date(parsed).toISOString() : '';
	const id = toText(record.id) ?? hashText(JSON.stringify(record));
	return { id: schedule ? `${id} ${time}` : id, time, record };
}

export const hashText = (text: string) => createHash('sha256').update(text).digest('base64url');

export function byTime({ time: a }: { time: string }, { time: b }: { time: string }): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

/** The time of a page to a fraction of a second: the header `Date` has whole seconds, and what is on the page was there by then. */
export function findLatest(page: Entry[], now: string): string {
	const end = shift(now, TIME_ROUNDING);
	return page.reduce((latest, { time }) => (time > latest && time < end ? time : latest), now);
}
