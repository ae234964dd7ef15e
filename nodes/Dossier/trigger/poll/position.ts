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
	isSkipped?: boolean;
}

/** The position of a trigger, as this process knows it. */
interface Known {
	/** The static data of the activation that polled last. */
	activation: object;
	/** Everything up to here was emitted, even if n8n dropped the last poll. */
	committed: PollState;
	/** Everything up to here was emitted, if n8n stored the last poll. */
	newest: PollState;
	/** The last batches whose runs have not begun here, in the order of their polls. */
	pending: Batch[];
	/** Whether runs begin in this process, and not in workers. */
	hasBegun: boolean;
}

/** How many batches are kept that have not begun: in queue mode, the main process never sees a run begin. */
const KEPT_BATCHES = 10;

/** By source: one state for each thing that a trigger has read, with its last batches. It keeps more triggers than one n8n has. */
const known = new Memory<Known>(10_000);

/** By source, if the cursor is durable: how many polls had led to that of the last poll, and what this poll left if it failed. */
const last = new Memory<{ polls: number; failed?: PollState }>(10_000);

/** The sources that are being polled. */
const polling = new Set<string>();

/** Whether there is a state, and it belongs to this source. Only this node writes what is under its name in static data. */
const isStateOf = (kept: unknown, source: string): kept is PollState =>
	isObject(kept) && kept.source === source && typeof kept.polls === 'number';

/**
 * Whether n8n stores static data in one transaction with the run. With durable cursors it passes a plain copy; otherwise
 * a proxy, to know when to save them (trigger-execution-context.factory.js, n8n 2.36 and up). A proxy cannot be cloned.
 */
function isDurable(staticData: IDataObject): boolean {
	try {
		structuredClone(staticData);
		return true;
	} catch {
		return false;
	}
}

const write = (staticData: IDataObject, state: PollState) => {
	staticData.poll = deepCopy(state);
};

/** Whether n8n and this process know only a position at another service, of another organization, or of its other data. */
export const isElsewhere = (source: string, { poll }: IDataObject): boolean =>
	isObject(poll) && poll.source !== source && !known.has(source) && !last.has(source);

const readStoredState = (source: string, { poll }: IDataObject): PollState | undefined =>
	isStateOf(poll, source) ? deepCopy(poll) : undefined;

type Read = (state: PollState | undefined) => Promise<Polled>;

/**
 * Makes a poll whose position n8n stores in one transaction with the run. After a poll that fails, n8n drops the position.
 *
 * On a busy machine, n8n begins a poll before it has stored what the last one left. Such a poll would emit the same
 * again, so it emits nothing. If n8n could not store the last one, that costs no more than one poll.
 */
async function pollDurably(source: string, copy: IDataObject, read: Read): Promise<IDataObject[]> {
	const stored = readStoredState(source, copy);
	const polls = stored?.polls ?? 0;
	const earlier = last.get(source);
	const isBehind = earlier?.polls === polls;
	if (isBehind && !earlier.failed) {
		last.delete(source);
		return [];
	}
	const { items, state, errors } = await read(isBehind ? earlier.failed : stored);
	const hasFailed = errors.length > 0 && !items.length;
	last.set(source, { polls, failed: hasFailed ? state : undefined });
	if (hasFailed) throw errors[0];
	write(copy, state);
	return items;
}

/** Chooses the state that a poll begins at: the later one of the stored state and that of this process. */
function chooseState(source: string, staticData: IDataObject): PollState | undefined {
	const stored = readStoredState(source, staticData);
	const memory = known.get(source);
	if (!memory) return stored;
	const remembered = memory.activation === staticData ? memory.newest : memory.committed;
	return stored && stored.polls > remembered.polls ? stored : remembered;
}

/**
 * Makes a poll whose position n8n begins to save before it has stored the run. So the position is written by a later poll,
 * or once the run has begun; meanwhile only this process knows it. If the workflow was activated again during a poll, n8n
 * drops the poll's items, so another activation relies only on what is committed.
 */
async function pollBehind(
	source: string,
	activation: IDataObject,
	read: Read,
): Promise<IDataObject[]> {
	const before = chooseState(source, activation);
	// A run may begin meanwhile.
	const { items: fresh, state: newest, errors } = await read(before);
	const memory = known.get(source);
	const { pending = [], hasBegun = false } = memory?.activation === activation ? memory : {};
	const dropped = pending.filter(({ isSkipped }) => isSkipped);
	const items = [...dropped.flatMap((batch) => batch.items), ...fresh];
	const start = dropped[0]?.before ?? before;
	const added = items.length && start ? [{ before: start, items }] : [];
	const waiting = [...pending.slice(dropped.length), ...added].slice(-KEPT_BATCHES);
	const committed = (hasBegun ? waiting : added)[0]?.before ?? newest;
	known.set(source, { activation, committed, newest, pending: waiting, hasBegun });
	write(activation, committed);
	if (errors.length && !items.length) throw errors[0];
	return items;
}

/**
 * Makes a poll and moves the position of the trigger. While another poll of it is under way, it emits nothing: the next one
 * goes on.
 *
 * @param read reads from a state, or begins if there is none
 * @throws what `read` throws, and its first error if there is nothing to emit
 */
export async function advancePosition(
	source: string,
	staticData: IDataObject,
	read: Read,
): Promise<IDataObject[]> {
	if (polling.has(source)) return [];
	polling.add(source);
	const poll = isDurable(staticData) ? pollDurably : pollBehind;
	return await poll(source, staticData, read).finally(() => polling.delete(source));
}

/**
 * Commits the items of a run that has begun, because n8n has stored the run by then. The runs of earlier batches begin before
 * the next poll, although not always in order; otherwise they were dropped. n8n saves the static data at the end of the run,
 * unless the run waited for a restart or a worker and has none (toWorkflowSnapshot in n8n).
 */
export function commitRun(source: string, staticData: IDataObject, items: IDataObject[]): void {
	const memory = known.get(source);
	const content = JSON.stringify(items);
	const at = memory?.pending.findIndex((batch) => JSON.stringify(batch.items) === content) ?? -1;
	if (!memory || at < 0) return;
	const skipped = memory.pending.slice(0, at).map((batch) => ({ ...batch, isSkipped: true }));
	const pending = [...skipped, ...memory.pending.slice(at + 1)];
	const committed = pending[0]?.before ?? memory.newest;
	known.set(source, { ...memory, committed, pending, hasBegun: true });
	if (isStateOf(staticData.poll, source)) write(staticData, committed);
}
