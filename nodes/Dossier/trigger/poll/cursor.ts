import { HOUR, MINUTE } from '../../api/clock';
import type { Resume } from '../../api/pages/progress';
import { hashText, shift, TIME_ROUNDING } from './entries';
import type { Entry, GrowingList } from './entries';

const DAY = 24 * HOUR;

/** A read of a list, page by page, over as many polls as it takes. */
export type Reading = {
	/** When it began, by the service's clock. */
	begun: string;
	/** Only records since then are asked for; empty for all. */
	from: string;
	order: 'asc' | 'desc';
	/** Whether it goes back beyond the watermark. */
	isSweep: boolean;
	/** Where the last poll stopped; absent at the first page. */
	resume?: Resume;
	pages: number;
	/** The time of the last record that had one. */
	last: string;
	/** How many records have followed in the order; -1 once one has not. */
	inOrder: number;
	/** Whether the service has shown records from before `from`: it ignores the filter. */
	hasOlder: boolean;
	/** Whether it has found a record that no earlier read had. */
	hasNew: boolean;
};

/** How far a list has been read. Times are those of the service: ISO 8601 in UTC, or ms since 1970. */
export type Cursor = {
	/** A read asks for the records since then; empty at first. */
	watermark: string;
	/** The time of each known record in ms, by a hash of its id; 0 for a record without a time. */
	seen: Record<string, number>;
	/** Records up to this time are no longer known, and none is emitted: in ms; absent if every record is known. */
	forgotten?: number;
	/** Unknown records before this time are from before the trigger began; absent once the list has been read as a whole. */
	old?: string;
	/** How far, at most, the times of new records are behind the service's clock, in ms. */
	skew?: number;
	/** How coarse the times of records are, in ms: all are multiples of it. */
	grain?: number;
	/** Whether the service filters by the time of records that do not show it; absent if that was not asked. */
	isFiltered?: boolean;
	/** When the last reads began that may move the watermark; absent before the trigger has read the list once. */
	begins?: string[];
	order: Reading['order'];
	/** The query of the list that this is the cursor of. */
	about: string;
	read?: Reading;
	sweep?: Reading;
	/** How many polls there are from one sweep to the next; 0 before the first sweep. */
	every: number;
	/** How many polls there were since the last sweep. */
	waited: number;
	/** By id, in how many polls in a row a record could not be read. */
	unread?: Array<[id: string, polls: number]>;
	/** When a list with a schedule is read again, by the clock of this n8n: ms since 1970. */
	next?: number;
};

/** How late a service may show a record, in ms. */
const OVERLAP = 5 * MINUTE;

/** How far a clock can be behind because of its zone, in ms. A record that is further behind was not dated when it was created. */
export const WORST_SKEW = 26 * HOUR;

/** Whole days and hours are multiples of this in any zone, in ms. */
const COARSE = 15 * MINUTE;

/** How many ids are kept. More are kept only if a clock that is set back could reach them. */
const MOST_SEEN = 10_000;

/** How many ids more than that are kept before the oldest are forgotten. */
const SEEN_MARGIN = 1_000;

/** The cursor of a trigger that has read nothing. */
export const makeCursor = (about: string, { schedule }: GrowingList): Cursor => ({
	watermark: '',
	seen: {},
	order: 'desc',
	about,
	every: 0,
	waited: 0,
	...(schedule && { skew: 0 }),
});

/** How much earlier than the service's clock a new record may be, without its skew, in ms: a task may be made shortly before it is due. */
export const readOverlap = ({ schedule }: GrowingList, { grain = 0 }: Cursor) =>
	schedule?.ahead ?? OVERLAP + grain;

const hashId = (id: string) => hashText(id).slice(0, 8);

export const isSeen = ({ seen }: Cursor, { id }: Entry) => Object.hasOwn(seen, hashId(id));

/** Whether a record is new if its id is unknown. One without a time may be one that was forgotten. */
export function isComparable({ forgotten, isFiltered }: Cursor, { time }: Entry, read: Reading) {
	if (forgotten === undefined) return true;
	return time ? Date.parse(time) > forgotten : !(isFiltered && read.isSweep);
}

/** Forgets the ids of the oldest records: those that no read reaches, and those above the maximum. */
export function forgetOldest({ schedule, depth }: GrowingList, cursor: Cursor): void {
	const watermark = cursor.watermark ? Date.parse(cursor.watermark) : 0;
	const reach = schedule ? 0 : (depth ?? Infinity);
	const times = Object.values(cursor.seen);
	const isFull = times.length > MOST_SEEN + SEEN_MARGIN;
	const kept = isFull ? (times.sort((a, b) => b - a)[MOST_SEEN] ?? 0) : 0;
	const end = Math.max(watermark - 2 * reach - 1, Math.min(kept, watermark - WORST_SKEW));
	if (end <= (cursor.forgotten ?? 0)) return;
	cursor.forgotten = end;
	const left = Object.entries(cursor.seen).filter(([, time]) => !time || time > end);
	cursor.seen = Object.fromEntries(left);
}

function remember(cursor: Cursor, { id, time }: Entry, now: string): void {
	const known = time || (cursor.isFiltered ? now : '');
	cursor.seen[hashId(id)] = known ? Date.parse(known) : 0;
}

/** Takes note whether the service filters by a time that it does not show. If so, ids may be forgotten by when they were read. */
export function noteFiltered(cursor: Cursor, isFiltered: boolean, begun: string): void {
	cursor.isFiltered = isFiltered;
	if (!isFiltered) return;
	cursor.skew = WORST_SKEW;
	for (const name of Object.keys(cursor.seen)) cursor.seen[name] ||= Date.parse(begun);
}

/** How far the time of a record is behind the service's clock; NaN without a time, and if it is dated in the future. */
const measureSkew = ({ time }: Entry, now: string) =>
	time && time <= now ? Date.parse(now) - Date.parse(time) + TIME_ROUNDING : NaN;

/** Takes note that a record was emitted. `now` is the time of its answer, by the service's clock. */
export function noteEmitted(cursor: Cursor, entry: Entry, now: string): void {
	remember(cursor, entry, now);
	const skew = measureSkew(entry, now);
	// The clock of the records was set back if a sweep finds one that is earlier than the watermark.
	const isSetBack = entry.time < cursor.watermark && skew <= WORST_SKEW;
	if (isSetBack || skew < (cursor.skew ?? Infinity)) cursor.skew = skew;
}

/** Takes note of a record from before the trigger began. The newest one tells from when on records are new. */
export function noteOld(list: GrowingList, cursor: Cursor, entry: Entry, now: string): void {
	remember(cursor, entry, now);
	const skew = measureSkew(entry, now);
	if (cursor.begins || Number.isNaN(skew)) return;
	cursor.skew = Math.min(cursor.skew ?? Infinity, skew);
	const from = shift(entry.time, -readOverlap(list, cursor));
	if (from > cursor.watermark) cursor.watermark = from;
}

/** Takes note of how coarse the times of a page are. */
export function noteGrain(cursor: Cursor, page: Entry[]): void {
	for (const { time } of page) {
		if (!time) continue;
		const at = Date.parse(time);
		const grain = [COARSE, MINUTE].find((one) => at % one === 0) ?? 0;
		cursor.grain = Math.min(cursor.grain ?? DAY, grain === COARSE ? DAY : grain);
	}
}
