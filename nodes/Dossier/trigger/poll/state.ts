import type { INodeExecutionData } from 'n8n-workflow';
import { toText } from '../../api/values';
import { isObject } from '../../dialect/paths';
import { keepRecent, readCursor } from '../../execution/cursor';
import type { Cursor } from '../../execution/cursor';
import type { DueCursor } from './due';

/** How far a trigger has read. */
export interface PollState {
	/** Names the trigger, the service and the organization that it was read for. */
	source: string;
	/** Absent until an event of the audit log is wanted. */
	feed?: Cursor;
	/** Absent until tasks are wanted. */
	due?: DueCursor;
	/** When tasks are read again, by the clock of this n8n: ms since 1970. */
	nextDueCheck: number;
}

const readTexts = (value: object): Record<string, string> =>
	Object.fromEntries(Object.entries(value).map(([name, text]) => [name, toText(text) ?? '']));

/** Reads a state that n8n kept; `undefined` if there is none, or if it belongs to another source. */
export function readState(kept: unknown, source: string): PollState | undefined {
	if (!isObject(kept) || kept.source !== source) return undefined;
	const { due } = kept;
	const feed = readCursor(kept.feed);
	return {
		source,
		...(feed && { feed }),
		...(isObject(due) &&
			isObject(due.announced) && {
				due: { checkedAt: toText(due.checkedAt) ?? '', announced: readTexts(due.announced) },
			}),
		nextDueCheck: Number(kept.nextDueCheck) || 0,
	};
}

function joinFeeds(a: Cursor, b: Cursor): Cursor {
	const since = a.since > b.since ? a.since : b.since;
	return { since, seen: keepRecent(since, { ...a.seen, ...b.seen }) };
}

function joinDues(a: DueCursor, b: DueCursor): DueCursor {
	const [older, newer] = a.checkedAt > b.checkedAt ? [b, a] : [a, b];
	return { ...newer, announced: { ...older.announced, ...newer.announced } };
}

const joinParts = <Part>(
	a: Part | undefined,
	b: Part | undefined,
	join: (a: Part, b: Part) => Part,
) => (a && b ? join(a, b) : (a ?? b));

/** Joins two states, so that nothing is read again that one of them has read. */
export function joinStates(a: PollState, b: PollState | undefined): PollState {
	if (a.source !== b?.source) return a;
	return {
		source: a.source,
		feed: joinParts(a.feed, b.feed, joinFeeds),
		due: joinParts(a.due, b.due, joinDues),
		nextDueCheck: Math.max(a.nextDueCheck, b.nextDueCheck),
	};
}

/** Derives a state from events that a poll gave out. */
export function deriveState(source: string, items: INodeExecutionData[]): PollState {
	const seen: Record<string, string> = {};
	const announced: Record<string, string> = {};
	let [since, checkedAt] = ['', ''];
	for (const { json } of items) {
		const { event, created_at: created, delivery, data } = json;
		const time = toText(created) ?? '';
		if (event === 'task.due_soon' && isObject(data)) {
			announced[toText(data.task_id) ?? ''] = toText(data.due_at) ?? '';
			if (time > checkedAt) checkedAt = time;
		} else if (isObject(delivery)) {
			seen[toText(delivery.id) ?? ''] = time;
			if (time > since) since = time;
		}
	}
	return {
		source,
		...(Object.keys(seen).length > 0 && { feed: { since, seen } }),
		...(checkedAt && { due: { checkedAt, announced } }),
		nextDueCheck: 0,
	};
}
