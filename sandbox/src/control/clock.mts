import type { Service } from '../service.mts';
import type { Handlers } from './operation.mts';

const units = [
	['days', 86_400_000],
	['hours', 3_600_000],
	['minutes', 60_000],
	['seconds', 1000],
	['ms', 1],
] as const;

/** The time of the service. */
export const clockHandlers: Handlers<'/clock'> = {
	'get /clock': ({ service }) => describeClock(service),

	'post /clock': ({ service, body: { set, reset, to, ...steps } }) => {
		const { clock } = service;
		if (reset) clock.move(-clock.offset);
		if (set !== undefined) clock.set(parseTime(set));
		if (to !== undefined) clock.set(findNext(service, to === 'next_due_task'));
		const ms = units.reduce((sum, [unit, length]) => sum + (steps[unit] ?? 0) * length, 0);
		if (ms !== 0) clock.move(ms);
		return describeClock(service);
	},
};

function describeClock({ clock, deliveries, dueSoon }: Service) {
	return {
		now: clock.iso(),
		offset_ms: clock.offset,
		next_delivery_at: formatTime(deliveries.nextDue()),
		next_due_task_at: formatTime(dueSoon.nextAt()),
	};
}

/** A time as ISO 8601 in UTC. A time without an offset is in UTC. */
function parseTime(text: string): string {
	const hasOffset = !text.includes('T') || /(z|[+-]\d\d:?\d\d)$/i.test(text);
	const ms = Date.parse(hasOffset ? text : `${text}Z`);
	if (Number.isNaN(ms)) throw new RangeError(`${text} is not a time.`);
	return new Date(ms).toISOString();
}

function findNext({ deliveries, dueSoon }: Service, isTask: boolean): string {
	const next = formatTime(isTask ? dueSoon.nextAt() : deliveries.nextDue());
	if (next !== null) return next;
	throw new RangeError(isTask ? 'No task becomes due.' : 'No delivery waits for its next attempt.');
}

/** A moment in milliseconds since 1970 as ISO 8601; null for none. */
export function formatTime(ms: number | undefined): string | null {
	return ms === undefined ? null : new Date(ms).toISOString();
}
