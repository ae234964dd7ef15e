import type { IDataObject } from 'n8n-workflow';
import { kindsByEndpoint } from '../../api/endpoints';
import { collect } from '../../api/pages/collect';
import { pages } from '../../api/pages/pages';
import type { ListApi } from '../../api/pages/pages';
import { writeFilters } from '../../dialect/lists';
import { isProblem, readRefusal } from '../../problems/problem';
import { makeCursor, noteFiltered } from './cursor';
import type { Cursor, Reading } from './cursor';
import { byTime, readEntry, shift } from './entries';
import type { Entry, GrowingList } from './entries';
import { takePage } from './page';
import type { Next, Work } from './page';
import {
	beginRead,
	beginSweep,
	endRead,
	endSweep,
	isEarly,
	isStarved,
	isSweepDue,
} from './reading';

function writeFeedQuery(
	{ query, time, after, schedule }: GrowingList,
	{ from, order }: Reading,
): IDataObject {
	// The service's time is known only after its first answer, so the range is wider than needed.
	const latest = (ahead: number) =>
		new Date(Math.max(Date.now(), Date.parse(from) || 0) + 2 * ahead).toISOString();
	return {
		...query,
		sort: time,
		order,
		...(after && from && { [after]: from }),
		...(schedule && { [schedule.before]: latest(schedule.ahead) }),
	};
}

/** Opens the cursor of a list; a new one if the list, its filters or its dialect have changed. */
export function openCursor(api: ListApi, list: GrowingList, kept?: Cursor): Cursor {
	const { endpoint, id = '', chosen, time, after } = list;
	const query = { sort: time, order: 'desc', ...(after && { [after]: 'time' }) };
	const kind = kindsByEndpoint[endpoint];
	const written = kind ? writeFilters(api.translator, kind, query) : query;
	const about = JSON.stringify([endpoint, id, chosen, written]);
	return kept?.about === about ? structuredClone(kept) : makeCursor(about, list);
}

/** Reads some of the newest records, the newest first. */
export async function readNewest(api: ListApi, list: GrowingList, count: number): Promise<Entry[]> {
	const { endpoint, id, query, time } = list;
	const call = { id, query: { ...query, sort: time, order: 'desc' } };
	const records = await collect(api, endpoint, call, count);
	return records.map((record) => readEntry(record, list)).sort((a, b) => byTime(b, a));
}

/** Statuses of 4xx that do not mean that something is gone: access is refused, or requests come too often. */
const NOT_GONE = [401, 403, 408, 429];

/** Whether the service no longer has a record or a page. */
export function isGone(error: unknown): boolean {
	const status = readRefusal(error)?.status ?? 0;
	return status >= 400 && status < 500 && !NOT_GONE.includes(status);
}

/** Begins a read again, because its next page is gone: behind the records that it has read if their order is ascending. */
function restart(read: Reading): void {
	delete read.resume;
	if (read.order === 'asc' && read.inOrder >= 0 && read.last > read.from) read.from = read.last;
	read.last = '';
}

/** A time that no record is after. */
const NEVER = '9999-12-31T00:00:00.000Z';

/** Whether a service filters by a time that it does not show: asked for records after the end of time, it gives none. */
async function hasTimeFilter(api: ListApi, { endpoint, id, query, after }: GrowingList) {
	if (after === undefined) return false;
	const call = { id, query: { ...query, [after]: NEVER } };
	const found = collect(api, endpoint, call, 1).then(({ length }) => length === 0);
	return await found.catch((error: unknown) => {
		// A service that refuses the value has read the filter.
		if (readRefusal(error)) return true;
		throw error;
	});
}

/** Which of the two reads of a list: of what is later than the watermark, or a sweep. */
type ReadKind = 'read' | 'sweep';

/** Ends a read that has come to the end of the list, or to records that are known. */
async function finish(
	api: ListApi,
	list: GrowingList,
	cursor: Cursor,
	kind: ReadKind,
	isAtEnd: boolean,
): Promise<void> {
	const read = cursor[kind];
	if (!read) return;
	const isFirst = !cursor.begins;
	const isLong = read.pages > 1 && !list.schedule;
	// Without times, a watermark is of use only if the service filters.
	if (isLong && cursor.skew === undefined && cursor.isFiltered === undefined)
		noteFiltered(cursor, await hasTimeFilter(api, list), read.begun);
	if (isFirst && !isAtEnd && !list.schedule) cursor.old = cursor.watermark;
	const isWhole = isAtEnd && (read.from === '' || read.hasOlder || list.after === undefined);
	endRead(list, cursor, read);
	if (!list.schedule && (read.isSweep || isWhole)) endSweep(cursor, read);
	delete cursor[kind];
}

async function readOn(
	api: ListApi,
	list: GrowingList,
	cursor: Cursor,
	work: Work,
	kind: ReadKind,
): Promise<void> {
	const read = (cursor[kind] ??= kind === 'sweep' ? beginSweep(list, cursor) : beginRead(cursor));
	let isAtEnd = true;
	let count = 0;
	async function follow(): Promise<Next> {
		const call = { id: list.id, query: writeFeedQuery(list, read) };
		const going = { resume: read.resume, repeats: 1 };
		const walk = pages({ ...api, concurrency: 1 }, list.endpoint, call, Infinity, going);
		for await (const { records, next, reached } of walk) {
			const entries = records.map((record) => readEntry(record, list));
			const page = new Map(entries.map((entry) => [entry.id, entry]));
			const then = await takePage(list, cursor, read, [...page.values()], work);
			isAtEnd = then !== 'end' || !next;
			if (then !== 'continue') return then;
			count = reached.read;
			if (next) read.resume = { ...reached, next };
			if (next && work.isSpent()) return 'pause';
		}
		return 'end';
	}
	const next = await follow().catch((error: unknown): Next => {
		// The next page is gone.
		if (read.resume && isGone(error)) return 'continue';
		// The next poll begins again, because what is new may be at the beginning.
		if (isProblem(error, 'LIST_ENDLESS')) restart(read);
		throw error;
	});
	if (next === 'continue') restart(read);
	if (next === 'reverse') {
		cursor.order = 'desc';
		delete cursor[kind];
	}
	if (next === 'end') {
		if (!read.isSweep && read.resume && read.hasOlder && read.inOrder < 0) work.noteSize(count);
		read.begun ||= shift(work.readTime(), list.schedule?.ahead ?? 0);
		await finish(api, list, cursor, kind, isAtEnd);
	}
	if ((next === 'reverse' || next === 'continue') && !work.isSpent())
		await readOn(api, list, cursor, work, kind);
}

/**
 * Reads on in a list, from where the last poll stopped or from the watermark, and emits what is new; in some polls, or if it
 * costs no more, it sweeps the list: it reads what is earlier too, and compares the ids. It moves the cursor as it goes, so that
 * after an error the cursor shows what was done before. The first read and the first sweep emit nothing from before they began.
 *
 * @throws Problem
 */
export async function readList(
	api: ListApi,
	list: GrowingList,
	cursor: Cursor,
	work: Work,
): Promise<void> {
	if (isEarly(cursor, list)) return;
	cursor.waited++;
	const isOnePage = cursor.every === 1 && !cursor.read;
	if (isSweepDue(cursor, list) && isStarved(cursor)) {
		await readOn(api, list, cursor, work, 'sweep');
		if (work.isSpent()) return;
	}
	if (!isOnePage) {
		await readOn(api, list, cursor, work, 'read');
		if (cursor.read || work.isSpent()) return;
	}
	if (isSweepDue(cursor, list)) await readOn(api, list, cursor, work, 'sweep');
}
