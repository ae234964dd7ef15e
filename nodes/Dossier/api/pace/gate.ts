import { ROUNDING } from './rateHeaders';
import type { RateReport } from './rateHeaders';

/** How long one request waits, in ms, before it tries again; twice as long after each refusal in a row. */
const BACKOFF = { first: 50, longest: 60_000 };

/** How long an answer is awaited, in ms, before one more request tries in spite of it: large files take long. */
const TRY_INTERVAL = 3_000;

/** For how long the number of remaining requests counts if the service does not say when its window ends, in ms. */
const SHORTEST_WINDOW = 60_000;

/** What all requests to a service pass. After a refusal, another gate takes its place. Times are in ms since 1970. */
export interface Gate {
	/** Since when it is closed; `undefined` if it is open. */
	closedSince: number | undefined;
	/** When one request tries whether the service accepts it, and then another one. */
	opensAt: number;
	/** Whether the service named that time. */
	isTold: boolean;
	/** Whether a request tries. */
	isTried: boolean;
	/** How long after the next refusal another request tries, in ms. */
	backoff: number;
}

export const createGate = (): Gate => ({
	closedSince: undefined,
	opensAt: -Infinity,
	isTold: false,
	isTried: false,
	backoff: BACKOFF.first,
});

/** The gate after a refusal, by what the service says about it. */
export function closeGate(
	{ closedSince, backoff }: Gate,
	{ retryAfter, resetIn }: RateReport,
	now: number,
): Gate {
	const told = retryAfter ?? resetIn ?? 0;
	return {
		closedSince: closedSince ?? now,
		opensAt: now + Math.max(told, backoff),
		isTold: told >= backoff,
		isTried: false,
		backoff: Math.min(2 * backoff, BACKOFF.longest),
	};
}

/** Notes that a request passes: while the gate is closed, it tries for all others. */
export function passGate(gate: Gate, now: number): void {
	if (gate.closedSince === undefined) return;
	gate.opensAt = now + TRY_INTERVAL;
	gate.isTried = true;
}

/** Opens a gate, because the service has accepted a request that has passed it. */
export const openGate = (gate: Gate) => void Object.assign(gate, createGate());

/** What the service last said about its window. */
export interface ReportedWindow {
	remaining: number;
	/** When the window ends, in ms since 1970. */
	endsAt: number;
	/** Whether the service named that time. */
	isTold: boolean;
}

/** What is known about the window after a further answer. */
export function updateWindow(
	last: ReportedWindow | undefined,
	{ remaining, resetIn }: RateReport,
	now: number,
): ReportedWindow | undefined {
	if (remaining === undefined) return last?.isTold ? last : undefined;
	const endsAt = now + (resetIn ?? SHORTEST_WINDOW);
	const isTold = resetIn !== undefined;
	const isKnown = last && last.endsAt > now && endsAt <= last.endsAt + ROUNDING;
	// Answers overtake each other, and there is a window of an hour, too: until a later one begins, the lowest number holds.
	const holds = isKnown && isTold && last.isTold && remaining >= last.remaining;
	return holds ? last : { remaining, endsAt, isTold };
}

/** How long until a request may be sent, in ms; if it is awaited, the answer to another request may end the wait. */
export interface Delay {
	wait: number;
	isAwaited: boolean;
}

/** How long until the service accepts one more request, as far as it is known. */
export function delayByService(
	gate: Gate,
	reported: ReportedWindow | undefined,
	underWay: number,
	now: number,
): Delay {
	const isClosed = gate.closedSince !== undefined;
	if (isClosed) return { wait: Math.max(0, gate.opensAt - now), isAwaited: gate.isTried };
	if (!reported) return { wait: 0, isAwaited: false };
	// If nobody knows when the window ends, one request at a time finds out.
	const room = reported.isTold ? reported.remaining : Math.max(1, reported.remaining);
	return { wait: underWay < room ? 0 : reported.endsAt - now, isAwaited: room > 0 };
}
