import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import type { ListApi } from '../../api/pages/pages';
import { isFinished } from '../../execution/lists/overdue';
import type { PolledEvent } from './events';
import { beginPlace, beginRead, identify, noteOrder, PROOF, shift } from './place';
import type { Entry, Reading } from './place';
import { followPages } from './read';
import type { Work } from './read';

/** Which tasks were announced, by the service's clock. */
export type DueCursor = {
	/** What was due soon by then has been announced: ISO 8601 in UTC; empty before the first read has ended. */
	checkedAt: string;
	/** The announced due date of each task, by its id. A task whose due date changes is announced again. */
	announced: Record<string, string>;
	/** When tasks are read again, by the clock of this n8n: ms since 1970. */
	next: number;
	/** A read that is under way. */
	read?: Reading;
};

export const DUE_EVENT = 'task.due_soon';

/** How often tasks are read, in ms. Each time costs a request, and minutes do not matter a day ahead. */
const INTERVAL = 10 * 60_000;

/** How long before its due date a task is due soon, in ms. */
const AHEAD = 24 * 3_600_000;

export const beginDue = (): DueCursor => ({ checkedAt: '', announced: {}, next: 0 });

function isEarly({ next, read }: DueCursor): boolean {
	const wait = next - Date.now();
	// It is longer than the interval if the clock of this machine was set back.
	return !read && wait > 0 && wait <= INTERVAL;
}

function writeDueQuery({ checkedAt }: DueCursor): IDataObject {
	// The service's time is known only after its first answer, so the range is wider than needed.
	const now = Math.max(Date.now(), Date.parse(checkedAt) || 0);
	return {
		sort: 'due_at',
		order: 'asc',
		due_after: checkedAt || new Date(Date.now() - AHEAD).toISOString(),
		due_before: new Date(now + 2 * AHEAD).toISOString(),
	};
}

/** Notes which tasks of a page are due soon, and gives the events of those that were not announced. */
function announce(cursor: DueCursor, page: Entry[], now: string): PolledEvent[] {
	const { checkedAt, announced } = cursor;
	const soon = page.filter(
		({ time, record }) =>
			!isFinished(record) && time > (checkedAt || now) && time <= shift(now, AHEAD),
	);
	return soon.flatMap(({ id, time: dueAt, record }) => {
		const isKnown = announced[id] === dueAt;
		announced[id] = dueAt;
		if (isKnown || !checkedAt) return [];
		const { dossier_id: dossier = null, assignee_id: assignee = null } = record;
		const data = { task_id: id, dossier_id: dossier, due_at: dueAt, assignee_id: assignee };
		return [{ id: `${id} ${dueAt}`, event: DUE_EVENT, created_at: now, data }];
	});
}

/**
 * Finds the tasks that became due soon, every ten minutes, over as many polls as it takes. The first read begins now and
 * announces nothing. It changes the cursor as it goes. Throws Problem.
 */
export async function readDue(
	api: ListApi,
	cursor: DueCursor,
	{ isSpent, readTime }: Pick<Work, 'isSpent' | 'readTime'>,
	give: (events: PolledEvent[]) => void,
): Promise<void> {
	if (isEarly(cursor)) return;
	const read = (cursor.read ??= beginRead({ ...beginPlace(''), order: 'asc' }));
	const list = { endpoint: 'tasks.list' as const, query: writeDueQuery(cursor) };
	const next = await followPages(api, list, read, isSpent, (records) => {
		read.begun ||= readTime();
		const tasks = records.filter(({ id }) => toText(id) !== undefined);
		const page = tasks.map((task) => identify(task, 'due_at')).filter(({ time }) => time);
		// A service that ignores the order may show an earlier date on a later page.
		noteOrder({ seen: {} }, read, page);
		give(announce(cursor, page, read.begun));
		return read.inOrder > PROOF && read.last > shift(read.begun, AHEAD) ? 'end' : 'on';
	});
	if (next === 'later') return;
	delete cursor.read;
	// If the next page is gone, the next poll begins anew.
	if (next === 'on') return;
	cursor.checkedAt = read.begun || readTime();
	const kept = Object.entries(cursor.announced).filter(([, dueAt]) => dueAt > cursor.checkedAt);
	cursor.announced = Object.fromEntries(kept);
	cursor.next = Date.now() + INTERVAL;
}
