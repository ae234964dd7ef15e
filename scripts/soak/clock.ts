import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from './stage.ts';

/** How much faster the service's clock runs than the machine's: a month in an hour. */
export const CLOCK_SPEED = 720;
const CLOCK_STEP_MS = 500;

/** The clocks of the service's servers differ by twice this, in ms. The poll trigger allows five minutes. */
const SKEW_MS = 120_000;
const SKEW_STEP_MS = 700;

/** Lets the clock of the service run fast until the signal. */
export async function runClock({ control }: Stage, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await control.post('/clock', { ms: CLOCK_STEP_MS * (CLOCK_SPEED - 1) });
		await wait(CLOCK_STEP_MS, undefined, { signal }).catch(() => undefined);
	}
}

/** Lets the clock of the service go back and forth until the signal, as if its servers had different clocks. */
export async function swingClock({ control }: Stage, signal: AbortSignal): Promise<void> {
	let ahead = SKEW_MS;
	await control.post('/clock', { ms: ahead });
	while (!signal.aborted) {
		await wait(SKEW_STEP_MS, undefined, { signal }).catch(() => undefined);
		ahead = -ahead;
		await control.post('/clock', { ms: 2 * ahead });
	}
	await control.post('/clock', { ms: -ahead });
}
