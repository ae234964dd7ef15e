import type { IDataObject } from 'n8n-workflow';
import { pages } from '../../api/pages';
import type { ListApi } from '../../api/pages';
import { noteServiceTime } from '../../api/serviceTime';
import { toText } from '../../api/values';
import type { PolledEvent } from './events';

/** Which tasks were announced, by the service's clock. The workflow keeps it between polls. */
export interface DueCursor {
	/** When tasks were last read: ISO 8601 in UTC. */
	checkedAt: string;
	/** The announced due date of each task, by its id. A task whose due date changes is announced again. */
	announced: Record<string, string>;
}

/** How long before its due date a task is due soon, in ms. */
const AHEAD = 24 * 3_600_000;

const FINISHED = ['completed', 'cancelled'];

function createEvent(task: IDataObject, id: string, dueAt: string, now: string): PolledEvent {
	return {
		id: `${id} ${dueAt}`,
		event: 'task.due_soon',
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
	const query = { sort: 'due_at', order: 'asc', due_after: after, due_before: before };
	for await (const page of pages(api, 'tasks.list', { query })) {
		for (const task of page.records) {
			const time = Date.parse(toText(task.due_at) ?? '');
			const id = toText(task.id);
			if (Number.isNaN(time) || id === undefined) continue;
			const dueAt = new Date(time).toISOString();
			// A service that ignores the order may show an earlier date on a later page.
			isSorted &&= dueAt >= latest;
			latest = dueAt;
			const isOpen = !FINISHED.includes(toText(task.status) ?? '');
			if (isOpen && dueAt <= before) yield [id, dueAt, task];
		}
		if (isSorted && latest > before) return;
	}
}

/**
 * Finds the tasks that became due soon since the last call. The first call begins now and announces nothing.
 *
 * @returns the events, soonest first
 */
export async function readDue(
	api: ListApi,
	cursor: DueCursor | undefined,
): Promise<{ fresh: PolledEvent[]; cursor: DueCursor }> {
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
	return { fresh, cursor: { checkedAt: readTime() || (cursor?.checkedAt ?? ''), announced } };
}
