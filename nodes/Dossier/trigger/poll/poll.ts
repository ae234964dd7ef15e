import type { pages } from '../../api/pages';
import { isRecord, toText } from '../../api/values';
import { readDue } from './due';
import type { DueCursor } from './due';
import { mapEntry } from './events';
import type { PolledEvent } from './events';
import { findNewest, readFeed } from './feed';
import type { FeedCursor } from './feed';

/** What a trigger has read so far. */
export interface PollState {
	feed: FeedCursor;
	due?: DueCursor;
	/** When tasks are looked at again, by the clock of this n8n: ms since 1970. */
	nextDueCheck: number;
}

/** Tasks are looked at this often, in ms: a day ahead, minutes do not matter, and each look costs a request. */
const DUE_INTERVAL = 10 * 60_000;

type Lists = Parameters<typeof pages>[0];

interface PollRequest {
	state: PollState;
	/** Whether anything needs the audit log, and whether anything needs the tasks. */
	wants: { feed: boolean; due: boolean };
	/** When reading stops and leaves the rest to the next poll, in ms since 1970. */
	deadline: number;
	now: number;
	/** Tells the owner something once, in n8n's log. */
	warnOnce: (message: string) => void;
}

/** The state that a trigger begins with: everything up to now is known. */
export async function beginPolling(api: Lists, wantsDue: boolean, now: number): Promise<PollState> {
	const newest = await findNewest(api);
	const feed = newest
		? { since: newest.time, seen: { [newest.id]: newest.time } }
		: { since: '', seen: {} };
	const due = wantsDue ? (await readDue(api, undefined)).cursor : undefined;
	return { feed, due, nextDueCheck: now + DUE_INTERVAL };
}

/** Gives the events since the state, oldest first, and the state after them. */
export async function pollEvents(
	api: Lists,
	{ state, wants, deadline, now, warnOnce }: PollRequest,
): Promise<{ events: PolledEvent[]; state: PollState }> {
	const events: PolledEvent[] = [];
	const next = { ...state };
	if (wants.feed) {
		const { fresh, cursor } = await readFeed(api, state.feed, deadline);
		for (const { id, time, entry } of fresh) {
			if (toText(entry.action) === undefined) {
				warnOnce('An entry of the audit log names no action, so it stands for no event');
			}
			const event = mapEntry(entry, id, time);
			if (event) events.push(event);
		}
		next.feed = cursor;
	}
	if (wants.due && now >= state.nextDueCheck) {
		const { fresh, cursor } = await readDue(api, state.due);
		events.push(...fresh);
		next.due = cursor;
		next.nextDueCheck = now + DUE_INTERVAL;
	}
	return { events, state: next };
}

/** Reads a state that n8n kept; `undefined` if there is none, or one that cannot be read. */
export function readState(kept: unknown): PollState | undefined {
	if (!isRecord(kept) || !isRecord(kept.feed) || !isRecord(kept.feed.seen)) return undefined;
	const due = isRecord(kept.due) && isRecord(kept.due.announced) ? kept.due : undefined;
	return {
		feed: { since: toText(kept.feed.since) ?? '', seen: readTexts(kept.feed.seen) },
		due: due && { checkedAt: toText(due.checkedAt) ?? '', announced: readTexts(due.announced) },
		nextDueCheck: Number(kept.nextDueCheck) || 0,
	};
}

const readTexts = (value: unknown): Record<string, string> =>
	isRecord(value)
		? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, toText(text) ?? '']))
		: {};
