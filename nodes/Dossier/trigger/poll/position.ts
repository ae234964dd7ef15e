import type { IDataObject } from 'n8n-workflow';
import { joinStates, readState } from './state';
import type { PollState } from './state';

/** What this process knows of a trigger. */
interface Known {
	/** The static data of the activation that read last. */
	home: object;
	/** Everything up to here has been given out, whatever n8n did with the last poll. */
	settled: PollState;
	/** Everything up to here has been given out, if n8n has taken the last poll. */
	newest: PollState;
}

const known = new Map<string, Known>();

/** The sources that are being read. */
const reading = new Set<string>();

/**
 * n8n makes static data observable, to know when to save them. With durable cursors it gives a copy instead, and stores
 * what is written into it in one transaction with the run (trigger-execution-context.factory.js, n8n 2.36 and up).
 */
const isDurable = (staticData: IDataObject) => !('__dataChanged' in staticData);

const write = (staticData: IDataObject, { source, feed, due, nextDueCheck }: PollState) => {
	const kept: IDataObject = { source, nextDueCheck };
	if (feed) kept.feed = { ...feed };
	if (due) kept.due = { ...due };
	staticData.poll = kept;
};

/**
 * Moves a trigger on by one poll. n8n begins to save static data before it has stored the run, so what a poll gave out is
 * written with the next one; meanwhile this process knows it. n8n drops what a poll gave out if the workflow has been
 * activated anew meanwhile, so another activation relies only on what is settled.
 *
 * @param read reads on from a state, or begins if there is none. If it throws, nothing moves.
 * @returns what was read; `undefined` if an earlier poll of the same trigger is still reading
 */
export async function advancePosition<Event>(
	source: string,
	staticData: IDataObject,
	read: (state: PollState | undefined) => Promise<{ events: Event[]; state: PollState }>,
): Promise<Event[] | undefined> {
	if (reading.has(source)) return undefined;
	reading.add(source);
	try {
		const stored = readState(staticData.poll, source);
		if (isDurable(staticData)) {
			const { events, state } = await read(stored);
			write(staticData, state);
			return events;
		}
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
 * Notes that a run with these events has begun, so that n8n has stored it. n8n saves static data at the end of the run, if
 * it gave the run any: a run that waited for a restart or for a worker has none (toWorkflowSnapshot in n8n). What is
 * known from the events alone is never written, since it does not know what there was before the trigger began.
 */
export function settle(staticData: IDataObject, done: PollState): void {
	const stored = readState(staticData.poll, done.source);
	if (stored) write(staticData, joinStates(stored, done));
	const memory = known.get(done.source);
	if (memory) known.set(done.source, { ...memory, settled: joinStates(memory.settled, done) });
}
