import type { IDataObject } from 'n8n-workflow';
import { joinStates, readState } from './state';
import type { PollState } from './state';

/** What this process knows of a trigger. */
interface Known {
	/** The static data of the activation that polled last. */
	home: object;
	/** Everything up to here was given out, even if n8n dropped the last poll. */
	settled: PollState;
	/** Everything up to here was given out, if n8n stored the last poll. */
	newest: PollState;
}

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

/**
 * Makes one poll and moves the position of the trigger. n8n begins to save static data before it has stored the run, so
 * the position after a poll is written by the next poll; meanwhile only this process knows it. If the workflow was
 * activated again during a poll, n8n drops the poll's events, so another activation relies only on the settled position.
 *
 * @param read reads from a state, or begins if there is none. If it throws, the position stays.
 * @returns the events; `undefined` if an earlier poll of the same trigger is still reading
 */
export async function advancePosition<Event>(
	source: string,
	staticData: IDataObject,
	read: Read<Event>,
): Promise<Event[] | undefined> {
	if (isDurable(staticData)) return await takeTurn(source, staticData, read);
	if (reading.has(source)) return undefined;
	reading.add(source);
	try {
		const stored = readState(staticData.poll, source);
		const memory = known.get(source);
		const remembered = memory?.home === staticData ? memory.newest : memory?.settled;
		const before = stored ? joinStates(stored, remembered) : remembered;
		const { events, state: newest } = await read(before);
		const settled = events.length && before ? before : newest;
		write(staticData, settled);
		known.set(source, { home: staticData, settled, newest });
		return events;
	} finally {
		reading.delete(source);
	}
}

/**
 * Settles the position after the events of a run that has begun, because n8n has stored the run by then. n8n saves the
 * static data at the end of the run, unless the run waited for a restart or a worker and has none (toWorkflowSnapshot in
 * n8n). A position that is derived from events alone is never written: it lacks what came before them.
 */
export function settle(staticData: IDataObject, done: PollState): void {
	const stored = readState(staticData.poll, done.source);
	if (stored) write(staticData, joinStates(stored, done));
	const memory = known.get(done.source);
	if (memory) known.set(done.source, { ...memory, settled: joinStates(memory.settled, done) });
}
