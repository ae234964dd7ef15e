import { deepCopy } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../dialect/paths';
import { Memory } from '../../api/memory';
import type { Polled, PollState } from './poll';

interface Batch {
	/** The state before them. */
	before: PollState;
	items: IDataObject[];
	/** Whether the run of a later batch has begun. If this one's has not begun by the next poll, n8n could not store it. */
	isOvertaken?: boolean;
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
	/** Whether runs begin in this process, and not in workers. */
	hasBegun: boolean;
}

/** How many batches are kept that have not begun: in queue mode, the main process never sees a run begin. */
const KEPT_BATCHES = 10;

/** By source: one state for each thing that a trigger has read, with its last batches. It keeps more triggers than one n8n has. */
const known = new Memory<Known>(10_000);

/** The last poll of each source that is still reading. */
const turns = new Map<string, Promise<unknown>>();

/** Whether there is a state, and it belongs to this source. Only this node writes what is under its name in static data. */
const isStateOf = (kept: unknown, source: string): kept is PollState =>
	isObject(kept) && kept.source === source && typeof kept.polls === 'number';

/**
 * Whether n8n stores static data in one transaction with the run. With durable cursors it passes a plain copy; otherwise
 * an observed object, to know when to save it (trigger-execution-context.factory.js, n8n 2.36 and up).
 */
const isDurable = (staticData: IDataObject) => !('__dataChanged' in staticData);

const write = (staticData: IDataObject, state: PollState) => {
	staticData.poll = deepCopy(state);
};

/** Where a poll begins: at the later one of what is stored and what this process knows. */
function chooseState(source: string, staticData: IDataObject): PollState | undefined {
	const stored = isStateOf(staticData.poll, source) ? deepCopy(staticData.poll) : undefined;
	const memory = known.get(source);
	if (!memory) return stored;
	if (isDurable(staticData)) {
		return stored && stored.polls !== memory.settled.polls ? stored : memory.newest;
	}
	const remembered = memory.home === staticData ? memory.newest : memory.settled;
	return stored && stored.polls > remembered.polls ? stored : remembered;
}

/** Adds what a poll read to what is known, after the batches that n8n dropped. Gives what the poll gives out. */
function addPoll(
	source: string,
	home: IDataObject,
	before: PollState | undefined,
	{ items: fresh, state: newest, errors }: Polled,
): IDataObject[] {
	const memory = known.get(source);
	if (isDurable(home)) {
		const hasFailed = errors.length > 0 && !fresh.length;
		if (!before || hasFailed) {
			// n8n drops what a failed poll leaves, and still has what the first one of several began with.
			const settled = (before === memory?.newest ? memory?.settled : before) ?? newest;
			known.set(source, { home, settled, newest, given: [], hasBegun: false });
		}
		write(home, newest);
		return fresh;
	}
	const { given = [], hasBegun = false } = memory?.home === home ? memory : {};
	const dropped = given.filter(({ isOvertaken }) => isOvertaken);
	const items = [...dropped.flatMap((batch) => batch.items), ...fresh];
	const start = dropped[0]?.before ?? before;
	const added = items.length && start ? [{ before: start, items }] : [];
	const waiting = [...given.slice(dropped.length), ...added].slice(-KEPT_BATCHES);
	const settled = (hasBegun ? waiting : added)[0]?.before ?? newest;
	known.set(source, { home, settled, newest, given: waiting, hasBegun });
	write(home, settled);
	return items;
}

/**
 * Makes one poll, after those that are under way, and moves the position of the trigger. n8n begins to save static data
 * before it has stored the run, so the state after a poll is written by a later poll, or once the run has begun; meanwhile
 * only this process knows it. If the workflow was activated again during a poll, n8n drops the poll's items, so another
 * activation relies only on what is settled.
 *
 * With durable cursors, n8n stores the position that a poll leaves even if it gives nothing, and each poll has a copy from
 * when it began. So a poll that was skipped would undo the position of the one before; if that one was the first, the
 * trigger would begin anew and miss what came meanwhile.
 *
 * @param read reads from a state, or begins if there is none
 * @throws what `read` throws, and its first error if there is nothing to give out
 */
export async function advancePosition(
	source: string,
	staticData: IDataObject,
	read: (state: PollState | undefined) => Promise<Polled>,
): Promise<IDataObject[]> {
	const earlier = turns.get(source);
	const poll = (async () => {
		await earlier;
		const before = chooseState(source, staticData);
		// A run may begin meanwhile.
		const polled = await read(before);
		const items = addPoll(source, staticData, before, polled);
		if (polled.errors.length && !items.length) throw polled.errors[0];
		return items;
	})();
	const turn = poll.then(
		() => true,
		() => false,
	);
	turns.set(source, turn);
	const isDone = await turn;
	if (turns.get(source) === turn) {
		turns.delete(source);
		// From here on, what n8n stores counts: the trigger may have read something else meanwhile.
		if (isDone && isDurable(staticData)) known.delete(source);
	}
	return await poll;
}

/**
 * Settles the items of a run that has begun, because n8n has stored the run by then. The runs of earlier batches begin before
 * the next poll, although not always in order; otherwise they were dropped. n8n saves the static data at the end of the run,
 * unless the run waited for a restart or a worker and has none (toWorkflowSnapshot in n8n).
 */
export function settle(source: string, staticData: IDataObject, items: IDataObject[]): void {
	const memory = known.get(source);
	const content = JSON.stringify(items);
	const at = memory?.given.findIndex((batch) => JSON.stringify(batch.items) === content) ?? -1;
	if (!memory || at < 0) return;
	const overtaken = memory.given.slice(0, at).map((batch) => ({ ...batch, isOvertaken: true }));
	const given = [...overtaken, ...memory.given.slice(at + 1)];
	const settled = given[0]?.before ?? memory.newest;
	known.set(source, { ...memory, settled, given, hasBegun: true });
	if (isStateOf(staticData.poll, source)) write(staticData, settled);
}
