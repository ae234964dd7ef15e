import { sleep } from 'n8n-workflow';
import { Problem } from '../problems/problem';

/** In ms. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Time in milliseconds; tests bring a clock that they move. */
export interface Clock {
	now(): number;
	sleep(ms: number): Promise<void>;
	/** The longest single sleep, in ms: no timer outlives a cancelled execution by more. */
	longestSleep: number;
}

export const wallClock: Clock = { now: () => Date.now(), sleep, longestSleep: 250 };

/** Gives the result of a promise; throws Problem CANCELLED as soon as the signal aborts. */
export async function rejectOnAbort<T>(
	promise: Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T> {
	if (!signal) return await promise;
	return await new Promise<T>((resolve, reject) => {
		const abort = () => reject(new Problem('CANCELLED', {}));
		if (signal.aborted) abort();
		signal.addEventListener('abort', abort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
	});
}

/**
 * Waits.
 *
 * @throws Problem CANCELLED at once if the execution is cancelled
 */
export async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined) {
	const end = clock.now() + ms;
	if (signal?.aborted) throw new Problem('CANCELLED', {});
	for (let left = ms; left > 0; left = end - clock.now()) {
		await rejectOnAbort(clock.sleep(Math.min(left, clock.longestSleep)), signal);
	}
}

/** The upper bound of the first pause, in ms. The factor raises it for each further pause, up to the longest. */
const FIRST_PAUSE = 1_000;
const PAUSE_FACTOR = 2;
const LONGEST_PAUSE = 30_000;

/** Exponential back-off with full jitter, in ms; `attempt` counts from 1. */
export const backoff = (attempt: number): number =>
	Math.random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * PAUSE_FACTOR ** (attempt - 1));
