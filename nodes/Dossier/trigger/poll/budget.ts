import type { Connection } from '../../api/connection';
import type { Window } from '../../api/pace/limits';
import { Memory } from '../../api/memory';

/** The part of the plan's limit that polls may use. The rest is for other workflows. */
const SHARE = 0.5;

/** How early a minute forgets a call, in ms. Calls of the last poll, a minute ago, must not count for this one. */
const JITTER = 6_000;

/** A poll needs at least a page, a document that it names, and two calls to learn how a service numbers its pages. */
const LEAST_CALLS = 4;

/** The limit that polls share if the credential has none. */
const UNLIMITED: Window[] = [{ limit: 400, length: 60_000 }];

/** When the polls of this process made their calls within the longest window, oldest first, by who shares the limit. */
const made = new Memory<number[]>(1_000);

/**
 * Opens the budget of a poll: a share of each window of the plan, less what the polls of this process have used of it.
 *
 * @param deadline in ms since 1970
 */
export function openBudget(
	{ account, windows }: Pick<Connection, 'account' | 'windows'>,
	deadline: number,
) {
	const limits = windows.length ? windows : UNLIMITED;
	const longest = Math.max(...limits.map(({ length }) => length));
	const times = made.get(account) ?? [];
	made.set(account, times);
	while ((times[0] ?? Infinity) <= Date.now() - longest) times.shift();
	const countLeft = ({ limit, length }: Window) => {
		const begin = Date.now() - length + (length > 60_000 ? 0 : JITTER);
		const used = times.filter((time) => time > begin).length;
		return Math.max(LEAST_CALLS, Math.floor(limit * SHARE)) - used;
	};
	const left = () => Math.min(...limits.map(countLeft));
	return {
		/** How many more calls it may make. */
		left,
		isLate: () => Date.now() > deadline,
		/** Whether it gets nowhere with the calls that are left. */
		isUsedUp: () => left() < LEAST_CALLS,
		/** Counts a request, also one that is sent again. */
		note: () => void times.push(Date.now()),
	};
}

export type Budget = ReturnType<typeof openBudget>;
