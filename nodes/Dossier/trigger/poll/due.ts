import type { IDataObject } from 'n8n-workflow';
import { noteServiceTime } from '../../api/pages/collect';
import { pages } from '../../api/pages/pages';
import type { ListApi } from '../../api/pages/pages';
import { toText } from '../../api/json';
import { isFinished } from '../../execution/lists/overdue';
import type { PolledEvent } from './events';
import { PROOF } from './place';

/** Which tasks were announced, by the service's clock. The workflow keeps it between polls. */
export type DueCursor = {
	/** When tasks were last read: ISO 8601 in UTC. */
	checkedAt: string;
	/** The announced due date of each task, by its id. A task whose due date changes is announced again. */
	announced: Record<string, string>;
	/** When tasks are read again, by the clock of this n8n: ms since 1970. */
	next: number;
};

export const DUE_EVENT = 'task.due_soon';

/** How often tasks are read, in ms. Each time costs a request, and minutes do not matter a day ahead. */
const INTERVAL = 10 * 60_000;

/** How long before its due date a task is due soon, in ms. */
const AHEAD = 24 * 3_600_000;

function createEvent(task: IDataObject, id: string, dueAt: string, now: string): PolledEvent {
	return {
		id: `${id} ${dueAt}`,
		event: DUE_EVENT,
		created_at: now,
		data: {
			task_id: id,
			dossier_id: task.dossier_id ?? null,
			due_at: dueAt,
			assignee_id: task.assignee_id ?? null,
		},
	};
}

/** Every unfinished task that is due between two times, with its id and due date; also earlier ones, if the service ignores `after`. */
async function* listDue(
	api: ListApi,
	after: string,
	before: string,
): AsyncGenerator<[string, string, IDataObject]> {
	let latest = '';
	let isSorted = true;
	let steps = 0;
	const query = { sort: 'due_at', order: 'asc', due_after: after, due_before: before };
	for await (const page of pages(api, 'tasks.list', { query })) {
		for (const task of page.records) {
			const time = Date.parse(toText(task.due_at) ?? '');
			const id = toText(task.id);
			if (Number.isNaN(time) || id === undefined) continue;
			const dueAt = new Date(time).toISOString();
			// A service that ignores the order may show an earlier date on a later page.
			isSorted &&= dueAt >= latest;
			if (dueAt > latest) steps++;
			latest = dueAt;
			if (!isFinished(task) && dueAt <= before) yield [id, dueAt, task];
		}
		if (isSorted && steps > PROOF && latest > before) return;
	}
}

function isEarly({ next }: DueCursor): boolean {
	const wait = next - Date.now();
	// It is longer than the interval if the clock of this machine was set back.
	return wait > 0 && wait <= INTERVAL;
}

/**
 * Finds the tasks that became due soon since the last call, every ten minutes. The first call begins now and announces
 * nothing.
 *
 * @returns the events, soonest first
 */
export async function pollDue(
	api: ListApi,
	cursor: DueCursor | undefined,
): Promise<{ fresh: PolledEvent[]; cursor: DueCursor }> {
	if (cursor && isEarly(cursor)) return { fresh: [], cursor };
	const { api: timed, readTime } = noteServiceTime(api);
	const fresh: PolledEvent[] = [];
	const announced: Record<string, string> = {};
	// The service's time is known only after its first answer, so the range is wider than needed.
	const now = Math.max(Date.now(), Date.parse(cursor?.checkedAt ?? '') || 0);
	const latest = new Date(now + 2 * AHEAD).toISOString();
	const earliest = cursor?.checkedAt || new Date(Date.now() - AHEAD).toISOString();
	for await (const [id, dueAt, task] of listDue(timed, earliest, latest)) {
		const time = readTime();
		const isSoon = Date.parse(dueAt) - Date.parse(time) <= AHEAD;
		const isOver = dueAt <= (cursor?.checkedAt ?? time);
		if (!isSoon || isOver) continue;
		announced[id] = dueAt;
		const isNew = cursor && cursor.announced[id] !== dueAt;
		if (isNew) fresh.push(createEvent(task, id, dueAt, time));
	}
	const checkedAt = readTime() || (cursor?.checkedAt ?? '');
	return { fresh, cursor: { checkedAt, announced, next: Date.now() + INTERVAL } };
}
