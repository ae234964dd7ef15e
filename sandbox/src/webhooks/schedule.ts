import type { AttemptResult } from './deliveries.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long after each failed try the next one is due, in milliseconds. */
const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];

/** What becomes of a delivery after a try that was answered with a status, or not at all: any 2xx is success, 410 the end. */
export function planNext(
	status: number | null,
	triesBefore: number,
	now: number,
): Pick<AttemptResult, 'next' | 'gone'> {
	if (status !== null && status >= 200 && status < 300) return { next: 'delivered', gone: false };
	if (status === 410) return { next: 'failed', gone: true };
	const wait = waits[triesBefore];
	return { next: wait === undefined ? 'failed' : { dueAt: now + wait }, gone: false };
}
