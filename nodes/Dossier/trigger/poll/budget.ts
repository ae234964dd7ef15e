import type { Api } from '../../api/client';
import type { Connection } from '../../api/connection';
import { MOST_SERVICES } from '../../api/endpoints';

/** The part of the plan's limit that polls may use. The rest is for other workflows. */
const SHARE = 0.5;

/** The part of a window that counts. Calls of the last poll, a minute ago, must not count for this one. */
const COUNTED = 0.9;

/** A poll needs at least a page, a document that it names, and two calls to learn how a service numbers its pages. */
const LEAST_CALLS = 4;

/** How many calls a poll makes at most if the credential has no limit. */
const MOST_CALLS = 200;

/**
 * When the polls of this process made their calls within the longest window, oldest first, by who shares the limit: at most
 * `MOST_SERVICES`.
 */
const made = new Map<string, number[]>();

/** What a poll may still spend. */
export interface Budget {
	/** How many more calls it may make. */
	left(): number;
	/** Whether its time is over. */
	isLate(): boolean;
	/** Counts the calls that are made through it. */
	count<Kind extends Pick<Api, 'answer' | 'call'>>(api: Kind): Kind;
}

/**
 * Opens the budget of a poll: a share of each window of the plan, less what the polls of this process have used of it.
 *
 * @param deadline in ms since 1970
 */
export function openBudget(
	{ limited, windows }: Pick<Connection, 'limited' | 'windows'>,
	deadline: number,
): Budget {
	const longest = Math.max(0, ...windows.map(({ length }) => length));
	const times = made.get(limited) ?? [];
	if (made.size >= MOST_SERVICES && !times.length) made.clear();
	made.set(limited, times);
	while ((times[0] ?? Infinity) <= Date.now() - longest) times.shift();
	let own = 0;
	const note = () => {
		own++;
		times.push(Date.now());
	};
	const countSince = (time: number) => times.filter((one) => one > time).length;
	return {
		left: () =>
			Math.min(
				MOST_CALLS - own,
				...windows.map(
					({ limit, length }) =>
						Math.max(LEAST_CALLS, Math.floor(limit * SHARE)) -
						countSince(Date.now() - length * COUNTED),
				),
			),
		isLate: () => Date.now() > deadline,
		count: (api) => ({
			...api,
			answer: async (...call: Parameters<Api['answer']>) => {
				note();
				return await api.answer(...call);
			},
			call: async (...call: Parameters<Api['call']>) => {
				note();
				return await api.call(...call);
			},
		}),
	};
}

/** Whether a poll can get anywhere with what is left. */
export const isWorthwhile = (budget: Budget): boolean => budget.left() >= LEAST_CALLS;
