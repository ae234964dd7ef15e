import type { RateReport } from './rateHeaders';

/** How long one request waits, in ms, before it tries again; twice as long after each refusal in a row. */
const BACKOFF = { first: 50, longest: 60_000 };

/** How long an answer is awaited, in ms, before one more request is sent in spite of it: large files take long. */
const PATIENCE = 3_000;

/** By how many ms two answers of one window may differ about its end, because headers tell it in whole seconds. */
const ROUNDING = 1_000;

/** What all requests to a service pass. After a refusal, another gate takes its place. Times are in ms since 1970. */
export interface Gate {
	/** Since when the service has refused every request; `undefined` if it accepts them. */
	closedSince?: number;
	/** When one request tries whether the service accepts it. */
	opensAt: number;
	/** Whether the service named that time. */
	isTold?: boolean;
	/** How long after the next refusal another request tries, in ms. */
	backoff: number;
	/** How many requests may be under way at once: one that tries, and twice as many with each that is accepted. */
	most: number;
	/** How many requests have passed that are not answered yet. */
	underWay: number;
	lastSentAt: number;
}

export const openGate = (): Gate => ({
	opensAt: -Infinity,
	backoff: BACKOFF.first,
	most: Infinity,
	underWay: 0,
	lastSentAt: -Infinity,
});

/** The gate after a refusal, by what the service says about it. */
export function closeGate(
	{ closedSince, backoff }: Gate,
	{ retryAfter, resetIn }: RateReport,
	now: number,
): Gate {
	const told = retryAfter ?? resetIn ?? 0;
	return {
		...openGate(),
		closedSince: closedSince ?? now,
		opensAt: now + Math.max(told, backoff),
		isTold: told >= backoff,
		backoff: Math.min(2 * backoff, BACKOFF.longest),
		most: 1,
	};
}

/** Lets more requests pass a gate, because the service has accepted one that has passed it. */
export function widenGate(gate: Gate): void {
	gate.closedSince = undefined;
	gate.backoff = BACKOFF.first;
	gate.most *= 2;
}

/** What the service last said about its window. */
export interface ReportedWindow {
	remaining: number;
	/** When the window ends, in ms since 1970, if the service says so. */
	endsAt?: number;
}

/** What is known about the window after a further answer. */
export function updateWindow(
	last: ReportedWindow | undefined,
	{ remaining, resetIn }: RateReport,
	now: number,
): ReportedWindow | undefined {
	const lastEnd = last?.endsAt ?? -Infinity;
	if (remaining === undefined) return lastEnd > now ? last : undefined;
	const endsAt = resetIn === undefined ? undefined : now + resetIn;
	const isKnown = lastEnd > now && endsAt !== undefined && endsAt <= lastEnd + ROUNDING;
	// Answers overtake each other, and there is a window of an hour, too: until a later one begins, the lowest number holds.
	return isKnown && last && remaining >= last.remaining ? last : { remaining, endsAt };
}

/** How many requests the service accepts now. One tries if the service has not said so of this moment. */
function findRoom({ remaining, endsAt }: ReportedWindow, now: number): number {
	if (endsAt === undefined) return Math.max(1, remaining);
	return endsAt <= now ? 1 : remaining;
}

/** How long until a request may be sent, in ms; if it is awaited, the answer to another request may end the wait. */
export interface Delay {
	wait: number;
	isAwaited?: boolean;
}

/** How long until the service accepts one more request, as far as it is known. */
export function delayByService(
	{ opensAt, most, underWay, lastSentAt }: Gate,
	reported: ReportedWindow | undefined,
	now: number,
): Delay {
	if (opensAt > now) return { wait: opensAt - now };
	const room = reported ? findRoom(reported, now) : Infinity;
	if (reported?.endsAt !== undefined && room < 1) return { wait: reported.endsAt - now };
	if (underWay + 1 <= Math.min(most, room)) return { wait: 0 };
	return { wait: Math.max(0, lastSentAt + PATIENCE - now), isAwaited: true };
}
