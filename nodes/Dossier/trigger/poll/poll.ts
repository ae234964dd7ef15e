import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { noteServiceTime } from '../../api/pages/collect';
import { isFinished } from '../../execution/lists/overdue';
import type { Filter } from '../event';
import { explainError } from '../form';
import { isChosenEvent, toItems, watchAuditLog } from './events';
import type { Cursor } from './cursor';
import { byTime } from './entries';
import type { Entry } from './entries';
import type { EventApi, Feed, Item, MapOptions } from './feed';
import { openCursor, readList } from './read';

export type PollState = {
	/** Names the trigger, the service and the organization that it was read for. */
	source: string;
	/** How many polls have led to it: of two states, the one of more polls is the later one. */
	polls: number;
} & Partial<Record<Feed['key'], Cursor>>;

interface PollRequest extends Pick<MapOptions, 'budget' | 'warnOnce'> {
	/** The state that the last poll left. Without it, the trigger begins now and emits nothing. */
	state: PollState | undefined;
	source: string;
	feeds: Feed[];
	/** Shows that a record cannot be read, in the list of executions. */
	report: (error: unknown) => void;
}

/** The items that a poll emits, and the state that it leaves. */
export interface Polled {
	items: IDataObject[];
	state: PollState;
	/** The first one is shown if the poll emits nothing. */
	errors: unknown[];
}

const DUE_EVENT = 'task.due_soon';

/** The tasks that become due within a day, looked at every ten minutes: each time costs a request. */
const watchDue = (filter: Filter): Feed => ({
	key: 'due',
	list: {
		endpoint: 'tasks.list',
		time: 'due_at',
		after: 'due_after',
		query: {},
		chosen: '',
		schedule: {
			before: 'due_before',
			ahead: 24 * 3_600_000,
			interval: 10 * 60_000,
			isLeftOut: (task) => isFinished(task) || toText(task.id) === undefined,
		},
	},
	map: async (api, entries, { now }) => {
		const events = entries.map(({ id, time, record }) => {
			const { id: task, dossier_id: dossier = null, assignee_id: assignee = null } = record;
			const data = { task_id: task, dossier_id: dossier, due_at: time, assignee_id: assignee };
			return { id, event: DUE_EVENT, created_at: now, data };
		});
		return await Promise.resolve({ count: entries.length, items: toItems(api, events, filter) });
	},
});

export const watchEvents = (filter: Filter): Feed[] => [
	...(filter.events.some((event) => event !== DUE_EVENT) ? [watchAuditLog(filter)] : []),
	...(isChosenEvent(filter, DUE_EVENT) ? [watchDue(filter)] : []),
];

/** After this number of polls, an entry is emitted although its document cannot be read. */
const MOST_UNREAD = 10;

/** Gives what is new since the state, oldest first, and the state after it. */
export async function pollOnce(
	api: EventApi,
	{ state, source, feeds, budget, warnOnce, report }: PollRequest,
): Promise<Polled> {
	const { api: timed, readTime } = noteServiceTime(api);
	const next: PollState = { source, polls: (state?.polls ?? 0) + 1 };
	const items: Item[] = [];
	const errors: unknown[] = [];
	const isSpent = () => budget.isLate() || budget.isUsedUp();
	const reads = feeds.map(({ key, list, map }) => {
		const cursor = (next[key] = openCursor(api, list, state?.[key]));
		const noteSize = (count: number) =>
			warnOnce(
				`reads all ${count} records of ${list.endpoint} with each poll, in pages, because the service neither keeps to a filter on their time nor sorts them. If it can do either under another name, a dialect in the credential tells the name`,
				'reads all records',
			);
		async function emit(entries: Entry[]): Promise<number> {
			const unread = new Map(cursor.unread);
			const isIncompleteTaken = ({ id }: Entry) => (unread.get(id) ?? 0) >= MOST_UNREAD;
			function countPoll([id, error]: [string, unknown]): [string, number] {
				const polls = unread.get(id) ?? 0;
				// Too many requests say nothing about the entry.
				const isBusy = explainError(error).status === 429;
				if (isBusy) errors.push(error);
				else if (!polls) report(error);
				return [id, isBusy ? polls : polls + 1];
			}
			const options = { now: readTime(), budget, warnOnce, isIncompleteTaken };
			const { count, failed = [], items: made } = await map(timed, entries, options);
			items.push(...made);
			if (failed.length) cursor.unread = failed.map(countPoll);
			return count;
		}
		return async () => await readList(timed, list, cursor, { emit, isSpent, readTime, noteSize });
	});
	// If the share is not enough for both, each is the first one in turn.
	if (next.polls % 2 === 0) reads.reverse();
	for (const read of reads) {
		if (!budget.isUsedUp()) await read().catch((error: unknown) => errors.push(error));
	}
	return { items: items.sort(byTime).map(({ record }) => record), state: next, errors };
}
