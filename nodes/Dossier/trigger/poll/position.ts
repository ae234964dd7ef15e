import type { IDataObject } from 'n8n-workflow';
import { joinStates, readState } from './state';
import type { PollState } from './state';

/** The events of one poll. */
interface Batch {
	/** The position before them. */
	before: PollState;
	/** What their run settles once it has begun. */
	done: PollState;
	events: unknown[];
}

/** What this process knows of a trigger. */
interface Known {
	/** The static data of the activation that polled last. */
	home: object;
	/** Everything up to here was given out, even if n8n dropped the last poll. */
	settled: PollState;
	/** Everything up to here was given out, if n8n stored the last poll. */
	newest: PollState;
	/** The last batches whose runs have not begun here, in the order of their polls. */
	given: Batch[];
	/** Batches whose runs n8n could not store: a run of a later batch has begun. The next poll gives them again. */
	dropped: Batch[];
	/** Whether runs begin in this process, and not in workers. */
	hasBegun: boolean;
}

/** How many batches are kept that have not begun: in queue mode, the main process never sees a run begin. */
const KEPT_BATCHES = 10;

const known = new Map<string, Known>();

/** The sources that a poll is reading now. */
const reading = new Set<string>();

/**
 * Whether n8n stores static data in one transaction with the run. With durable cursors it passes a plain copy; otherwise
 * an observed object, to know when to save it (trigger-execution-context.factory.js, n8n 2.36 and up).
 */
const isDurable = (staticData: IDataObject) => !('__dataChanged' in staticData);

const write = (staticData: IDataObject, { source, feed, due, nextDueCheck }: PollState) => {
	const kept: IDataObject = { source, nextDueCheck };
	if (feed) kept.feed = { ...feed };
	if (due) kept.due = { ...due };
	staticData.poll = kept;
};

type Read<Event> = (state: PollState | undefined) => Promise<{ events: Event[]; state: PollState }>;

/** The last poll of each source that is still reading. Gives the position at which the trigger began, if that poll had none. */
const turns = new Map<string, Promise<PollState | undefined>>();

/**
 * Makes one poll after those that are under way. n8n stores the position that a poll leaves even if it gives nothing, and
 * each poll has a copy from when it began. So a poll that was skipped would undo the position of the one before; if that
 * one was the first, the trigger would begin anew and miss what came meanwhile.
 */
async function takeTurn<Event>(
	source: string,
	staticData: IDataObject,
	read: Read<Event>,
): Promise<Event[]> {
	const stored = readState(staticData.poll, source);
	const earlier = turns.get(source) ?? Promise.resolve(undefined);
	const poll = earlier.then(async (begun) => {
		const { events, state } = await read(stored ?? begun);
		write(staticData, state);
		return { events, begun: stored ? undefined : (begun ?? state) };
	});
	const turn = poll.then(
		({ begun }) => begun,
		() => undefined,
	);
	turns.set(source, turn);
	try {
		return (await poll).events;
	} finally {
		if (turns.get(source) === turn) turns.delete(source);
	}
}

/** What a poll has read, and from which position. */
interface Polled<Event> {
	home: IDataObject;
	before: PollState | undefined;
	fresh: Event[];
	newest: PollState;
	derive: (events: Event[]) => PollState;
}

/** Adds what a poll read to what is known, after the batches that n8n dropped. */
function addPoll<Event>(
	now: Known | undefined,
	{ home, before, fresh, newest, derive }: Polled<Event>,
): { next: Known; events: Event[] } {
	const { given = [], dropped = [], hasBegun = false } = now?.home === home ? now : {};
	const events = [...dropped.flatMap((batch) => batch.events as Event[]), ...fresh];
	const start = dropped[0]?.before ?? before;
	const added = events.length && start ? [{ before: start, done: derive(events), events }] : [];
	const waiting = [...given, ...added].slice(-KEPT_BATCHES);
	const oldest = hasBegun ? waiting[0] : added[0];
	const settled = oldest?.before ?? newest;
	return { next: { home, settled, newest, given: waiting, dropped: [], hasBegun }, events };
}

/**
 * Makes one poll and moves the position of the trigger. n8n begins to save static data before it has stored the run, so
 * the position after a poll is written by a later poll, or once the run has begun; meanwhile only this process knows it. If
 * the workflow was activated again during a poll, n8n drops the poll's events, so another activation relies only on the
 * settled position.
 *
 * @param read reads from a state, or begins if there is none. If it throws, the position stays.
 * @param derive gives what the run of some events settles
 * @returns the events; `undefined` if an earlier poll of the same trigger is still reading
 */
export async function advancePosition<Event>(
	source: string,
	staticData: IDataObject,
	read: Read<Event>,
	derive: (events: Event[]) => PollState,
): Promise<Event[] | undefined> {
	if (isDurable(staticData)) return await takeTurn(source, staticData, read);
	if (reading.has(source)) return undefined;
	reading.add(source);
	try {
		const stored = readState(staticData.poll, source);
		const memory = known.get(source);
		const remembered = memory?.home === staticData ? memory.newest : memory?.settled;
		const before = stored ? joinStates(stored, remembered) : remembered;
		const { events: fresh, state: newest } = await read(before);
		// A run may have begun meanwhile.
		const polled = { home: staticData, before, fresh, newest, derive };
		const { next, events } = addPoll(known.get(source), polled);
		write(staticData, next.settled);
		known.set(source, next);
		return events;
	} finally {
		reading.delete(source);
	}
}

/** Takes note that the run of a batch has begun. n8n begins runs in order, so the batches before it were dropped. */
function noteBegun(memory: Known, done: PollState): Known {
	const key = JSON.stringify(done);
	const at = memory.given.findIndex((batch) => JSON.stringify(batch.done) === key);
	if (at < 0) return { ...memory, settled: joinStates(memory.settled, done) };
	const dropped = [...memory.dropped, ...memory.given.slice(0, at)];
	const settled = dropped[0]?.before ?? joinStates(memory.settled, done);
	return { ...memory, settled, given: memory.given.slice(at + 1), dropped, hasBegun: true };
}

/**
 * Settles the position after the events of a run that has begun, because n8n has stored the run by then. n8n saves the
 * static data at the end of the run, unless the run waited for a restart or a worker and has none (toWorkflowSnapshot in
 * n8n). A position that is derived from events alone is never written: it lacks what came before them.
 */
export function settle(staticData: IDataObject, done: PollState): void {
	const stored = readState(staticData.poll, done.source);
	const memory = known.get(done.source);
	const begun = memory && noteBegun(memory, done);
	if (begun) known.set(done.source, begun);
	const held = begun?.dropped[0]?.before;
	if (stored) write(staticData, held ?? joinStates(stored, done));
}
